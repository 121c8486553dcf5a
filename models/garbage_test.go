package models

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestGarbage(t *testing.T) {
	t.Parallel()
	start := `{"type":"message_start","message":{"usage":{}}}`
	text := `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	for name, test := range map[string]struct {
		api, stream, says string
	}{
		"responses: nothing":                  {APIResponses, "", "ended before the answer was complete"},
		"responses: no end":                   {APIResponses, sse(t, `{"type":"response.created","response":{}}`), "ended before"},
		"responses: not JSON":                 {APIResponses, "event: response.completed\ndata: {\"resp\n\n", "not what the protocol says"},
		"responses: not JSON, without a name": {APIResponses, "data: hello\n\n", "not what the protocol says"},
		"responses: not UTF-8":                {APIResponses, "event: response.output_text.delta\ndata: {\"delta\":\"\xff\"}\n\n", "not UTF-8"},
		"responses: an end without itself":    {APIResponses, sse(t, `{"type":"response.completed"}`), "no response"},
		"responses: an end that is none":      {APIResponses, sse(t, `{"type":"response.completed","response":{"status":"queued"}}`), `ended "queued"`},
		"responses: an item twice": {APIResponses, sse(t,
			`{"type":"response.output_item.done","output_index":0,"item":{}}`, `{"type":"response.output_item.done","output_index":0,"item":{}}`), "twice"},
		"responses: an item is missing": {APIResponses, sse(t,
			`{"type":"response.output_item.done","output_index":7,"item":{}}`, `{"type":"response.completed","response":{"status":"completed"}}`), "never came"},
		"responses: an item before the first": {APIResponses, sse(t, `{"type":"response.output_item.done","output_index":-1,"item":{}}`), "no place"},
		"responses: an item of another shape": {APIResponses, sse(t, `{"type":"response.completed","response":{"status":"completed","output":[[]]}}`), "not what the protocol says"},
		"responses: a message of another shape": {APIResponses, sse(t,
			`{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":{}}]}}`), "not what the protocol says"},
		"responses: a call without a name": {APIResponses, sse(t,
			`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"c"}]}}`), "no name"},
		"responses: two calls are one": {APIResponses, sse(t,
			`{"type":"response.completed","response":{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"a"},{"type":"function_call","call_id":"c","name":"a"}]}}`), `the id "c"`},
		"messages: no end":                {APIMessages, sse(t, start), "ended before"},
		"messages: no beginning":          {APIMessages, sse(t, `{"type":"message_stop"}`), "ended before"},
		"messages: two beginnings":        {APIMessages, sse(t, start, start), "began twice"},
		"messages: no reason":             {APIMessages, sse(t, start, `{"type":"message_stop"}`), "ended before"},
		"messages: a block too early":     {APIMessages, sse(t, text), "before its message"},
		"messages: a block out of order":  {APIMessages, sse(t, start, `{"type":"content_block_start","index":1,"content_block":{"type":"text"}}`), "where block 0 was due"},
		"messages: a delta for no block":  {APIMessages, sse(t, start, `{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}`), "block 3, which is not open"},
		"messages: a delta for the ended": {APIMessages, sse(t, start, text, `{"type":"content_block_stop","index":0}`, `{"type":"content_block_stop","index":0}`), "not open"},
		"messages: a block without end":   {APIMessages, sse(t, start, text, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`), "never closed"},
		"messages: a call without an id":  {APIMessages, sse(t, start, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"a"}}`), "no id"},
		"messages: a block of no shape":   {APIMessages, sse(t, start, `{"type":"content_block_start","index":0,"content_block":7}`), "not what the protocol says"},
		"chat: no reason":                 {APIChat, sse(t, `{"choices":[{"index":0,"delta":{"content":"x"}}]}`) + "data: [DONE]\n\n", "ended before"},
		"chat: only another choice":       {APIChat, sse(t, `{"choices":[{"index":1,"delta":{"content":"x"},"finish_reason":"stop"}]}`), "ended before"},
		"chat: a call without a name":     {APIChat, sse(t, `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c"}]},"finish_reason":"tool_calls"}]}`), "has no name"},
		"chat: two calls are one": {APIChat, sse(t,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"a"}},{"index":1,"id":"c","function":{"name":"a"}}]},"finish_reason":"tool_calls"}]}`), `the id "c"`},
		"chat: a list where a text belongs": {APIChat, sse(t, `{"choices":[{"index":0,"delta":{"content":[]}}]}`), "not what the protocol says"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(test.stream))
			got := failed(t, New(Options{}), p.asking(test.api))
			want := &Error{Code: CodeBadResponse, Status: 200, Retryable: true, Spend: SpendUnknown}
			if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(got.Message, test.says) {
				t.Errorf("message %q does not say %q", got.Message, test.says)
			}
		})
	}
}

func TestNoStreamAtAll(t *testing.T) {
	t.Parallel()
	for api := range encoders {
		p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>Sign in to the network</html>")
		})
		got := failed(t, New(Options{}), p.asking(api))
		if got.Code != CodeBadResponse || !strings.Contains(got.Message, `"text/html", not an event stream`) {
			t.Errorf("%s: %+v", api, got)
		}
	}
}

// forever writes a piece until the client hangs up.
func forever(head, piece string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, err := io.WriteString(w, head)
		for err == nil && r.Context().Err() == nil {
			_, err = io.WriteString(w, piece)
		}
	}
}

func TestSizeIsBounded(t *testing.T) {
	t.Parallel()
	start := sse(t, `{"type":"message_start","message":{"usage":{}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
	for name, test := range map[string]struct{ api, head, piece string }{
		"a line without end":       {APIChat, "data: ", strings.Repeat("x", 1000)},
		"an event without end":     {APIMessages, "", "data: " + strings.Repeat("x", 100) + "\n"},
		"an event without end, \r": {APIMessages, "", "data: " + strings.Repeat("x", 100) + "\r\n"},
		"comments without end":     {APIResponses, "", ": " + strings.Repeat("x", 100) + "\n\n"},
		"events of no meaning":     {APIResponses, "", "event: response.thing\ndata: {}\n\n"},
		"text without end, chat":   {APIChat, "", sse(t, `{"choices":[{"index":0,"delta":{"content":"x"}}]}`)},
		"text without end, messages": {APIMessages, start, sse(t,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"xxxxxxxxxxxxxxxxxxxx"}}`)},
		"calls without end": {APIChat, "", sse(t, `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":""}}]}}]}`)},
		"thinking without end": {APIMessages, start, sse(t,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"xxxxxxxxxxxxxxxxxxxx"}}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, forever(test.head, test.piece))
			got := failed(t, New(Options{MaxAnswer: 10_000}), p.asking(test.api))
			if got.Code != CodeBadResponse || !strings.Contains(got.Message, errTooLarge.Error()) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestLongAnswersPass(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 400_000)
	stream := sse(t,
		`{"choices":[{"index":0,"delta":{"content":"`+long+`"}}]}`,
		`{"choices":[{"index":0,"delta":{"content":"`+long+`"},"finish_reason":"stop"}]}`)
	p := newProvider(t, streaming(stream))
	got, err := New(Options{}).Do(t.Context(), p.asking(APIChat), nil)
	if err != nil || got.Text != long+long {
		t.Errorf("got %d bytes, %v", len(got.Text), err)
	}
}

// TestSlowIsNotIdle: a stream that keeps coming outlives the idle timeout many times over.
func TestSlowIsNotIdle(t *testing.T) {
	t.Parallel()
	const idle = time.Second
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		tick := time.NewTicker(idle / 20)
		defer tick.Stop()
		for range 30 {
			<-tick.C
			_, _ = io.WriteString(w, ": still here\n\n")
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, chatAnswer(t))
	})
	if _, err := New(Options{IdleTimeout: idle}).Do(t.Context(), p.asking(APIChat), nil); err != nil {
		t.Error(err)
	}
}
