package faux

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFaultsAnywhere: wherever a fault comes, what went out before it is a prefix of the whole answer, of the length the
// fault asks for, and what comes after is what its kind says.
func TestFaultsAnywhere(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"/v1/responses":        `{"model":"m","input":"a","stream":true}`,
		"/v1/chat/completions": `{"model":"m","messages":[{"role":"user","content":"a"}],"stream":true}`,
		"/v1/messages":         `{"model":"m","messages":[{"role":"user","content":"a"}],"stream":true}`,
	}
	at := fixedClock(t)
	rapid.Check(t, func(t *rapid.T) {
		path := rapid.SampledFrom([]string{"/v1/responses", "/v1/chat/completions", "/v1/messages"}).Draw(t, "path")
		body := bodies[path]
		if rapid.Bool().Draw(t, "whole") {
			body = strings.Replace(body, `,"stream":true`, "", 1)
		}
		reply := Reply{Text: "The answer is 42.", Chunks: 3, ToolCalls: []ToolCall{{Name: "write"}}}
		whole, _ := record(t, reply, path, body, at)

		reply.Fault = drawFault(t)
		got, aborted := record(t, reply, path, body, at)
		cutAt := commonPrefix(whole, got)
		events := strings.Count(got[:cutAt], "\n\n")
		switch fault := reply.Fault; fault.Kind {
		case FaultCut, FaultEnd:
			if cutAt != len(got) || aborted != (fault.Kind == FaultCut) {
				t.Fatalf("%s: %q is no prefix of %q, or aborted is %v", fault.Kind, got, whole, aborted)
			}
			if fault.AfterBytes != nil && len(got) != min(*fault.AfterBytes, len(whole)) {
				t.Fatalf("%d bytes went out, want %d of %d", len(got), *fault.AfterBytes, len(whole))
			}
			if fault.AfterEvents != nil && strings.Contains(body, "stream") && events != min(*fault.AfterEvents, strings.Count(whole, "\n\n")) {
				t.Fatalf("%d events went out, want %d", events, *fault.AfterEvents)
			}
		case FaultGarbage:
			if strings.Replace(got, garbage, "", 1) != whole {
				t.Fatalf("garbage: %q", got)
			}
		case FaultError:
			if strings.Contains(body, "stream") && !strings.Contains(got, "The model fell over.") {
				t.Fatalf("error: %q", got)
			}
		}
	})
}

func drawFault(t *rapid.T) *Fault {
	fault := &Fault{Kind: rapid.SampledFrom([]string{FaultCut, FaultEnd, FaultGarbage, FaultError}).Draw(t, "kind")}
	own := fault.Kind == FaultGarbage || fault.Kind == FaultError
	n := rapid.IntRange(0, 5000).Draw(t, "n")
	switch rapid.IntRange(0, 2).Draw(t, "place") {
	case 0:
		n %= 20
		fault.AfterEvents = &n
		fault.MidEvent = !own && rapid.Bool().Draw(t, "mid event")
	case 1:
		if !own {
			fault.AfterBytes = &n
		}
	}
	return fault
}

// record answers one request and tells what went out, and whether the connection was to be closed.
func record(t *rapid.T, reply Reply, path, body string, options Options) (got string, aborted bool) {
	if reply.Fault != nil && reply.Fault.Kind == FaultError {
		reply.Error = &ErrorBody{Message: "The model fell over."}
	}
	gateway, err := New(Script{Rules: []Rule{{Reply: &reply}}}, options)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	defer func() {
		switch cause := recover(); cause {
		case nil:
		case http.ErrAbortHandler:
			got, aborted = answer.Body.String(), true
		default:
			panic(cause)
		}
	}()
	gateway.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return answer.Body.String(), false
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
