package client

import (
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestAProblemIsReadWhole(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json; charset=utf-8")
		w.Header().Set("X-Request-Id", "req-7")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_, _ = io.WriteString(w, `{"title":"Unprocessable","status":422,"detail":"the definition has faults",
			"code":"invalid_request","details":{"count":1},
			"errors":[{"path":"definition.tools[0]","code":"unknown_tool","message":"there is no tool bash"}]}`)
	})
	_, err := c.CreateAgent(t.Context(), run.Definition{ID: "a"})
	var got *Problem
	if !errors.As(err, &got) {
		t.Fatalf("error %v", err)
	}
	want := &Problem{
		Status: 422, Title: "Unprocessable", Detail: "the definition has faults", Code: run.ErrInvalid,
		Details:   map[string]any{"count": 1.0},
		Errors:    []run.Issue{{Path: "definition.tools[0]", Code: "unknown_tool", Message: "there is no tool bash"}},
		RequestID: "req-7",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := err.Error(); got != "the definition has faults (invalid_request)" {
		t.Errorf("text %q", got)
	}
	if !errors.Is(err, &run.Error{Code: run.ErrInvalid}) || run.CodeOf(err) != run.ErrInvalid {
		t.Error("the problem is not a run.Error of its code")
	}
}

func TestAnErrorThatIsNoProblemKeepsItsStatus(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind, body, want string
	}{
		"a proxy's page":     {"text/html", "<h1>Bad gateway</h1>", "the server answered bad gateway (HTTP 502)"},
		"nothing at all":     {"", "", "the server answered bad gateway (HTTP 502)"},
		"broken JSON":        {"application/problem+json", `{"detail":`, "the server answered bad gateway (HTTP 502)"},
		"a title and a code": {"application/problem+json", `{"title":"Gone","code":"gone"}`, "Gone (gone)"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.kind)
				w.WriteHeader(http.StatusBadGateway)
				_, _ = io.WriteString(w, tc.body)
			})
			_, err := c.Run(t.Context(), "run_1")
			if err == nil || err.Error() != tc.want {
				t.Errorf("error %v, want %s", err, tc.want)
			}
		})
	}
}

func TestRetryAfterIsRead(t *testing.T) {
	t.Parallel()
	res := &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {"7"}}, Body: http.NoBody}
	if got := readProblem(res).RetryAfter; got != 7*time.Second {
		t.Errorf("retry after %v", got)
	}
	res.Header.Set("Retry-After", "soon")
	if got := readProblem(res).RetryAfter; got != 0 {
		t.Errorf("retry after %v", got)
	}
}
