package models

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicstream "github.com/anthropics/anthropic-sdk-go/packages/ssestream"
	"github.com/google/go-cmp/cmp"
	openaistream "github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
)

// TestReplayInTheProvidersClients has the official clients put each stream together: they get what the answer in one
// piece says.
func TestReplayInTheProvidersClients(t *testing.T) {
	t.Parallel()
	gather := map[string]func(t *testing.T, stream []byte) map[string]any{APIMessages: gatherMessages, APIResponses: gatherResponses}
	eachRecorded(t, func(t *testing.T, api, name string, r Replay) {
		want := decoded(t, replays[api].whole(r))
		if api == APIMessages && name == "cut-call" {
			// A client cannot have input that is no JSON, only the answer in one piece can say so.
			want["content"].([]any)[0].(map[string]any)["input"] = map[string]any{}
		}
		if diff := cmp.Diff(want, gather[api](t, replays[api].stream(r))); diff != "" {
			t.Errorf("(-whole +gathered):\n%s", diff)
		}
	})
}

func answered(stream []byte) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(strings.NewReader(string(stream))),
	}
}

func gatherMessages(t *testing.T, data []byte) map[string]any {
	t.Helper()
	stream := anthropicstream.NewStream[anthropic.MessageStreamEventUnion](anthropicstream.NewDecoder(answered(data)), nil)
	var message anthropic.Message
	for stream.Next() {
		if err := message.Accumulate(stream.Current()); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return object(t, message.RawJSON())
}

// gatherResponses follows the stream as a program does that shows it: the items as they grow must come to the items as
// they are in the end.
func gatherResponses(t *testing.T, data []byte) map[string]any {
	t.Helper()
	stream := openaistream.NewStream[responses.ResponseStreamEventUnion](openaistream.NewDecoder(answered(data)), nil)
	var order []string
	grown := map[string]string{}
	var last map[string]any
	number := int64(0)
	for stream.Next() {
		got := stream.Current()
		if got.SequenceNumber != number {
			t.Errorf("event %d has the number %d", number, got.SequenceNumber)
		}
		number++
		switch e := got.AsAny().(type) {
		case responses.ResponseOutputItemAddedEvent:
			order = append(order, e.Item.ID)
		case responses.ResponseTextDeltaEvent:
			grown[e.ItemID] += e.Delta
		case responses.ResponseRefusalDeltaEvent:
			grown[e.ItemID] += e.Delta
		case responses.ResponseFunctionCallArgumentsDeltaEvent:
			grown[e.ItemID] += e.Delta
		case responses.ResponseOutputItemDoneEvent:
			if e.OutputIndex != int64(len(order)-1) || e.Item.ID != order[e.OutputIndex] {
				t.Errorf("item %d, %s is done; begun were %v", e.OutputIndex, e.Item.ID, order)
			}
			if said := saidIn(e.Item); said != grown[e.Item.ID] {
				t.Errorf("item %s says %q and grew to %q", e.Item.ID, said, grown[e.Item.ID])
			}
		case responses.ResponseCompletedEvent:
			last = object(t, e.Response.RawJSON())
		case responses.ResponseIncompleteEvent:
			last = object(t, e.Response.RawJSON())
		case nil:
			t.Errorf("the client does not know %s", got.RawJSON())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(order))); len(distinct) != len(order) || slices.Contains(order, "") {
		t.Errorf("the ids are %v", order)
	}
	return last
}

// saidIn is all that an item says in pieces.
func saidIn(item responses.ResponseOutputItemUnion) string {
	said := []string{item.Arguments.OfString}
	for _, part := range item.Content {
		said = append(said, part.Text, part.Refusal)
	}
	return strings.Join(said, "")
}

// TestReplayUsageAddsUp: what a program counts of a Messages answer is what the provider counted, however it splits it.
func TestReplayUsageAddsUp(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		input, read, written int64
		want                 string
	}{
		"all of it":               {1237, 1024, 188, `{"input_tokens":25,"cache_creation_input_tokens":188,"cache_read_input_tokens":1024,"output_tokens":7}`},
		"nothing cached":          {9, 0, 0, `{"input_tokens":9,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":7}`},
		"more cached than sent":   {9, 20, 0, `{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":20,"output_tokens":7}`},
		"nothing but what cached": {20, 15, 5, `{"input_tokens":0,"cache_creation_input_tokens":5,"cache_read_input_tokens":15,"output_tokens":7}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Replay{ID: "answer-1", Answer: Answer{Text: "42", Stop: StopEnd}}
			r.Answer.Usage.InputTokens, r.Answer.Usage.CachedInputTokens = test.input, test.read
			r.Answer.Usage.CacheWriteTokens, r.Answer.Usage.OutputTokens = test.written, 7
			var message struct {
				Usage json.RawMessage `json:"usage"`
			}
			if err := json.Unmarshal(ReplayMessagesWhole(r), &message); err != nil {
				t.Fatal(err)
			}
			if string(message.Usage) != test.want {
				t.Errorf("usage %s, want %s", message.Usage, test.want)
			}
			if stream := string(ReplayMessages(r)); strings.Count(stream, fmt.Sprintf(`"cache_read_input_tokens":%d,`, test.read)) != 2 {
				t.Errorf("the input is not said at both ends: %s", stream)
			}
		})
	}
}
