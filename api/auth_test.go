package api

import (
	"net/http"
	"strings"
	"testing"
)

func TestEverythingButTheOpenRoutesNeedsTheToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/v2/health", "/v2/capabilities", "/v2/openapi.json"} {
		b.get(path, "Authorization", "").want(http.StatusOK)
	}
	for _, path := range []string{
		"/v2/agents", "/v2/agents/a", "/v2/runs", "/v2/runs/r/timeline", "/v2/runs/r/files/a", "/v2/nothing", "/other",
	} {
		got := b.get(path, "Authorization", "")
		got.problem(http.StatusUnauthorized, codeUnauthenticated)
		if got.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%s: no WWW-Authenticate", path)
		}
	}
	b.send(http.MethodDelete, "/v2/agents", "", "Authorization", "").
		problem(http.StatusUnauthorized, codeUnauthenticated)
}

func TestAuthFailuresAreLoggedWithTheirReasonAndWithoutTheToken(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ header, reason string }{
		"no header":          {"", "missing"},
		"no token":           {"Bearer ", "malformed"},
		"another scheme":     {"Basic dXNlcjpwYXNz", "malformed"},
		"the token alone":    {ownersToken, "malformed"},
		"a wrong token":      {"Bearer ar_local_wrong_but_secret_too", "wrong"},
		"the token and more": {"Bearer " + ownersToken + "x", "wrong"},
		"the token, shorter": {"Bearer " + ownersToken[:len(ownersToken)-1], "wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			got := b.get("/v2/agents", "Authorization", test.header).
				problem(http.StatusUnauthorized, codeUnauthenticated)
			if got.Details["reason"] != test.reason {
				t.Errorf("details %v", got.Details)
			}
			log := b.log.String()
			if !strings.Contains(log, "event=auth_failed reason="+test.reason) {
				t.Errorf("log: %s", log)
			}
			if _, token, _ := strings.Cut(test.header, " "); token != "" && strings.Contains(log, token) {
				t.Error("the log has the token")
			}
		})
	}
}

func TestTheSchemeIsReadWithoutRegardToCase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.get("/v2/agents", "Authorization", "bearer "+ownersToken).want(http.StatusOK)
}

func TestOnALoopbackAddressOnlyItsOwnNamesAreServed(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Hosts = []string{"https://Runs.example.org/", "Box.local:8080"} })
	for _, host := range []string{
		"localhost", "localhost:1234", "LOCALHOST", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:80", "runs.example.org",
		"runs.example.org:443", "box.local",
	} {
		b.get("/v2/agents", "Host", host).want(http.StatusOK)
	}
	for _, host := range []string{
		"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.2", "0.0.0.0", "[::2]", "example.org",
	} {
		b.get("/v2/agents", "Host", host).problem(http.StatusForbidden, codeHostNotAllowed)
		b.get("/v2/health", "Host", host, "Authorization", "").problem(http.StatusForbidden, codeHostNotAllowed)
		b.get("/v2/agents", "Host", host, "Authorization", "").problem(http.StatusForbidden, codeHostNotAllowed)
	}
}

func TestOnAnotherAddressEveryHostIsServed(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Loopback = false })
	b.get("/v2/agents", "Host", "anything.example").want(http.StatusOK)
}

func TestNewRefusesAServerWithoutItsParts(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{Token: ownersToken}); err == nil {
		t.Error("a server without a store")
	}
	var whole Options
	setup(t, func(o *Options) { whole = *o })
	short := whole
	short.Token = "short"
	if _, err := New(short); err == nil {
		t.Error("a server with a token that can be guessed")
	}
	for _, prefix := range []string{"temporal", "/temporal/", "/v2", ""} {
		odd := whole
		odd.Mounts = []Mount{{Prefix: prefix, Handler: http.NotFoundHandler()}}
		if _, err := New(odd); err == nil {
			t.Errorf("mounted at %q", prefix)
		}
	}
}
