package api

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// browser sends requests with the cookies it was given.
type browser struct {
	*bench
	cookies map[string]*http.Cookie
}

func (b *bench) browser() *browser { return &browser{b, map[string]*http.Cookie{}} }

func (br *browser) visit(method, path, body string, headers ...string) reply {
	br.Helper()
	cookies := make([]string, 0, len(br.cookies))
	for _, cookie := range br.cookies {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
	}
	got := br.send(method, path, body,
		append([]string{"Authorization", "", "Cookie", strings.Join(cookies, "; ")}, headers...)...)
	for _, cookie := range (&http.Response{Header: got.header}).Cookies() {
		if cookie.MaxAge < 0 {
			delete(br.cookies, cookie.Name)
			continue
		}
		br.cookies[cookie.Name] = cookie
	}
	return got
}

func (br *browser) signIn() string {
	br.Helper()
	var session struct {
		Token string `json:"csrf_token"`
	}
	br.visit(http.MethodPost, "/v2/session", `{"token":"`+ownersToken+`"}`).want(http.StatusCreated, &session)
	return session.Token
}

func TestASessionStandsForTheToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser()
	br.visit(http.MethodGet, "/v2/agents", "").want(http.StatusUnauthorized)
	csrf := br.signIn()
	br.visit(http.MethodGet, "/v2/agents", "").want(http.StatusOK)

	create := `{"definition":` + helper + `}`
	br.visit(http.MethodPost, "/v2/agents", create).problem(http.StatusForbidden, codeCSRF)
	br.visit(http.MethodPost, "/v2/agents", create, "X-CSRF-Token", "wrong").problem(http.StatusForbidden, codeCSRF)
	br.visit(http.MethodPost, "/v2/agents", create, "X-CSRF-Token", csrf).want(http.StatusCreated)

	var source struct {
		Source string `json:"source"`
	}
	br.visit(http.MethodPost, "/v2/agents/helper/runs", `{"input":{"content":"hi"}}`, "X-CSRF-Token", csrf).
		want(http.StatusCreated, &source)
	if source.Source != "console" {
		t.Errorf("source %q", source.Source)
	}
}

func TestSessionCookiesSayWhatABrowserMayDo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser()
	csrf := br.signIn()
	if len(br.cookies) != 2 {
		t.Fatalf("cookies %v", br.cookies)
	}
	for name, cookie := range br.cookies {
		hidden := strings.HasPrefix(name, "agentrun_session_")
		if cookie.HttpOnly != hidden || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" ||
			cookie.MaxAge != 12*60*60 {
			t.Errorf("%v", cookie)
		}
		if !hidden && cookie.Value != csrf {
			t.Errorf("csrf cookie %q, answered %q", cookie.Value, csrf)
		}
	}
	other := setup(t, func(o *Options) { o.Token = ownersToken + "-other" })
	if other.server.sessions.cookie == b.server.sessions.cookie {
		t.Error("two servers of one host share a cookie")
	}
}

func TestSessionIsShownAndEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	br := b.browser()
	br.visit(http.MethodGet, "/v2/session", "").problem(http.StatusUnauthorized, codeUnauthenticated)
	csrf := br.signIn()
	var session struct {
		Token   string    `json:"csrf_token"`
		Expires time.Time `json:"expires_at"`
	}
	br.visit(http.MethodGet, "/v2/session", "").want(http.StatusOK, &session)
	if left := time.Until(session.Expires); session.Token != csrf || left < 11*time.Hour || left > 12*time.Hour {
		t.Errorf("session %+v", session)
	}
	kept := *br
	kept.cookies = map[string]*http.Cookie{}
	maps.Copy(kept.cookies, br.cookies)
	br.visit(http.MethodDelete, "/v2/session", "").problem(http.StatusForbidden, codeCSRF)
	br.visit(http.MethodDelete, "/v2/session", "", "X-CSRF-Token", csrf).want(http.StatusNoContent)
	if len(br.cookies) != 0 {
		t.Errorf("cookies left: %v", br.cookies)
	}
	kept.visit(http.MethodGet, "/v2/agents", "").problem(http.StatusUnauthorized, codeUnauthenticated)
}

