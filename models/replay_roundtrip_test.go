package models

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// replays are the two ways to tell a recorded answer, by protocol.
var replays = map[string]struct{ stream, whole func(Replay) []byte }{
	APIMessages:  {ReplayMessages, ReplayMessagesWhole},
	APIResponses: {ReplayResponses, ReplayResponsesWhole},
}

// heard is what a client of this package makes of a stream.
func heard(t *testing.T, api string, stream []byte) (Answer, error) {
	t.Helper()
	client := New(Options{HTTP: &http.Client{Transport: canned{stream: stream}}})
	return client.Do(t.Context(), conversation(api), nil)
}

// sameJSON compares stored JSON by what it says.
var sameJSON = cmp.Transformer("JSON", func(data json.RawMessage) any {
	var value any
	if json.Unmarshal(data, &value) != nil {
		return string(data)
	}
	return value
})

// TestReplayGivesTheRecordedAnswer draws what providers say, takes it for the record, and tells it again: the second
// answer is the first, and the same bytes each time.
func TestReplayGivesTheRecordedAnswer(t *testing.T) {
	t.Parallel()
	tellers := map[string]func(*rapid.T) string{APIMessages: drawMessages, APIResponses: drawResponses}
	for api, replay := range replays {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				first, err := heard(t, api, []byte(tellers[api](r)))
				if err != nil {
					r.Fatal(err)
				}
				told := Replay{ID: "answer-1", Model: first.ServedModel, Answer: first}
				stream := replay.stream(told)
				again, err := heard(t, api, stream)
				if err != nil {
					r.Fatalf("%v: %s", err, stream)
				}
				if diff := cmp.Diff(first, again, sameJSON); diff != "" {
					r.Fatalf("answer (-recorded +replayed):\n%s\n%s", diff, stream)
				}
				if other := replay.stream(told); string(other) != string(stream) {
					r.Fatalf("told twice:\n%s\n%s", stream, other)
				}
				whole := replay.whole(told)
				if !json.Valid(whole) || string(replay.whole(told)) != string(whole) {
					r.Fatalf("whole: %s", whole)
				}
			})
		})
	}
}

// TestReplayOfAnAnswerWithoutItems tells answers of which only text and calls are on record.
func TestReplayOfAnAnswerWithoutItems(t *testing.T) {
	t.Parallel()
	for api, replay := range replays {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				want := drawAnswer(r)
				want.Text = seenText(r)
				for i := range want.Calls {
					want.Calls[i].Args = drawnArgs(r)
				}
				want.Native = rapid.SampledFrom([]json.RawMessage{
					nil, json.RawMessage(`null`), json.RawMessage(`[]`), json.RawMessage(`{}`), json.RawMessage(`["x"]`), json.RawMessage(`[`),
				}).Draw(r, "native")
				got, err := heard(t, api, replay.stream(Replay{ID: "answer-1", Model: "model-1", Answer: want}))
				if err != nil {
					r.Fatal(err)
				}
				got.Native, want.Native = nil, nil
				if diff := cmp.Diff(want, got); diff != "" {
					r.Fatalf("answer (-recorded +replayed):\n%s", diff)
				}
			})
		})
	}
}

// seenText is a text somebody can see, or none.
func seenText(t *rapid.T) string {
	return rapid.OneOf(rapid.Just(""), rapid.Map(rapid.String(), func(s string) string { return "x" + s })).Draw(t, "text")
}

// writtenArgs are arguments as models write them, well or not.
var writtenArgs = []string{
	``, ` `, `{}`, `{"path":"a"}`, ` {"n": 12345678901234567890, "s": "<&>\u2028"}` + "\n", `{"path":`, `"{\"path\":1}"`, `"text"`,
	`""`, `7`, `null`, `[1,2]`, `path=a`, "\"\u00e9\n", `{"a":1}{"b":2}`,
}

func drawnText(t *rapid.T) string {
	return rapid.OneOf(rapid.SampledFrom(writtenArgs), rapid.String()).Draw(t, "args")
}

func drawnArgs(t *rapid.T) json.RawMessage { return normalArgs(drawnText(t)) }

