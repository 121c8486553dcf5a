package faux

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func serveHandler(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	gateway, err := New(Default(), Options{MaxBody: 1000})
	if err != nil {
		t.Fatal(err)
	}
	const question = `{"model":"faux-1","messages":[{"role":"user","content":"What is six times seven?"}]}`
	for _, test := range []struct {
		method, path, body, header string
		status                     int
		contains                   string
	}{
		{"POST", "/v1/chat/completions", question, "", 200, "The answer is 42."},
		{"POST", "/chat/completions", question, "", 200, "The answer is 42."},
		{"POST", "/v1/messages?beta=true", question, "", 200, "The answer is 42."},
		{"POST", "/v1/messages/count_tokens", question, "", 200, `{"input_tokens":`},
		{"GET", "/v1/models", "", "", 200, `"id":"faux-1-chat"`},
		{"GET", "/v1/models/faux-1", "", "", 200, `{"id":"faux-1"`},
		{"GET", "/v1/models/faux/faux-1", "", "", 200, `{"id":"faux-1"`},
		{"GET", "/v1/models/none", "", "", 404, `"code":"model_not_found"`},
		{"GET", "/v1/models/none", "", "Anthropic-Version", 404, `{"type":"error"`},
		{"GET", "/", "", "", 200, "/faux/requests"},
		{"HEAD", "/", "", "", 200, ""},
		{"GET", "/faux/requests", "", "", 200, `"repeated":[{`},
		{"GET", "/nothing", "", "", 404, "the gateway has no /nothing"},
		{"GET", "/v1/models/", "", "", 404, "the gateway has no"},
		{"GET", "/v1/responses", "", "", 405, "method"},
		{"POST", "/v1/models", "", "", 405, "method"},
		{"GET", "/faux/reset", "", "", 405, "method"},
		{"POST", "/v1/responses", "{", "", 400, "not valid JSON"},
		{"POST", "/v1/messages", "{", "", 400, `{"type":"error","error":{"type":"invalid_request_error"`},
		{"POST", "/v1/messages/count_tokens", "{", "", 400, "not valid JSON"},
		{"POST", "/v1/responses", strings.Repeat("a", 1001), "", 413, "larger than 1000 bytes"},
		{"POST", "/v1/messages", strings.Repeat("a", 1001), "", 413, `"type":"request_too_large"`},
		{"POST", "/v1/messages/count_tokens", strings.Repeat("a", 1001), "", 413, "larger than 1000 bytes"},
		{"POST", "/v1/responses", question, "Content-Encoding", 415, "send it plain"},
		{"POST", "/faux/reset", "", "", 204, ""},
	} {
		request := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		if test.header != "" {
			request.Header.Set(test.header, "gzip")
		}
		answer := httptest.NewRecorder()
		gateway.ServeHTTP(answer, request)
		if answer.Code != test.status || !strings.Contains(answer.Body.String(), test.contains) {
			t.Errorf("%s %s gives %d %s", test.method, test.path, answer.Code, answer.Body)
		}
		if answer.Code == http.StatusMethodNotAllowed && answer.Header().Get("Allow") == "" {
			t.Errorf("%s %s does not say what is allowed", test.method, test.path)
		}
	}
}

func TestRequiredKey(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{RequireKey: "any"})
	client := server.openAI()
	if _, err := client.Responses.New(t.Context(), asText("text")); err != nil {
		t.Errorf("the right bearer token: %v", err)
	}
	other := server.anthropic()
	if _, err := other.Messages.New(t.Context(), messageOf("text")); err != nil {
		t.Errorf("the right x-api-key: %v", err)
	}
	for path, want := range map[string]string{
		"/v1/responses": `"code":"invalid_api_key"`, "/v1/messages": `"type":"authentication_error"`, "/faux/reset": "invalid_api_key",
	} {
		if status, answer := server.post(t, path, `{}`); status != http.StatusUnauthorized || !strings.Contains(answer, want) {
			t.Errorf("%s without a key gives %d %s", path, status, answer)
		}
	}
	if got := len(server.Requests()); got != 2 {
		t.Errorf("%d requests are recorded, want 2", got)
	}
}

func TestStrictModels(t *testing.T) {
	t.Parallel()
	server := setup(t, `{strict_models: true, models: [{id: m}], rules: [{reply: {text: "{{model}}"}}]}`, Options{})
	for body, want := range map[string]string{
		`{"model":"m","input":"a"}`: "m", `{"model":"faux/m","input":"a"}`: "faux/m", `{"model":"n","input":"a"}`: "model_not_found",
	} {
		if got := server.askBody(t, body); got != want {
			t.Errorf("%s gives %q, want %q", body, got, want)
		}
	}
}

func TestListedRequests(t *testing.T) {
	t.Parallel()
	server := setup(t, everyKind, Options{})
	for range 2 {
		server.askBody(t, `{"model":"m","input":"text","prompt_cache_key":"one"}`)
	}
	server.askBody(t, `{"model":"m","input":"busy","prompt_cache_key":"two"}`)
	server.await(t, ended(3))
	list := func(query string) listing {
		response, err := http.Get(server.url + "/faux/requests" + query)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var got listing
		if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	all := list("")
	if all.Total != 3 || len(all.Requests) != 3 || len(all.Repeated) != 1 {
		t.Fatalf("the listing is %+v", all)
	}
	if diff := cmp.Diff([]int64{1, 2}, all.Repeated[0].Requests); diff != "" {
		t.Errorf("repeated (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int64{"text": 2, "busy": 1}, all.ByRule); diff != "" {
		t.Errorf("by rule (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[Outcome]int64{Completed: 2, Refused: 1}, all.ByOutcome); diff != "" {
		t.Errorf("by outcome (-want +got):\n%s", diff)
	}
	first := all.Requests[0]
	if first.User != "text" || first.Model != "m" || first.Protocol != Responses || first.Attempt != 1 || first.Status != 200 || first.Usage.Output != 7 {
		t.Errorf("the first record is %+v", first)
	}
	if got := list("?conversation=two"); len(got.Requests) != 1 || len(got.Repeated) != 0 {
		t.Errorf("of one conversation: %+v", got)
	}
	if got := list("?rule=text"); len(got.Requests) != 2 {
		t.Errorf("of one rule: %+v", got)
	}
	if status, _ := server.post(t, "/faux/reset", ""); status != http.StatusNoContent || len(server.Requests()) != 0 {
		t.Errorf("the reset gives %d, and leaves %d requests", status, len(server.Requests()))
	}
}

func TestLogHasALineForEachRequest(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	server := setup(t, everyKind, Options{Log: &log, Now: func() time.Time { return at }})
	server.ask(t, "text")
	server.ask(t, "nobody\nknows")
	server.await(t, ended(2))
	log.mu.Lock()
	defer log.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || lines[0] != `#1 responses m turn 0 attempt 1 rule "text": completed 200 in 0.0 ms, user "text"` ||
		!strings.Contains(lines[1], `error 400 in 0.0 ms, user "nobody\nknows", error "no rule`) {
		t.Errorf("the log is %q", lines)
	}
	if got := server.Requests()[0].At; !got.Equal(at) {
		t.Errorf("the request came at %v", got)
	}
}

// lockedBuffer is a buffer that a test reads while a server may write.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(data)
}