func TestSessionsEnd(t *testing.T) {
	t.Parallel()
	now := time.Now()
	held := newSessions(ownersToken, func() time.Time { return now })
	request := func(cookies []*http.Cookie) *http.Request {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		for _, cookie := range cookies {
			r.AddCookie(cookie)
		}
		return r
	}
	_, first := held.begin(request(nil))
	now = now.Add(sessionLife - time.Second)
	if _, ok := held.find(request(first)); !ok {
		t.Error("ended early")
	}
	now = now.Add(time.Second)
	if _, ok := held.find(request(first)); ok {
		t.Error("did not end")
	}
	for range maxSessions + 10 {
		now = now.Add(time.Second)
		held.begin(request(nil))
	}
	if len(held.held) != maxSessions {
		t.Errorf("%d sessions are held", len(held.held))
	}
}

func TestWrongSignInsAreLimited(t *testing.T) {
	t.Parallel()
	now := time.Now()
	b := setup(t, func(o *Options) { o.Now = func() time.Time { return now } })
	for range maxFailures {
		b.send(http.MethodPost, "/v2/session", `{"token":"wrong-and-secret"}`).
			problem(http.StatusUnauthorized, codeUnauthenticated)
	}
	right := `{"token":"` + ownersToken + `"}`
	got := b.send(http.MethodPost, "/v2/session", right)
	got.problem(http.StatusTooManyRequests, codeRateLimited)
	if got.header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
	}
	b.get("/?token=" + ownersToken).want(http.StatusTooManyRequests)
	b.get("/v2/agents").want(http.StatusOK) // the token itself is not slowed down
	now = now.Add(failureWindow)
	b.send(http.MethodPost, "/v2/session", right).want(http.StatusCreated)
	if log := b.log.String(); strings.Contains(log, "wrong-and-secret") {
		t.Error("the log has what was given")
	}
}

func TestAttemptsForgetOldAddressesAndStayBounded(t *testing.T) {
	t.Parallel()
	now := time.Now()
	a := newAttempts(func() time.Time { return now })
	for i := range maxAddresses {
		a.failed(strconv.Itoa(i))
	}
	now = now.Add(failureWindow)
	a.failed("late")
	if len(a.known) != 1 {
		t.Errorf("%d addresses", len(a.known))
	}
	for i := range maxAddresses * 2 {
		a.failed(strconv.Itoa(i))
	}
	if len(a.known) > maxAddresses {
		t.Errorf("%d addresses", len(a.known))
	}
}

func TestTheLinkWithTheTokenSignsInAndLosesIt(t *testing.T) {
	t.Parallel()
	b := setup(t, withUI)
	br := b.browser()
	got := br.visit(http.MethodGet, "/?token="+url.QueryEscape(ownersToken), "").want(http.StatusSeeOther)
	if to := got.header.Get("Location"); to != "/temporal/" {
		t.Errorf("Location %q", to)
	}
	if got.header.Get("Referrer-Policy") != "no-referrer" || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", got.header)
	}
	br.visit(http.MethodGet, "/temporal/", "").want(http.StatusOK)
	if to := br.visit(http.MethodGet, "/", "").want(http.StatusSeeOther).header.Get("Location"); to != "/temporal/" {
		t.Errorf("signed in, / leads to %q", to)
	}

	stranger := b.browser()
	if to := stranger.visit(http.MethodGet, "/", "").want(http.StatusSeeOther).header.Get("Location"); to != "/sign-in" {
		t.Errorf("a stranger is led to %q", to)
	}
	wrong := stranger.visit(http.MethodGet, "/?token=wrong", "").want(http.StatusUnauthorized)
	if len(stranger.cookies) > 0 || !strings.Contains(string(wrong.body), "<form") {
		t.Errorf("%v %s", stranger.cookies, wrong.body)
	}
}

