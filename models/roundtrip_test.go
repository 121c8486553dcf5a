package models

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
)

// teller tells an answer in the events of a protocol, cutting its texts where the test likes.
type teller func(t *rapid.T, answer Answer) []string

var tellers = map[string]teller{APIResponses: tellResponses, APIMessages: tellMessages, APIChat: tellChat}

// TestEveryAnswerComesThrough draws answers, tells each in pieces, and reads it back whole.
func TestEveryAnswerComesThrough(t *testing.T) {
	t.Parallel()
	for api, tell := range tellers {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				want := drawAnswer(r)
				var shown strings.Builder
				decode := decoderOf(api, func(d Delta) { shown.WriteString(d.Text) })
				for i, data := range tell(r, want) {
					done, err := decode.take(event{kind: kindOf(r, api, data), data: []byte(data)})
					if err != nil {
						r.Fatalf("event %d, %s: %v", i, data, err)
					}
					if done {
						break
					}
				}
				got, err := decode.answer()
				if err != nil {
					r.Fatal(err)
				}
				if shown.String() != want.Text {
					r.Fatalf("shown %q, want %q", shown.String(), want.Text)
				}
				got.Native = nil
				if diff := cmp.Diff(want, got); diff != "" {
					r.Fatalf("answer (-told +read):\n%s", diff)
				}
			})
		})
	}
}

func decoderOf(api string, onDelta func(Delta)) decoder {
	kept := room{left: DefaultMaxAnswer}
	switch api {
	case APIResponses:
		return &responsesDecoder{room: kept, onDelta: onDelta}
	case APIMessages:
		return &messagesDecoder{room: kept, onDelta: onDelta}
	default:
		return &chatDecoder{room: kept, onDelta: onDelta}
	}
}

// kindOf is the event's name, which some servers leave out.
func kindOf(t *rapid.T, api, data string) string {
	if api == APIChat || rapid.Bool().Draw(t, "nameless") {
		return ""
	}
	var named struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal([]byte(data), &named); err != nil {
		t.Fatal(err)
	}
	return named.Type
}

func drawAnswer(t *rapid.T) Answer {
	answer := Answer{
		Text:        rapid.String().Draw(t, "text"),
		ServedModel: "model-1",
		Stop:        StopEnd,
		Usage: run.Usage{
			CachedInputTokens: rapid.Int64Range(0, 1000).Draw(t, "cached"),
			CacheWriteTokens:  rapid.Int64Range(0, 1000).Draw(t, "written"),
			OutputTokens:      rapid.Int64Range(1, 1000).Draw(t, "out"),
			ReasoningTokens:   rapid.Int64Range(0, 1000).Draw(t, "thought"),
			Requests:          1,
		},
	}
	answer.Usage.InputTokens = answer.Usage.CachedInputTokens + answer.Usage.CacheWriteTokens + rapid.Int64Range(1, 1000).Draw(t, "fresh")
	for i := range rapid.IntRange(0, 3).Draw(t, "calls") {
		args, err := json.Marshal(map[string]string{"path": rapid.String().Draw(t, "path")})
		if err != nil {
			t.Fatal(err)
		}
		answer.Calls = append(answer.Calls, Call{ID: fmt.Sprint("call_", i), Name: "read", Args: args})
		answer.Stop = StopToolCalls
	}
	if rapid.Bool().Draw(t, "cut") {
		answer.Stop = StopLength
	}
	return answer
}

// pieces cuts a text anywhere between two letters.
func pieces(t *rapid.T, text string) []string {
	var cut []string
	runes := []rune(text)
	for len(runes) > 0 {
		n := rapid.IntRange(1, len(runes)).Draw(t, "piece")
		cut = append(cut, string(runes[:n]))
		runes = runes[n:]
	}
	return cut
}

// quote is a text as JSON.
func quote(text string) string { return string(appendString(nil, text)) }

func tellResponses(t *rapid.T, answer Answer) []string {
	events := []string{`{"type":"response.created","response":{"status":"in_progress"}}`}
	var items []string
	if answer.Text != "" {
		for _, piece := range pieces(t, answer.Text) {
			events = append(events, `{"type":"response.output_text.delta","delta":`+quote(piece)+`}`)
		}
		items = append(items, `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":`+quote(answer.Text)+`}]}`)
	}
	for _, call := range answer.Calls {
		items = append(items, `{"id":"fc","type":"function_call","call_id":`+quote(call.ID)+`,"name":`+quote(call.Name)+`,"arguments":`+quote(string(call.Args))+`}`)
	}
	for i, item := range items {
		events = append(events, fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, i, item))
	}
	output := "[]"
	if rapid.Bool().Draw(t, "again") {
		output = "[" + strings.Join(items, ",") + "]"
	}
	status := `"type":"response.completed","response":{"status":"completed"`
	if answer.Stop == StopLength {
		status = `"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}`
	}
	u := answer.Usage
	return append(events, fmt.Sprintf(
		`{%s,"model":"model-1","output":%s,"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d}}}}`,
		status, output, u.InputTokens, u.CachedInputTokens, u.CacheWriteTokens, u.OutputTokens, u.ReasoningTokens))
}

func tellMessages(t *rapid.T, answer Answer) []string {
	u := answer.Usage
	events := []string{fmt.Sprintf(
		`{"type":"message_start","message":{"model":"model-1","usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":1}}}`,
		u.InputTokens-u.CachedInputTokens-u.CacheWriteTokens, u.CachedInputTokens, u.CacheWriteTokens)}
	index := 0
	block := func(start, delta string, text string) {
		events = append(events, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, start))
		for _, piece := range pieces(t, text) {
			events = append(events, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":`+delta+`}`, index, quote(piece)))
			if rapid.Bool().Draw(t, "ping") {
				events = append(events, `{"type":"ping"}`)
			}
		}
		events = append(events, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
		index++
	}
	if answer.Text != "" {
		block(`{"type":"text","text":""}`, `{"type":"text_delta","text":%s}`, answer.Text)
	}
	for _, call := range answer.Calls {
		block(`{"type":"tool_use","id":`+quote(call.ID)+`,"name":`+quote(call.Name)+`,"input":{}}`,
			`{"type":"input_json_delta","partial_json":%s}`, string(call.Args))
	}
	reason := map[Stop]string{StopEnd: "end_turn", StopToolCalls: "tool_use", StopLength: "max_tokens"}[answer.Stop]
	return append(events,
		fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}}`,
			reason, u.OutputTokens, u.ReasoningTokens),
		`{"type":"message_stop"}`)
}

func tellChat(t *rapid.T, answer Answer) []string {
	choice := func(delta string) string {
		return `{"model":"model-1","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}],"usage":null}`
	}
	events := []string{choice(`{"role":"assistant","content":""}`)}
	for _, piece := range pieces(t, answer.Text) {
		events = append(events, choice(`{"content":`+quote(piece)+`}`))
	}
	for i, call := range answer.Calls {
		events = append(events, choice(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":""}}]}`, i, call.ID, call.Name)))
		for _, piece := range pieces(t, string(call.Args)) {
			events = append(events, choice(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(piece))))
		}
	}
	reason := map[Stop]string{StopEnd: "stop", StopToolCalls: "tool_calls", StopLength: "length"}[answer.Stop]
	u := answer.Usage
	return append(events,
		`{"model":"model-1","choices":[{"index":0,"delta":{},"finish_reason":"`+reason+`"}]}`,
		fmt.Sprintf(`{"model":"model-1","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}}`,
			u.InputTokens, u.OutputTokens, u.CachedInputTokens, u.CacheWriteTokens, u.ReasoningTokens))
}
