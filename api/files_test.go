package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// withFiles makes a run whose work folder holds, beside its files, everything that is none.
func withFiles(tb testing.TB, b *bench) (run.Run, string) {
	tb.Helper()
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"x","files":[{"path":"notes.txt","content_base64":"aGVsbG8gd29ybGQ="}]}}`)
	work := filepath.Join(b.dir, "runs", r.ID, "work")
	put := func(name, content string) {
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	put("page.html", "<script>alert(1)</script>")
	put("a b/ü.md", "# hi")
	put(".env", "secret")
	put("sub/.git/config", "secret")
	if err := os.WriteFile(filepath.Join(b.dir, "secret.txt"), []byte("secret"), 0o600); err != nil {
		tb.Fatal(err)
	}
	for _, link := range [][2]string{{"../../../secret.txt", "link.txt"}, {"../../..", "out"}, {"page.html", "same.html"}} {
		if err := os.Symlink(link[0], filepath.Join(work, link[1])); err != nil {
			tb.Fatal(err)
		}
	}
	return r, "/v2/runs/" + r.ID + "/files"
}

func TestFilesAreListed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, path := withFiles(t, b)
	var files []fileInfo
	b.get(path).want(http.StatusOK, &files)
	names := make([]string, 0, len(files))
	for _, file := range files {
		names = append(names, file.Path)
		if file.Size == 0 || len(file.Digest) != 64 || len(file.ModifiedAt) != len("2026-01-02T03:04:05.678Z") {
			t.Errorf("%+v", file)
		}
	}
	if diff := cmp.Diff([]string{"a b/ü.md", "inputs/notes.txt", "page.html"}, names); diff != "" {
		t.Error(diff)
	}
	none := b.start("helper", `{"input":{"content":"x"}}`)
	if body := string(b.get("/v2/runs/" + none.ID + "/files").want(http.StatusOK).body); body != "[]\n" {
		t.Errorf("%s", body)
	}
	b.get("/v2/runs/"+none.ID+"/files/a").problem(http.StatusNotFound, run.ErrNotFound)
	b.get("/v2/runs/run_nobody/files").problem(http.StatusNotFound, run.ErrNotFound)
	b.get("/v2/runs/run_nobody/files/a").problem(http.StatusNotFound, run.ErrNotFound)
}

type fileInfo struct {
	Path       string `json:"path"`
	Size       int64  `json:"size"`
	Digest     string `json:"digest"`
	ModifiedAt string `json:"modified_at"`
}

func TestAListingThatIsCutSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) {
		files := o.Files.(*RunFiles)
		files.places.MaxFiles = 2
	})
	_, path := withFiles(t, b)
	var files []fileInfo
	got := b.get(path).want(http.StatusOK, &files)
	if len(files) != 2 || got.header.Get("X-Files-Truncated") != "true" {
		t.Errorf("%d files, %v", len(files), got.header)
	}
}

func TestAFileIsServedSafely(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, path := withFiles(t, b)
	for name, media := range map[string]string{
		"page.html": "text/html; charset=utf-8", "a%20b/%C3%BC.md": "", "a%20b%2F%C3%BC.md": "", "inputs/notes.txt": "text/plain; charset=utf-8",
	} {
		got := b.get(path + "/" + name).want(http.StatusOK)
		for header, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
			"Accept-Ranges": "bytes", "Content-Type": media,
		} {
			if given := got.header.Get(header); given != want && want != "" {
				t.Errorf("%s: %s %q", name, header, given)
			}
		}
		if disposition := got.header.Get("Content-Disposition"); !strings.HasPrefix(disposition, "attachment") {
			t.Errorf("%s: %q", name, disposition)
		}
	}
}

func TestAFileIsServedInParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, path := withFiles(t, b)
	path += "/inputs/notes.txt"
	etag := b.get(path).header.Get("ETag")
	if want := `"` + places.DigestOf([]byte("hello world")) + `"`; etag != want {
		t.Errorf("ETag %s", etag)
	}
	part := b.get(path, "Range", "bytes=6-").want(http.StatusPartialContent)
	if string(part.body) != "world" || part.header.Get("Content-Range") != "bytes 6-10/11" {
		t.Errorf("%q %v", part.body, part.header)
	}
	if body := b.get(path, "Range", "bytes=6-", "If-Range", `"other"`).want(http.StatusOK).body; string(body) != "hello world" {
		t.Errorf("%q", body)
	}
	b.get(path, "If-None-Match", etag).want(http.StatusNotModified)
	got := b.get(path, "Range", "bytes=100-")
	got.problem(http.StatusRequestedRangeNotSatisfiable, codeRange)
	if got.header.Get("Content-Range") != "bytes */11" {
		t.Errorf("%v", got.header)
	}
	head := b.send(http.MethodHead, path, "").want(http.StatusOK)
	if len(head.body) > 0 || head.header.Get("Content-Length") != "11" {
		t.Errorf("%v %q", head.header, head.body)
	}
}

func TestWhatIsNoFileIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, path := withFiles(t, b)
	for name, status := range map[string]int{
		"nothing.txt": 404, "inputs/nothing": 404, "page.html/x": 400, "inputs": 400, "": 400,
		".env": 400, "sub/.git/config": 400, "sub/../page.html": 400, "../work/page.html": 400,
		"..%2f..%2f..%2fsecret.txt": 400, "%2e%2e/%2e%2e/%2e%2e/secret.txt": 400, "..%5c..%5csecret.txt": 400,
		"%252e%252e%252fsecret.txt": 404, "/etc/passwd": 400, "%2fetc%2fpasswd": 400, "a%00b": 400, "%ff": 400,
		"link.txt": 400, "out/secret.txt": 400, "same.html": 400, "./page.html": 400, "inputs//notes.txt": 400,
		strings.Repeat("a/", 600) + "a": 400, strings.Repeat("a", 300): 400,
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.http.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		// Opaque sends the path as it stands: a client would clean it.
		req.URL.Opaque = "//" + req.URL.Host + path + "/" + name
		req.Header.Set("Authorization", "Bearer "+ownersToken)
		got := b.do(req)
		code := run.ErrInvalidPath
		if status == http.StatusNotFound {
			code = run.ErrNotFound
		}
		got.problem(status, code)
		if strings.Contains(string(got.body), "secret\n") || len(got.body) > 2000 {
			t.Errorf("%s: %.300s", name, got.body)
		}
	}
}

// Whatever a path is, what is served lies in the run's work folder and is no dotfile.
func FuzzFilePath(f *testing.F) {
	b := setup(f)
	r, _ := withFiles(f, b)
	for _, seed := range []string{
		"inputs/notes.txt", "../../secret.txt", "..\\secret.txt", "%2e%2e/secret.txt", ".env", "link.txt", "out/secret.txt",
		"a b/ü.md", "\x00", "", "/", "//", "inputs/../.env", "sub/.git/config", strings.Repeat("../", 100), "\xff\xfe",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		req := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", nil)
		req.URL.Path = "/v2/runs/" + r.ID + "/files/" + name
		req.Host = "localhost"
		req.Header.Set("Authorization", "Bearer "+ownersToken)
		w := httptest.NewRecorder()
		b.server.ServeHTTP(w, req)
		switch w.Code {
		case http.StatusOK:
			if body := w.Body.String(); strings.Contains(body, "secret") {
				t.Errorf("%q served %q", name, body)
			}
		case http.StatusBadRequest, http.StatusNotFound:
			if media := w.Header().Get("Content-Type"); media != problemMedia || !utf8.Valid(w.Body.Bytes()) {
				t.Errorf("%q: %s %q", name, media, w.Body)
			}
		default:
			t.Errorf("%q: status %d: %s", name, w.Code, w.Body)
		}
	})
}