func TestTheSignInPage(t *testing.T) {
	t.Parallel()
	b := setup(t, withUI)
	br := b.browser()
	page := br.visit(http.MethodGet, "/sign-in?next=/temporal/x%3Fa%3D1", "").want(http.StatusOK)
	if !strings.Contains(string(page.body), `value="/temporal/x?a=1"`) {
		t.Errorf("%s", page.body)
	}
	if csp := page.header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'self';") {
		t.Errorf("policy %q", csp)
	}
	form := func(token, next string) string { return url.Values{"token": {token}, "next": {next}}.Encode() }
	const media = "application/x-www-form-urlencoded"
	wrong := br.visit(http.MethodPost, "/sign-in", form("wrong", "/temporal/x"), "Content-Type", media)
	if wrong.want(http.StatusUnauthorized); !strings.Contains(string(wrong.body), `role="alert"`) {
		t.Errorf("%s", wrong.body)
	}
	br.visit(http.MethodPost, "/sign-in", form(ownersToken, ""), "Content-Type", media, "Sec-Fetch-Site", "cross-site").
		problem(http.StatusForbidden, codeCSRF)
	got := br.visit(http.MethodPost, "/sign-in", form(ownersToken, "/temporal/x"), "Content-Type", media)
	if to := got.want(http.StatusSeeOther).header.Get("Location"); to != "/temporal/x" {
		t.Errorf("Location %q", to)
	}
	br.visit(http.MethodGet, "/v2/agents", "").want(http.StatusOK)
}

func TestSignInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "evil", "", "/a\r\nb",
	} {
		if got := localPath(path); got != "" {
			t.Errorf("%q leads to %q", path, got)
		}
	}
	for _, path := range []string{"/", "/temporal/a?b=c#d"} {
		if got := localPath(path); got != path {
			t.Errorf("%q leads to %q", path, got)
		}
	}
}

// withUI mounts a handler that says what it was given.
func withUI(o *Options) {
	o.Mounts = []Mount{{Prefix: "/temporal", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Method+" "+r.URL.Path+" auth="+r.Header.Get("Authorization")+" cookies="+r.Header.Get("Cookie"))
	})}}
}

func TestAMountIsBehindTheSignIn(t *testing.T) {
	t.Parallel()
	b := setup(t, withUI)
	b.get("/temporal/", "Authorization", "").problem(http.StatusUnauthorized, codeUnauthenticated)
	page := b.get("/temporal/ns?x=1", "Authorization", "", "Accept", "text/html,*/*").want(http.StatusUnauthorized)
	if !strings.Contains(string(page.body), `value="/temporal/ns?x=1"`) {
		t.Errorf("%s", page.body)
	}
	b.send(http.MethodPost, "/temporal/api", "{}", "Authorization", "", "Accept", "text/html").
		problem(http.StatusUnauthorized, codeUnauthenticated)

	got := string(b.get("/temporal/api/v1", "Cookie", "theirs=1").want(http.StatusOK).body)
	if got != "GET /temporal/api/v1 auth= cookies=theirs=1" {
		t.Errorf("mounted handler saw %q", got)
	}
	if to := b.get("/temporal").want(http.StatusTemporaryRedirect).header.Get("Location"); to != "/temporal/" {
		t.Errorf("Location %q", to)
	}
	br := b.browser()
	br.signIn()
	// The mounted UI has a forgery check of its own: its requests need not carry ours, and never see our cookies.
	if got := string(br.visit(http.MethodPost, "/temporal/api", "{}").want(http.StatusOK).body); got != "POST /temporal/api auth= cookies=" {
		t.Errorf("mounted handler saw %q", got)
	}
	if policy := b.get("/temporal/").header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'self'") {
		t.Errorf("policy %q", policy)
	}
}
