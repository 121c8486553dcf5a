package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"strings"

	"github.com/temporalio/ui-server/v2/ui"
)

var (
	policyMeta   = regexp.MustCompile(`(?i)<meta[^>]*http-equiv\s*=\s*["']content-security-policy["'][^>]*>`)
	inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

	errUILayout = errors.New("the Temporal UI's page is not laid out as expected: the module's version changed")
)

// pages are the UI's files, and its one page for every other path: routing happens in the browser.
type pages struct {
	files  fs.FS
	served http.Handler
	index  []byte
	policy string
}

// newPages reads the page that is built into the UI module and moves it below the public path.
func newPages(public string) (*pages, error) {
	all, err := ui.Assets()
	if err != nil {
		return nil, fmt.Errorf("Temporal UI: %w", err)
	}
	files, err := fs.Sub(all, "local")
	if err != nil {
		return nil, fmt.Errorf("Temporal UI: %w", err)
	}
	index, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("Temporal UI: %w", err)
	}
	index, policy, err := rebase(index, public)
	if err != nil {
		return nil, err
	}
	return &pages{files: files, served: http.FileServerFS(files), index: index, policy: policy}, nil
}

// rebase moves the page below a path and gives the policy that fits it. The page brings a policy of its own, made for
// the inline script as it was; ours goes in the header, with the digest of the script as it is now.
func rebase(index []byte, public string) (page []byte, policy string, err error) {
	const base, assets = `base: ""`, `"/_app/`
	if bytes.Count(index, []byte(base)) != 1 || !bytes.Contains(index, []byte(assets)) {
		return nil, "", errUILayout
	}
	page = policyMeta.ReplaceAll(index, nil)
	page = bytes.ReplaceAll(page, []byte(base), []byte(`base: "`+public+`"`))
	page = bytes.ReplaceAll(page, []byte(assets), []byte(`"`+public+`/_app/`))
	scripts := inlineScript.FindAllSubmatch(page, -1)
	if len(scripts) != 1 {
		return nil, "", errUILayout
	}
	sum := sha256.Sum256(scripts[0][1])
	return page, strings.Join([]string{
		"default-src 'self'",
		"script-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		"style-src 'self' 'unsafe-inline'",
		"img-src 'self' data:",
		"font-src 'self' data:",
		"worker-src 'self' blob:",
		"manifest-src 'self' data:",
		"connect-src 'self'",
		"object-src 'none'",
		"base-uri 'self'",
		"form-action 'self'",
		"frame-ancestors 'self'",
	}, "; "), nil
}

// ServeHTTP serves a file that exists, nothing for a file that does not, and the page for the rest.
func (p *pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	info, err := fs.Stat(p.files, name)
	switch {
	case name != "index.html" && err == nil && !info.IsDir():
		if strings.HasPrefix(name, "_app/immutable/") {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		}
		p.served.ServeHTTP(w, r)
	case strings.HasPrefix(name, "_app/"):
		http.NotFound(w, r)
	default:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(p.index)
	}
}
