package engine

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// visit asks the UI of the shared engine, as a server that it is mounted in would.
func visit(t *testing.T, method, target string, change ...func(*http.Request)) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(within(t), method, target, nil)
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	shared.UI().ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestUIAnswers(t *testing.T) {
	t.Parallel()
	c := dialShared(t)
	queue := startWorker(t, c)
	runSteps(t, c, "seen/in the ui", queue, 1)
	for name, v := range map[string]struct {
		target string
		status int
		kind   string
		holds  string
	}{
		"the page":             {"/temporal/", 200, "text/html", `base: "/temporal"`},
		"a page by its link":   {"/temporal/namespaces/agentrun/workflows/x/y/history", 200, "text/html", `import("/temporal/_app/`},
		"the path alone":       {"/temporal", 307, "", ""},
		"an asset":             {asset(t), 200, "javascript", ""},
		"an asset that is not": {"/temporal/_app/immutable/no.js", 404, "", ""},
		"the icon":             {"/temporal/favicon.ico", 200, "image/", ""},
		"a folder":             {"/temporal/_app/", 404, "", ""},
		"settings":             {"/temporal/api/v1/settings", 200, "application/json", `"DefaultNamespace":"agentrun"`},
		"the namespace":        {"/temporal/api/v1/namespaces/agentrun", 200, "application/json", `"604800s"`},
		"search attributes":    {"/temporal/api/v1/namespaces/agentrun/search-attributes", 200, "application/json", "AgentRunHarness"},
		"the list":             {"/temporal/api/v1/namespaces/agentrun/workflows?query=", 200, "application/json", "executions"},
		"a workflow": {
			"/temporal/api/v1/namespaces/agentrun/workflows/seen%2Fin%20the%20ui", 200, "application/json", "seen/in the ui",
		},
		"no such workflow": {"/temporal/api/v1/namespaces/agentrun/workflows/never", 404, "application/json", "not found"},
		"markdown":         {"/temporal/render?content=**bold**", 200, "text/html", "<strong>bold</strong>"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := visit(t, "GET", v.target)
			text := body(t, r)
			if r.StatusCode != v.status || !strings.Contains(r.Header.Get("Content-Type"), v.kind) || !strings.Contains(text, v.holds) {
				t.Errorf("GET %s: %d %s, want %d %s and %q in\n%.600s",
					v.target, r.StatusCode, r.Header.Get("Content-Type"), v.status, v.kind, v.holds, text)
			}
			if r.Header.Get("Content-Security-Policy") == "" {
				t.Errorf("GET %s has no content security policy", v.target)
			}
		})
	}
}

// asset finds an asset by the page that loads it.
func asset(t *testing.T) string {
	t.Helper()
	link := regexp.MustCompile(`/temporal/_app/immutable/entry/start\.[\w-]+\.js`)
	found := link.FindString(body(t, visit(t, "GET", "/temporal/")))
	if found == "" {
		t.Fatal("the page loads no start script")
	}
	return found
}

func TestThePolicyFitsThePage(t *testing.T) {
	t.Parallel()
	r := visit(t, "GET", "/temporal/")
	page, policy := body(t, r), r.Header.Get("Content-Security-Policy")
	if strings.Contains(page, "http-equiv") {
		t.Error("the page still has a policy of its own, whose digest is of another script")
	}
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(page)
	if script == nil {
		t.Fatal("the page has no script")
	}
	sum := sha256.Sum256([]byte(script[1]))
	for _, want := range []string{
		"script-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "';", "default-src 'self'", "frame-ancestors 'self'",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s:\n%s", want, policy)
		}
	}
	if strings.Contains(policy, "script-src 'unsafe") || strings.Contains(policy, "unsafe-eval") {
		t.Errorf("the policy allows any script: %s", policy)
	}
	if got := visit(t, "GET", asset(t)).Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("an asset may be cached %q", got)
	}
}

// A command of a person is a journal row before it is a signal, so none is given through Temporal's UI.
func TestUIOnlyReads(t *testing.T) {
	t.Parallel()
	cookie := visit(t, "GET", "/temporal/").Cookies()
	if len(cookie) == 0 || cookie[0].Name != csrfCookie {
		t.Fatalf("cookies %v, want the one against forged requests", cookie)
	}
	keyed := func(r *http.Request) {
		r.AddCookie(cookie[0])
		r.Header.Set("X-Csrf-Token", cookie[0].Value)
	}
	terminate := "/temporal/api/v1/namespaces/agentrun/workflows/w/terminate"
	query := "/temporal/api/v1/namespaces/agentrun/workflows/w/query/status"
	for name, v := range map[string]struct {
		target string
		change func(*http.Request)
		status int
	}{
		"a termination":               {terminate, keyed, http.StatusMethodNotAllowed},
		"a query of a workflow":       {query, keyed, http.StatusNotFound},
		"a forged request":            {query, func(*http.Request) {}, http.StatusBadRequest},
		"a request of another origin": {query, func(r *http.Request) { keyed(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		"a bearer does not excuse it": {query, func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, http.StatusBadRequest},
	} {
		r := visit(t, "POST", v.target, v.change)
		if r.StatusCode != v.status {
			t.Errorf("%s: %d, want %d: %s", name, r.StatusCode, v.status, body(t, r))
		}
	}
	var settings struct{ DisableWriteActions, DisableNewsFetch bool }
	if err := json.Unmarshal([]byte(body(t, visit(t, "GET", "/temporal/api/v1/settings"))), &settings); err != nil {
		t.Fatal(err)
	}
	if !settings.DisableWriteActions || !settings.DisableNewsFetch {
		t.Errorf("the page is told %+v", settings)
	}
}

// The caller's credentials are for the server the UI is mounted in. Temporal's gateway would pass them on.
func TestUIKeepsTheCallersCredentials(t *testing.T) {
	t.Parallel()
	var seen http.Header
	h := mount("/temporal", "policy", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = r.Header
		if r.URL.Path != "/api/v1/settings" {
			t.Errorf("below the path it is %s", r.URL.Path)
		}
	}))
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/temporal/api/v1/settings", nil)
	r.Header.Set("Authorization", "Bearer of-the-api")
	r.Header.Set("Authorization-Extras", "more")
	r.AddCookie(&http.Cookie{Name: "session", Value: "of-the-console"})
	r.AddCookie(&http.Cookie{Name: csrfCookie, Value: "token"})
	h.ServeHTTP(httptest.NewRecorder(), r)
	if seen.Get("Authorization") != "" || seen.Get("Authorization-Extras") != "" || seen.Get("Cookie") != csrfCookie+"=token" {
		t.Errorf("passed on: %v", seen)
	}
	if r.Header.Get("Authorization") == "" {
		t.Error("the request of the outer server was changed")
	}
}

func TestPublicPath(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "/temporal", "/": "/temporal", "/temporal": "/temporal", "temporal/": "/temporal", "/a//b/": "/a/b", "/../x": "/x",
	} {
		if got, err := cleanPublic(given); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", given, got, err, want)
		}
	}
	for _, bad := range []string{`/a"b`, "/<script>", "/a b", "/ä"} {
		if got, err := cleanPublic(bad); err == nil {
			t.Errorf("%q is taken as %q", bad, got)
		}
	}
}

func TestAPageOfAnotherLayoutIsRefused(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{
		"no base":     `<script>import("/_app/x.js")</script>`,
		"no assets":   `<script>base: ""</script>`,
		"two scripts": `<script>base: ""; import("/_app/x.js")</script><script>1</script>`,
		"no script":   `base: "" "/_app/`,
	} {
		if _, _, err := rebase([]byte(page), "/temporal"); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
