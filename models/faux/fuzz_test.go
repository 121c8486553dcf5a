package faux

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// FuzzScript: no text crashes the decoder; what it refuses it refuses as a script, with issues; what it takes makes a
// gateway, and is the same script when it is written and read again.
func FuzzScript(f *testing.F) {
	for _, name := range Builtins() {
		text, err := BuiltinText(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{
		everyKind, `{"rules":[{"reply":{"text":"{{user}}"}}]}`, "? [a]\n: b", "a: &x [*x]", "{[}", "- - - -", "\"\\", "a: |\n b", "<<: {a: b}", "!!binary x",
		"rules:\n- reply: {text: !!str 1}\n", "%YAML 1.2\n---\nrules: []", "rules: [{reply: {fault: {kind: cut}}}]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		script, err := Parse(data)
		if err != nil {
			if run.CodeOf(err) != ErrScript {
				t.Fatalf("the error is %v", err)
			}
			return
		}
		if _, err := New(script, Options{}); err != nil {
			t.Fatalf("a script that was taken makes no gateway: %v", err)
		}
		text, err := json.Marshal(script)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Parse(text); err != nil {
			t.Fatalf("%s is refused: %v", text, err)
		}
	})
}

func fuzzRequests(f *testing.F, protocol Protocol, path string) {
	f.Helper()
	for _, body := range []string{responsesBody, chatBody, messagesBody} {
		f.Add(body)
	}
	f.Add(`{"model":"m","input":"What is six times seven?","stream":true}`)
	f.Add(`{"model":"m","messages":[{"role":"user","content":"Write two files."}],"stream":true}`)
	f.Add(`{"model":"\ud800","input":[{"role":"user","content":[null,1,"a",{"text":{}}]}],"tools":{"a":1}}`)
	f.Add(`[[[[`)
	gateway, err := New(Script{Rules: []Rule{{Reply: &Reply{
		Text: "{{user}}|{{tool_result}}|{{model}}", Reasoning: "{{first_user}}", Chunks: 3, ToolCalls: []ToolCall{{Name: "write"}},
	}}}}, Options{Keep: 10})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		talk, bad := read(protocol, body)
		if bad == nil && (talk.turn < talk.step || talk.step < 0 || len(talk.digest) != 64) {
			t.Fatalf("the conversation is %+v", talk)
		}
		answer := httptest.NewRecorder()
		gateway.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
		want := http.StatusOK
		if bad != nil {
			want = http.StatusBadRequest
		}
		if answer.Code != want {
			t.Fatalf("the answer is %d %s, want %d", answer.Code, answer.Body, want)
		}
		for event := range strings.SplitSeq(strings.TrimSpace(answer.Body.String()), "\n\n") {
			if answer.Header().Get("Content-Type") == typeStream {
				_, event, _ = strings.Cut(event, "data: ")
			}
			if event != "[DONE]" && !json.Valid([]byte(event)) {
				t.Fatalf("the answer holds %q", event)
			}
		}
	})
}

func FuzzResponsesRequest(f *testing.F) { fuzzRequests(f, Responses, "/v1/responses") }
func FuzzChatRequest(f *testing.F)      { fuzzRequests(f, Chat, "/v1/chat/completions") }
func FuzzMessagesRequest(f *testing.F)  { fuzzRequests(f, Messages, "/v1/messages") }
