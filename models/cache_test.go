package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestRequestsOnlyGrow is what a provider's prompt cache needs: as a conversation goes on, all that was sent before is
// sent again, byte for byte and in the same order, and only then what is new.
func TestRequestsOnlyGrow(t *testing.T) {
	t.Parallel()
	marks := []byte(`,"cache_control":{"type":"ephemeral"}`)
	for api, encode := range encoders {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				r := conversation(api)
				r.Messages = nil
				var before []byte
				for turn := range rapid.IntRange(2, 6).Draw(t, "turns") {
					r.Messages = append(r.Messages, drawTurn(t, api, turn)...)
					r.MaxOutput = rapid.Int64Range(1, 100000).Draw(t, "ceiling")
					// The marks say where to keep a cache and are no part of the prompt.
					body := bytes.ReplaceAll(encode(r), marks, nil)
					if !bytes.HasPrefix(body, before) {
						t.Fatalf("request %d does not begin with the one before it:\n%s\n%s", turn, before, body)
					}
					before = prompt(t, body)
				}
			})
		})
	}
}

// prompt is the body up to the end of its last message: without the ceiling and the brackets that close it.
func prompt(t *rapid.T, body []byte) []byte {
	end := bytes.LastIndex(body, []byte(`,"max_`))
	if end < 0 {
		t.Fatalf("no ceiling in %s", body)
	}
	return bytes.TrimRight(body[:end], "]}")
}

func drawTurn(t *rapid.T, api string, turn int) []Message {
	messages := []Message{{Role: RoleUser, Text: "x" + rapid.String().Draw(t, "question")}}
	if rapid.Bool().Draw(t, "tools") {
		id := fmt.Sprintf("call_%d", turn)
		said := Message{Role: RoleAssistant, Text: rapid.String().Draw(t, "said"), Calls: []Call{
			{ID: id, Name: "read", Args: json.RawMessage(`{"path":"a"}`)},
		}}
		if rapid.Bool().Draw(t, "native") {
			said.NativeAPI = api
			said.Native = map[string]json.RawMessage{
				APIResponses: json.RawMessage(`[{"type":"reasoning","encrypted_content":"gAAA"},{"type":"function_call","call_id":"` + id + `","name":"read","arguments":"{}"}]`),
				APIMessages:  json.RawMessage(`[{"type":"thinking","thinking":"","signature":"Eq"},{"type":"tool_use","id":"` + id + `","name":"read","input":{}}]`),
				APIChat:      json.RawMessage(`{"role":"assistant","content":null,"reasoning_content":"so","tool_calls":[]}`),
			}[api]
		}
		messages = append(messages, said, Message{Role: RoleTool, CallID: id, Text: rapid.String().Draw(t, "result")})
	}
	return append(messages, Message{Role: RoleAssistant, Text: "x" + rapid.String().Draw(t, "answer")})
}

// TestMessagesBreakpoints: the system prompt, and the ends of the last two user turns, at most four in all.
func TestMessagesBreakpoints(t *testing.T) {
	t.Parallel()
	mark := []byte(`"cache_control"`)
	for name, test := range map[string]struct {
		change func(*Request)
		want   int
	}{
		"system and two turns":       {func(*Request) {}, 3},
		"no system: the last tool":   {func(r *Request) { r.Instructions = "" }, 3},
		"no system and no tools":     {func(r *Request) { r.Instructions, r.Tools = "", nil }, 2},
		"the first turn":             {func(r *Request) { r.Messages = r.Messages[:1] }, 2},
		"the last turn is a result":  {func(r *Request) { r.Messages = r.Messages[:4] }, 3},
		"the assistant spoke last":   {func(r *Request) { r.Messages = r.Messages[:2] }, 2},
		"nothing said at all, ever!": {func(r *Request) { r.Messages = nil }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := conversation(APIMessages)
			test.change(&r)
			if got := bytes.Count(encodeMessages(r), mark); got != test.want {
				t.Errorf("%d breakpoints, want %d", got, test.want)
			}
		})
	}
}
