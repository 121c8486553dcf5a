package faux

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// said is one thing of a drawn conversation: words of the user, or a turn of the assistant with calls and their results.
type said struct {
	user  string
	words string
	calls int
}

// drawTalk draws a conversation and what a rule should see in it.
func drawTalk(t *rapid.T) (talk []said, want view) {
	words := rapid.StringMatching(`[a-z]{1,8}( [a-z"\\é]{1,5})?`)
	for i := range rapid.IntRange(1, 8).Draw(t, "length") {
		if i == 0 || rapid.Bool().Draw(t, "the user speaks") {
			one := said{user: words.Draw(t, "user")}
			talk = append(talk, one)
			if want.First == "" {
				want.First = one.user
			}
			want.Last, want.FromUser, want.Step = one.user, true, 0
			continue
		}
		if talk[len(talk)-1].user == "" && talk[len(talk)-1].calls == 0 {
			continue // two turns of the assistant in a row are one in Responses
		}
		one := said{words: words.Draw(t, "assistant"), calls: rapid.IntRange(0, 3).Draw(t, "calls")}
		talk = append(talk, one)
		want.Turn++
		want.Step++
		want.FromUser, want.Results = false, nil
		for c := range one.calls {
			want.Results = append(want.Results, fmt.Sprintf("tool%d=result %d", c, c))
		}
	}
	return talk, want
}

type object map[string]any

func callID(turn, call int) string { return fmt.Sprintf("id_%d_%d", turn, call) }

// asResponses, asChat and asMessages write a conversation as clients of each protocol do.
func asResponses(talk []said) object {
	var input []object
	for turn, one := range talk {
		if one.user != "" {
			input = append(input, object{"role": "user", "content": []object{{"type": "input_text", "text": one.user}}})
			continue
		}
		input = append(input, object{"type": "reasoning", "summary": []object{}},
			object{"type": "message", "role": "assistant", "content": []object{{"type": "output_text", "text": one.words}}})
		for c := range one.calls {
			input = append(input, object{"type": "function_call", "call_id": callID(turn, c), "name": fmt.Sprintf("tool%d", c), "arguments": "{}"})
		}
		for c := range one.calls {
			input = append(input, object{"type": "function_call_output", "call_id": callID(turn, c), "output": fmt.Sprintf("result %d", c)})
		}
	}
	return object{"model": "m", "instructions": "s", "input": input}
}

func asChat(talk []said) object {
	messages := []object{{"role": "system", "content": "s"}}
	for turn, one := range talk {
		if one.user != "" {
			messages = append(messages, object{"role": "user", "content": one.user})
			continue
		}
		message := object{"role": "assistant", "content": one.words}
		var calls, results []object
		for c := range one.calls {
			calls = append(calls, object{
				"id": callID(turn, c), "type": "function", "function": object{"name": fmt.Sprintf("tool%d", c), "arguments": "{}"},
			})
			results = append(results, object{"role": "tool", "tool_call_id": callID(turn, c), "content": fmt.Sprintf("result %d", c)})
		}
		if calls != nil {
			message["tool_calls"] = calls
		}
		messages = append(append(messages, message), results...)
	}
	return object{"model": "m", "messages": messages}
}

func asMessages(talk []said) object {
	var messages []object
	for turn, one := range talk {
		if one.user != "" {
			messages = append(messages, object{"role": "user", "content": one.user})
			continue
		}
		content := []object{{"type": "text", "text": one.words}}
		var results []object
		for c := range one.calls {
			content = append(content, object{"type": "tool_use", "id": callID(turn, c), "name": fmt.Sprintf("tool%d", c), "input": object{}})
			results = append(results, object{"type": "tool_result", "tool_use_id": callID(turn, c), "content": fmt.Sprintf("result %d", c)})
		}
		messages = append(messages, object{"role": "assistant", "content": content})
		if results != nil {
			messages = append(messages, object{"role": "user", "content": results})
		}
	}
	return object{"model": "m", "system": "s", "messages": messages}
}

// TestAnyConversationReadsAlike: whatever was said, a rule sees the same in every protocol, and the conversation keeps its
// key as it grows.
func TestAnyConversationReadsAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		talk, want := drawTalk(t)
		want.System = "s"
		for protocol, write := range map[Protocol]func([]said) object{Responses: asResponses, Chat: asChat, Messages: asMessages} {
			body, err := json.Marshal(write(talk))
			if err != nil {
				t.Fatal(err)
			}
			got, bad := read(protocol, string(body))
			if bad != nil {
				t.Fatalf("%s: %s in %s", protocol, bad.message, body)
			}
			if diff := cmp.Diff(want, viewOf(got)); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", protocol, diff)
			}
			first, err := json.Marshal(write(talk[:1]))
			if err != nil {
				t.Fatal(err)
			}
			begun, bad := read(protocol, string(first))
			if bad != nil || begun.key != got.key {
				t.Fatalf("%s: the conversation's key goes from %s to %s", protocol, begun.key, got.key)
			}
			if len(talk) > 1 && begun.digest == got.digest {
				t.Fatalf("%s: two requests have one digest", protocol)
			}
		}
	})
}
