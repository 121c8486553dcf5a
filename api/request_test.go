package api

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/agentrun/agentrun/run"
)

func TestRequestIDIsEchoedOrMade(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if got := b.get("/v2/health", "X-Request-Id", "from-me.1").header.Get("X-Request-Id"); got != "from-me.1" {
		t.Errorf("echoed %q", got)
	}
	for _, odd := range []string{"", "with space", "x\"y", strings.Repeat("x", 200)} {
		got := b.get("/v2/health", "X-Request-Id", odd).header.Get("X-Request-Id")
		if len(got) != 24 || got == odd {
			t.Errorf("for %q: %q", odd, got)
		}
	}
	if got := b.get("/v2/nothing").header.Get("X-Request-Id"); got == "" {
		t.Error("an error has no request id")
	}
}

func TestAnswersAreNotKeptByCachesNorGuessedAt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/v2/health", "/v2/agents", "/v2/agents/nobody"} {
		got := b.get(path)
		if cache := got.header.Get("Cache-Control"); !strings.Contains(cache, "no-cache") {
			t.Errorf("%s: Cache-Control %q", path, cache)
		}
		if got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %v", path, got.header)
		}
	}
}

func TestAccessLogHasNoQuery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.get("/?token=" + ownersToken)
	log := b.log.String()
	if !strings.Contains(log, "event=request method=GET path=/ status=303") {
		t.Errorf("log: %s", log)
	}
	if strings.Contains(log, ownersToken) {
		t.Error("the log has the token")
	}
}

func TestAPanicIsA500ThatTellsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.server.router.GET("/v2/panic", func(*gin.Context) { panic("the secret place") })
	got := b.get("/v2/panic")
	got.problem(http.StatusInternalServerError, codeInternal)
	if strings.Contains(string(got.body), "secret") {
		t.Errorf("body: %s", got.body)
	}
	if log := b.log.String(); !strings.Contains(log, "event=request_panicked") || !strings.Contains(log, "the secret place") {
		t.Errorf("log: %s", log)
	}
}

func TestAPanicAfterHalfAnAnswerBreaksTheConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.server.router.GET("/v2/half", func(c *gin.Context) {
		c.Writer.WriteString(`{"half":`)
		c.Writer.Flush()
		panic("no more")
	})
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, b.http.URL+"/v2/half", nil)
	req.Header.Set("Authorization", "Bearer "+ownersToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := res.Body.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if n, err := res.Body.Read(make([]byte, 100)); err == nil || err.Error() == "EOF" {
		t.Errorf("read %d, %v: the answer looks whole", n, err)
	}
}

func TestUnknownAddressesAndMethods(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/v2", "/v2/", "/v2/agents/", "/v2/nothing", "/v2/runs/x/unknown", "/v2/agents/a%00b", "/v2/agents/a%00b/runs", "/v2/nowhere"} {
		b.get(path).problem(http.StatusNotFound, run.ErrNotFound)
	}
	for path, allow := range map[string]string{
		"/v2/agents": "GET, POST", "/v2/health": "GET", "/v2/agents/a/definition": "PUT", "/v2/runs/r": "GET, PATCH",
		"/v2/openapi.json": "GET",
	} {
		got := b.send(http.MethodDelete, path, "")
		got.problem(http.StatusMethodNotAllowed, codeMethodNotAllowed)
		if given := got.header.Get("Allow"); given != allow {
			t.Errorf("%s: Allow %q, want %q", path, given, allow)
		}
	}
}

func TestHeadIsAGetWithoutItsBody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	for _, path := range []string{"/v2/health", "/v2/agents/helper", "/v2/runs/" + r.ID + "/timeline"} {
		got := b.send(http.MethodHead, path, "", "Accept", eventStream).want(http.StatusOK)
		if len(got.body) > 0 || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v %q", path, got.header, got.body)
		}
	}
}

func TestBodiesAreBoundedAndOfOneMediaType(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Limits.BodyBytes = 1000 })
	body := func(n int) string {
		text := `{"definition":{"id":"a","name":"A","instructions":"`
		return text + strings.Repeat("x", n-len(text)-3) + `"}}`
	}
	b.send(http.MethodPost, "/v2/agents", body(1000)).want(http.StatusCreated)
	got := b.send(http.MethodPost, "/v2/agents", body(1001)).problem(http.StatusRequestEntityTooLarge, run.ErrTooLarge)
	if got.Details["max_body_bytes"] != 1000.0 {
		t.Errorf("details %v", got.Details)
	}
	// A body that does not say its length is counted as it comes.
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, b.http.URL+"/v2/agents",
		struct{ *strings.Reader }{strings.NewReader(body(1001))})
	req.Header.Set("Authorization", "Bearer "+ownersToken)
	b.do(req).problem(http.StatusRequestEntityTooLarge, run.ErrTooLarge)

	for _, media := range []string{"text/plain", "application/x-www-form-urlencoded", "application/xml", "multipart/form-data"} {
		b.send(http.MethodPost, "/v2/agents", "x=1", "Content-Type", media).
			problem(http.StatusUnsupportedMediaType, codeMediaType)
	}
	for name, text := range map[string]string{
		"cut": `{"definition":`, "two": `{} {}`, "no JSON": `definition`, "text after": `{"definition":{}}x`,
		"too deep": strings.Repeat(`[`, 400) + strings.Repeat(`]`, 300),
	} {
		t.Run(name, func(t *testing.T) {
			b.send(http.MethodPost, "/v2/agents", text).problem(http.StatusBadRequest, codeMalformed)
		})
	}
	b.send(http.MethodPost, "/v2/agents", "").problem(http.StatusBadRequest, codeMalformed)
	b.send(http.MethodPost, "/v2/agents", "[]").problem(http.StatusUnprocessableEntity, run.ErrInvalid)
}

func TestListenerBoundsPeers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	server := Listener(b.server, b.server.log)
	for name, bound := range map[string]time.Duration{
		"header": server.ReadHeaderTimeout, "idle": server.IdleTimeout, "write": server.WriteTimeout,
	} {
		if bound <= 0 || bound > 5*time.Minute {
			t.Errorf("%s: %v", name, bound)
		}
	}
}
