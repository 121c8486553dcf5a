package models

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	for api, test := range map[string]struct {
		stream string
		want   Answer
		shown  Delta
	}{
		APIResponses: {
			stream: responsesAnswer(t),
			want: Answer{
				Text: "The answer is 42.", Stop: StopEnd, ServedModel: "gpt-5.6-luna-2026-06-01",
				Native: json.RawMessage(`[{"encrypted_content":"gAAAAABo","summary":[{"type":"summary_text","text":"Multiply."}],"type":"reasoning"},` +
					`{"content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"The answer is 42."}],"role":"assistant","status":"completed","type":"message"}]`),
				Usage: run.Usage{
					InputTokens: 75, CachedInputTokens: 32, CacheWriteTokens: 11, OutputTokens: 1186, ReasoningTokens: 1024, Requests: 1,
				},
			},
			shown: Delta{Text: "The answer is 42.", Reasoning: "Multiply."},
		},
		APIMessages: {
			stream: messagesAnswer(t),
			want: Answer{
				Text: "The answer is 42.", Stop: StopEnd, ServedModel: "claude-haiku-4-5-20251001",
				Native: json.RawMessage(`[{"type":"thinking","thinking":"Six times seven.","signature":"EqQBCgIYAhIM"},` +
					`{"type":"text","text":"The answer is 42."}]`),
				Usage: run.Usage{
					InputTokens: 1237, CachedInputTokens: 1024, CacheWriteTokens: 188, OutputTokens: 89, ReasoningTokens: 40, Requests: 1,
				},
			},
			shown: Delta{Text: "The answer is 42.", Reasoning: "Six times seven."},
		},
		APIChat: {
			stream: chatAnswer(t),
			want: Answer{
				Text: "The answer is 42.", Stop: StopEnd, ServedModel: "gpt-4.1-mini",
				Usage: run.Usage{InputTokens: 2006, CachedInputTokens: 1920, OutputTokens: 300, ReasoningTokens: 64, Requests: 1},
			},
			shown: Delta{Text: "The answer is 42."},
		},
	} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(test.stream))
			var shown Delta
			got, err := New(Options{}).Do(t.Context(), p.asking(api), func(d Delta) {
				shown.Text += d.Text
				shown.Reasoning += d.Reasoning
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.shown, shown); diff != "" {
				t.Errorf("deltas (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCalls is an answer with three calls: one as it should be, one without arguments, one whose arguments are no JSON.
func TestCalls(t *testing.T) {
	t.Parallel()
	want := []Call{
		{ID: "call_1", Name: "read", Args: json.RawMessage(`{"path":"a.txt"}`)},
		{ID: "call_2", Name: "list", Args: json.RawMessage(`{}`)},
		{ID: "call_3", Name: "read", Args: json.RawMessage(`"{\"path\": \"b"`)},
	}
	for name, test := range map[string]struct{ api, stream string }{
		"responses": {APIResponses, sse(t,
			`{"type":"response.output_item.done","output_index":1,"item":{"id":"fc_2","type":"function_call","status":"completed","arguments":"","call_id":"call_2","name":"list"}}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"id":"fc_1","type":"function_call","status":"completed","arguments":"{\"path\":\"a.txt\"}","call_id":"call_1","name":"read"}}`,
			`{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_3","type":"function_call","status":"completed","arguments":"{\"path\": \"b","call_id":"call_3","name":"read"}}`,
			`{"type":"response.completed","response":{"status":"completed","output":[]}}`,
		)},
		"messages": {APIMessages, sse(t,
			`{"type":"message_start","message":{"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"call_1","name":"read","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"path\":"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"a.txt\"}"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"call_2","name":"list","input":{}}}`,
			`{"type":"content_block_stop","index":1}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"call_3","name":"read","input":{}}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"path\": \"b"}}`,
			`{"type":"content_block_stop","index":2}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}`,
			`{"type":"message_stop"}`,
		)},
		"chat": {APIChat, sse(t,
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"read","arguments":""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\":"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_2","type":"function","function":{"name":"list","arguments":""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a.txt\"}"}},{"index":2,"id":"call_3","function":{"name":"read","arguments":"{\"path\": \"b"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		)},
		"chat, every call at index 0, ended as if by itself": {APIChat, sse(t,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"read","arguments":"{\"path\":\"a.txt\"}"}},{"index":0,"id":"call_2","function":{"name":"list","arguments":""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_3","function":{"name":"read","arguments":"{\"path\": \"b"}}]},"finish_reason":"stop"}]}`,
		)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(test.stream))
			got, err := New(Options{}).Do(t.Context(), p.asking(test.api), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if got.Stop != StopToolCalls {
				t.Errorf("stop %q", got.Stop)
			}
		})
	}
}

func TestStops(t *testing.T) {
	t.Parallel()
	type outcome struct {
		Stop    Stop
		Refusal string
	}
	for name, test := range map[string]struct {
		api, stream string
		want        outcome
	}{
		"responses: the limit": {APIResponses, sse(t,
			`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"id":"fc_1","type":"function_call","status":"incomplete","arguments":"{\"pa","call_id":"call_1","name":"read"}]}}`,
		), outcome{Stop: StopLength}},
		"responses: a refusal": {APIResponses, sse(t,
			`{"type":"response.completed","response":{"status":"completed","output":[{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"refusal","refusal":"I cannot help with that."}]}]}}`,
		), outcome{StopRefusal, "I cannot help with that."}},
		"messages: the limit": {APIMessages, sse(t,
			`{"type":"message_start","message":{"usage":{}}}`, `{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}`, `{"type":"message_stop"}`,
		), outcome{Stop: StopLength}},
		"messages: the window": {APIMessages, sse(t,
			`{"type":"message_start","message":{"usage":{}}}`, `{"type":"message_delta","delta":{"stop_reason":"model_context_window_exceeded"}}`, `{"type":"message_stop"}`,
		), outcome{Stop: StopLength}},
		"messages: a refusal with words": {APIMessages, sse(t,
			`{"type":"message_start","message":{"usage":{}}}`, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"It may harm others."}}}`, `{"type":"message_stop"}`,
		), outcome{StopRefusal, "It may harm others."}},
		"messages: a refusal without words": {APIMessages, sse(t,
			`{"type":"message_start","message":{"usage":{}}}`, `{"type":"message_delta","delta":{"stop_reason":"refusal"}}`, `{"type":"message_stop"}`,
		), outcome{StopRefusal, "The provider's safety system stopped the answer."}},
		"chat: the limit, in a call": {APIChat, sse(t,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"read","arguments":"{"}}]},"finish_reason":"length"}]}`,
		), outcome{Stop: StopLength}},
		"chat: a refusal": {APIChat, sse(t,
			`{"choices":[{"index":0,"delta":{"refusal":"I cannot."}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		), outcome{StopRefusal, "I cannot."}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(test.stream))
			got, err := New(Options{}).Do(t.Context(), p.asking(test.api), nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, outcome{got.Stop, got.Refusal}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFinalMessageIsTheText(t *testing.T) {
	t.Parallel()
	message := func(phase, text string) string {
		return `{"type":"message","role":"assistant","phase":` + phase + `,"content":[{"type":"output_text","text":"` + text + `"}]}`
	}
	for name, test := range map[string]struct{ items, want string }{
		"the model marks its final answer": {message(`"commentary"`, "I look.") + "," + message(`"final_answer"`, "It is 42."), "It is 42."},
		"it marks nothing":                 {message(`null`, "I look.") + "," + message(`null`, "It is 42."), "I look.\n\nIt is 42."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(sse(t, `{"type":"response.completed","response":{"status":"completed","output":[`+test.items+`]}}`)))
			got, err := New(Options{}).Do(t.Context(), p.asking(APIResponses), nil)
			if err != nil || got.Text != test.want {
				t.Errorf("got %q, %v; want %q", got.Text, err, test.want)
			}
		})
	}
}