func drawMessages(t *rapid.T) string {
	events := []string{fmt.Sprintf(
		`{"type":"message_start","message":{"model":"model-1","usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d}}}`,
		rapid.Int64Range(0, 1000).Draw(t, "fresh"), rapid.Int64Range(0, 1000).Draw(t, "read"), rapid.Int64Range(0, 1000).Draw(t, "written"))}
	block := func(index int, start string, deltas ...string) {
		events = append(events, fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, index, start))
		for _, delta := range deltas {
			events = append(events, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, index, delta))
		}
		events = append(events, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "blocks") {
		switch rapid.SampledFrom([]string{"text", "thinking", "redacted_thinking", "compaction", "tool_use"}).Draw(t, "kind") {
		case "text":
			block(i, `{"type":"text","text":""}`, `{"type":"text_delta","text":`+quote("x"+rapid.String().Draw(t, "text"))+`}`)
		case "thinking":
			block(i, `{"type":"thinking","thinking":""}`, `{"type":"thinking_delta","thinking":`+quote(rapid.String().Draw(t, "thought"))+`}`,
				`{"type":"signature_delta","signature":`+quote(rapid.StringMatching(`[A-Za-z0-9+/]{0,20}`).Draw(t, "signature"))+`}`)
		case "redacted_thinking":
			block(i, "{\"type\":\"redacted_thinking\",\n\"data\":\"EmwKAhgB\"}")
		case "compaction":
			block(i, `{"type":"compaction","content":`+quote(rapid.String().Draw(t, "summary"))+`}`)
		case "tool_use":
			block(i, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"read","input":{}}`, i), `{"type":"input_json_delta","partial_json":`+quote(drawnText(t))+`}`)
		}
	}
	reason := rapid.SampledFrom([]string{"end_turn", "tool_use", "max_tokens", "refusal", "stop_sequence"}).Draw(t, "reason")
	details := rapid.SampledFrom([]string{``, `,"stop_details":{"explanation":"That is dangerous."}`}).Draw(t, "details")
	events = append(events, fmt.Sprintf(
		`{"type":"message_delta","delta":{"stop_reason":%q%s},"usage":{"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}}`,
		reason, details, rapid.Int64Range(1, 1000).Draw(t, "out"), rapid.Int64Range(0, 1000).Draw(t, "thought")),
		`{"type":"message_stop"}`)
	return joined(events)
}

func drawResponses(t *rapid.T) string {
	var items []string
	for i := range rapid.IntRange(0, 5).Draw(t, "items") {
		switch rapid.SampledFrom([]string{"message", "refusal", "reasoning", "function_call", "other"}).Draw(t, "kind") {
		case "message":
			items = append(items, fmt.Sprintf(`{"id":"m","type":"message","status":"completed","role":"assistant"%s,"content":[{"type":"output_text","annotations":[{"type":"x","at":1.0}],"text":%s},{"type":"output_text","text":""}]}`,
				rapid.SampledFrom([]string{``, `,"phase":"commentary"`, `,"phase":"final_answer"`}).Draw(t, "phase"), quote(rapid.String().Draw(t, "text"))))
		case "refusal":
			items = append(items, `{"id":"m","type":"message","role":"assistant","content":[{"type":"refusal","refusal":`+quote(rapid.String().Draw(t, "refusal"))+`}]}`)
		case "reasoning":
			items = append(items, fmt.Sprintf(`{"id":"r","type":"reasoning","status":"completed","summary":[{"type":"summary_text","text":"<b>"}],"content":null,"encrypted_content":%q}`,
				rapid.StringMatching(`[A-Za-z0-9+/]{0,20}`).Draw(t, "encrypted")))
		case "function_call":
			items = append(items, fmt.Sprintf(`{"id":"f","type":"function_call","call_id":"call_%d","name":"read","arguments":%s}`, i, quote(drawnText(t))))
		case "other":
			items = append(items, "{\"id\":\"w\",\"type\":\"web_search_call\",\n\"content\":\"of another type\"}")
		}
	}
	status := rapid.SampledFrom([]string{
		`"type":"response.completed","response":{"status":"completed"`,
		`"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}`,
	}).Draw(t, "status")
	usage := "null"
	if rapid.Bool().Draw(t, "counted") {
		usage = fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d}}`,
			rapid.Int64Range(0, 1000).Draw(t, "in"), rapid.Int64Range(0, 1000).Draw(t, "read"), rapid.Int64Range(0, 1000).Draw(t, "written"),
			rapid.Int64Range(0, 1000).Draw(t, "out"), rapid.Int64Range(0, 1000).Draw(t, "thought"))
	}
	return joined([]string{fmt.Sprintf(`{%s,"model":"model-1","output":[%s],"usage":%s}}`, status, strings.Join(items, ","), usage)})
}

// joined writes events without their names, which nobody needs.
func joined(events []string) string {
	var stream strings.Builder
	for _, data := range events {
		stream.WriteString("data: " + strings.ReplaceAll(data, "\n", "\ndata: ") + "\n\n")
	}
	return stream.String()
}
