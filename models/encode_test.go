package models

import (
	"encoding/json"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

var encoders = map[string]func(Request) []byte{
	APIResponses: encodeResponses, APIMessages: encodeMessages, APIChat: encodeChat,
}

func TestEncodeWholeConversation(t *testing.T) {
	t.Parallel()
	for api, want := range map[string]string{
		APIResponses: `{
			"model":"model-1","stream":true,"store":false,"include":["reasoning.encrypted_content"],
			"reasoning":{"effort":"high"},"prompt_cache_key":"run_1","instructions":"Be brief.",
			"tools":[
				{"type":"function","name":"read","description":"Reads a file.","strict":false,
				 "parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},
				{"type":"function","name":"list","description":"Lists files.","strict":false,
				 "parameters":{"type":"object","properties":{}}}],
			"input":[
				{"type":"message","role":"user","content":[{"type":"input_text","text":"What do the files say?"}]},
				{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I look."}]},
				{"type":"function_call","call_id":"call_1","name":"list","arguments":"{}"},
				{"type":"function_call","call_id":"call_2","name":"read","arguments":"{\"path\":"},
				{"type":"function_call_output","call_id":"call_1","output":"a.txt"},
				{"type":"function_call_output","call_id":"call_2","output":"the arguments are not JSON"},
				{"type":"message","role":"user","content":[{"type":"input_text","text":"Go on."}]}],
			"max_output_tokens":4000}`,
		APIMessages: `{
			"model":"model-1","stream":true,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"},
			"tools":[
				{"name":"read","description":"Reads a file.",
				 "input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},
				{"name":"list","description":"Lists files.","input_schema":{"type":"object","properties":{}}}],
			"system":[{"type":"text","text":"Be brief.","cache_control":{"type":"ephemeral"}}],
			"messages":[
				{"role":"user","content":[{"type":"text","text":"What do the files say?","cache_control":{"type":"ephemeral"}}]},
				{"role":"assistant","content":[
					{"type":"text","text":"I look."},
					{"type":"tool_use","id":"call_1","name":"list","input":{}},
					{"type":"tool_use","id":"call_2","name":"read","input":{"INVALID_JSON":"{\"path\":"}}]},
				{"role":"user","content":[
					{"type":"tool_result","tool_use_id":"call_1","content":[{"type":"text","text":"a.txt"}]},
					{"type":"tool_result","tool_use_id":"call_2","is_error":true,
					 "content":[{"type":"text","text":"the arguments are not JSON"}]},
					{"type":"text","text":"Go on.","cache_control":{"type":"ephemeral"}}]}],
			"max_tokens":4000}`,
		APIChat: `{
			"model":"model-1","stream":true,"stream_options":{"include_usage":true},"reasoning_effort":"high",
			"tools":[
				{"type":"function","function":{"name":"read","description":"Reads a file.",
				 "parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}},
				{"type":"function","function":{"name":"list","description":"Lists files.","parameters":{"type":"object","properties":{}}}}],
			"messages":[
				{"role":"system","content":"Be brief."},
				{"role":"user","content":"What do the files say?"},
				{"role":"assistant","content":"I look.","tool_calls":[
					{"id":"call_1","type":"function","function":{"name":"list","arguments":"{}"}},
					{"id":"call_2","type":"function","function":{"name":"read","arguments":"{\"path\":"}}]},
				{"role":"tool","tool_call_id":"call_1","content":"a.txt"},
				{"role":"tool","tool_call_id":"call_2","content":"the arguments are not JSON"},
				{"role":"user","content":"Go on."}],
			"max_tokens":4000}`,
	} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			got := decoded(t, encoders[api](conversation(api)))
			if diff := cmp.Diff(object(t, want), got); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEncodeSpeaksTheClientsTypes reads each body as the official client's own parameters: a field that those do not
// know, or know as another type, would be lost on the way.
func TestEncodeSpeaksTheClientsTypes(t *testing.T) {
	t.Parallel()
	for api, params := range map[string]any{
		APIResponses: &responses.ResponseNewParams{},
		APIMessages:  &anthropic.MessageNewParams{},
		APIChat:      &openai.ChatCompletionNewParams{},
	} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			r := conversation(api)
			r.Output = json.RawMessage(answerSchema)
			sent := encoders[api](r)
			if err := json.Unmarshal(sent, params); err != nil {
				t.Fatal(err)
			}
			again, err := json.Marshal(params)
			if err != nil {
				t.Fatal(err)
			}
			want := decoded(t, sent)
			delete(want, "stream") // The clients set it beside their parameters.
			if diff := cmp.Diff(want, decoded(t, again)); diff != "" {
				t.Errorf("the client's types lose something (-sent +kept):\n%s", diff)
			}
		})
	}
}

func TestEncodeLeavesOut(t *testing.T) {
	t.Parallel()
	for api, encode := range encoders {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			r := Request{Messages: []Message{
				{Role: RoleUser, Text: "Hello"},
				{Role: RoleAssistant},
				{Role: RoleUser, Text: "Are you there?"},
			}}
			r.Model.API, r.Model.Name = api, "model-1"
			body := decoded(t, encode(r))
			for _, field := range []string{
				"tools", "system", "instructions", "include", "reasoning", "reasoning_effort", "thinking", "output_config",
				"text", "response_format", "prompt_cache_key", "max_output_tokens", "max_completion_tokens",
			} {
				if value, there := body[field]; there {
					t.Errorf("%s is sent: %v", field, value)
				}
			}
		})
	}
}
