package models

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReplay asks, takes the answer and asks on: what the provider said goes back to it as it was.
func TestReplay(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		api, stream, field string
		// want is what the answer became in the next request, at index at.
		at   int
		want string
	}{
		"responses: encrypted reasoning, ids left out": {
			api: APIResponses, field: "input", at: 1,
			stream: sse(t, `{"type":"response.completed","response":{"status":"completed","output":[
				{"id":"rs_1","type":"reasoning","status":null,"summary":[],"encrypted_content":"gAAAAABo"},
				{"id":"rs_2","type":"reasoning","summary":[],"encrypted_content":null},
				{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"path\": \"a\"}","call_id":"call_1","name":"read"}]}}`),
			want: `[
				{"type":"reasoning","summary":[],"encrypted_content":"gAAAAABo"},
				{"type":"function_call","status":"completed","arguments":"{\"path\": \"a\"}","call_id":"call_1","name":"read"}]`,
		},
		"responses: reasoning that led to nothing stays out": {
			api: APIResponses, field: "input", at: 1,
			stream: sse(t, `{"type":"response.incomplete","response":{"status":"incomplete","output":[
				{"id":"msg_1","type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look."}]},
				{"id":"rs_1","type":"reasoning","summary":[],"encrypted_content":"gAAAAABo"}]}}`),
			want: `[{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look."}]}]`,
		},
		"messages: signed and redacted thinking": {
			api: APIMessages, field: "messages", at: 1,
			stream: sse(t,
				`{"type":"message_start","message":{"usage":{}}}`,
				`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
				`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB"}}`,
				`{"type":"content_block_stop","index":0}`,
				`{"type":"content_block_start","index":1,"content_block":{"type":"redacted_thinking","data":"EmwKAhgB"}}`,
				`{"type":"content_block_stop","index":1}`,
				`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":" "}}`,
				`{"type":"content_block_stop","index":2}`,
				`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"call_1","name":"read","input":{"path":"a"}}}`,
				`{"type":"content_block_stop","index":3}`,
				`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"call_2","name":"read","input":{}}}`,
				`{"type":"content_block_delta","index":4,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"b"}}`,
				`{"type":"content_block_stop","index":4}`,
				`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`, `{"type":"message_stop"}`),
			want: `[{"role":"assistant","content":[
				{"type":"thinking","thinking":"","signature":"EqQB"},
				{"type":"redacted_thinking","data":"EmwKAhgB"},
				{"type":"tool_use","id":"call_1","name":"read","input":{"path":"a"}},
				{"type":"tool_use","id":"call_2","name":"read","input":{"INVALID_JSON":"{\"path\": \"b"}}]}]`,
		},
		"chat: the reasoning that led to calls, and what hangs on a call": {
			api: APIChat, field: "messages", at: 2,
			stream: sse(t,
				`{"choices":[{"index":0,"delta":{"reasoning_content":"I must "}}]}`,
				`{"choices":[{"index":0,"delta":{"reasoning_content":"look."}}]}`,
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"CtMB"}}}]},"finish_reason":"tool_calls"}]}`),
			want: `[{"role":"assistant","content":null,"reasoning_content":"I must look.","tool_calls":[
				{"id":"call_1","type":"function","function":{"name":"read","arguments":"{}"},"extra_content":{"google":{"thought_signature":"CtMB"}}}]}]`,
		},
		"chat: reasoning that led to an answer stays out": {
			api: APIChat, field: "messages", at: 2,
			stream: sse(t, `{"choices":[{"index":0,"delta":{"reasoning_content":"Easy.","content":"42"},"finish_reason":"stop"}]}`),
			want:   `[{"role":"assistant","content":"42"}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(test.stream))
			client := New(Options{})
			r := p.asking(test.api)
			answer, err := client.Do(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			<-p.requests
			r.Messages = append(r.Messages, Message{
				Role: RoleAssistant, Text: answer.Text, Calls: answer.Calls, Native: answer.Native, NativeAPI: test.api,
			}, Message{Role: RoleUser, Text: "Go on."})
			if _, err := client.Do(t.Context(), r, nil); err != nil {
				t.Fatal(err)
			}
			var want []any
			if err := json.Unmarshal([]byte(test.want), &want); err != nil {
				t.Fatal(err)
			}
			sent := p.got(t)[test.field].([]any)
			if diff := cmp.Diff(want, sent[test.at:len(sent)-1]); diff != "" {
				t.Errorf("the answer, sent back (-want +got):\n%s", diff)
			}
		})
	}
}

// TestReplayToAnotherProtocol makes the message again from what it says: no protocol takes another's items.
func TestReplayToAnotherProtocol(t *testing.T) {
	t.Parallel()
	for api, encode := range encoders {
		for from := range encoders {
			if from == api {
				continue
			}
			t.Run(from+" to "+api, func(t *testing.T) {
				t.Parallel()
				plain := conversation(api)
				foreign := conversation(api)
				foreign.Messages[1].Native = json.RawMessage(`[{"type":"reasoning","encrypted_content":"gAAA"}]`)
				foreign.Messages[1].NativeAPI = from
				if diff := cmp.Diff(string(encode(plain)), string(encode(foreign))); diff != "" {
					t.Errorf("(-plain +foreign):\n%s", diff)
				}
			})
		}
	}
}
