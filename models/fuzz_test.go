package models

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// canned is a transport that answers every request with a stream, and then ends it with end.
type canned struct {
	stream []byte
	end    error
	// wrap changes how the stream comes.
	wrap func(io.Reader) io.Reader
}

func (c canned) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
	var stream io.Reader = bytes.NewReader(c.stream)
	if c.wrap != nil {
		stream = c.wrap(stream)
	}
	if c.end != nil {
		stream = io.MultiReader(stream, iotest.ErrReader(c.end))
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(stream), Request: request,
	}, nil
}

// read makes an answer of a stream, without a network, and checks what must hold for every stream.
func read(t *testing.T, api string, c canned, maxAnswer int64) (Answer, *Error) {
	t.Helper()
	client := New(Options{HTTP: &http.Client{Transport: c}, MaxAnswer: maxAnswer})
	r := conversation(api)
	answer, err := client.Do(t.Context(), r, nil)
	if err != nil {
		var failure *Error
		if !errors.As(err, &failure) || failure.Code == "" || failure.Message == "" || failure.Spend == "" {
			t.Fatalf("not a whole *Error: %+v", err)
		}
		return Answer{}, failure
	}
	if !utf8.ValidString(answer.Text + answer.Refusal) {
		t.Errorf("text that is not UTF-8: %q", answer.Text)
	}
	if !slices.Contains([]Stop{StopEnd, StopToolCalls, StopLength, StopRefusal}, answer.Stop) {
		t.Errorf("stop %q", answer.Stop)
	}
	if int64(len(answer.Text)) > maxAnswer {
		t.Errorf("an answer of %d bytes", len(answer.Text))
	}
	for _, call := range answer.Calls {
		if !json.Valid(call.Args) || call.ID == "" || call.Name == "" {
			t.Errorf("call %+v", call)
		}
	}
	r.Messages = append(r.Messages,
		Message{Role: RoleAssistant, Text: answer.Text, Calls: answer.Calls, Native: answer.Native, NativeAPI: api})
	if next := encoders[api](r); !json.Valid(next) {
		t.Errorf("the answer cannot be sent back: %s", next)
	}
	return answer, nil
}

func streamsOf(tb testing.TB) map[string]string {
	tb.Helper()
	return map[string]string{
		APIResponses: responsesAnswer(tb), APIMessages: messagesAnswer(tb), APIChat: chatAnswer(tb),
	}
}

// TestCutAnywhere ends each stream after every one of its bytes: there is a whole answer or an error, never a part.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	for api, stream := range streamsOf(t) {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			whole, failure := read(t, api, canned{stream: []byte(stream)}, DefaultMaxAnswer)
			if failure != nil {
				t.Fatal(failure)
			}
			for cut := range len(stream) {
				got, failure := read(t, api, canned{stream: []byte(stream[:cut])}, DefaultMaxAnswer)
				if failure == nil && api == APIChat {
					got.Usage, got.NoUsage = whole.Usage, false // It comes after the end of the answer.
				}
				if diff := cmp.Diff(whole, got); failure == nil && diff != "" {
					t.Fatalf("cut at %d (-whole +got):\n%s", cut, diff)
				}
				_, failure = read(t, api, canned{stream: []byte(stream[:cut]), end: io.ErrUnexpectedEOF}, DefaultMaxAnswer)
				if failure == nil && cut < len(stream)-len("data: [DONE]\n\n") {
					t.Fatalf("broken at %d, and nobody noticed", cut)
				}
			}
		})
	}
}

// TestByteByByte is the same answer in the smallest pieces, and with the other ends of lines.
func TestByteByByte(t *testing.T) {
	t.Parallel()
	for api, stream := range streamsOf(t) {
		want, _ := read(t, api, canned{stream: []byte(stream)}, DefaultMaxAnswer)
		for name, c := range map[string]canned{
			"byte by byte":   {stream: []byte(stream), wrap: iotest.OneByteReader},
			"half a read":    {stream: []byte(stream), wrap: iotest.HalfReader},
			"data with EOF":  {stream: []byte(stream), wrap: iotest.DataErrReader},
			"carriage lines": {stream: []byte(strings.ReplaceAll(stream, "\n", "\r\n"))},
			"with comments":  {stream: []byte(strings.ReplaceAll(stream, "\n\n", "\n\n: still here\n\n"))},
		} {
			got, failure := read(t, api, c, 10_000)
			if failure != nil {
				t.Errorf("%s, %s: %v", api, name, failure)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", api, name, diff)
			}
		}
	}
}

// seed gives the fuzzer the stream whole, cut, doubled, woven into another, with bytes that are not UTF-8, and with a
// line that does not end.
func seed(f *testing.F, api string) {
	f.Helper()
	streams := streamsOf(f)
	stream := streams[api]
	f.Add([]byte(stream))
	for _, part := range []int{4, 3, 2} {
		f.Add([]byte(stream[:len(stream)/part]))
	}
	f.Add([]byte(stream + stream))
	f.Add([]byte(strings.ReplaceAll(stream, "42", "\xff\xfe")))
	f.Add([]byte("data: " + strings.Repeat("x", 20_000)))
	events := strings.SplitAfter(stream, "\n\n")
	for _, other := range streams {
		var woven strings.Builder
		for i, event := range strings.SplitAfter(other, "\n\n") {
			woven.WriteString(event)
			if i < len(events) {
				woven.WriteString(events[i])
			}
		}
		f.Add([]byte(woven.String()))
	}
	slices.Reverse(events)
	f.Add([]byte(strings.Join(events, "")))
}

func FuzzResponsesStream(f *testing.F) {
	seed(f, APIResponses)
	f.Fuzz(func(t *testing.T, stream []byte) { read(t, APIResponses, canned{stream: stream}, 10_000) })
}

func FuzzMessagesStream(f *testing.F) {
	seed(f, APIMessages)
	f.Fuzz(func(t *testing.T, stream []byte) { read(t, APIMessages, canned{stream: stream}, 10_000) })
}

func FuzzChatStream(f *testing.F) {
	seed(f, APIChat)
	f.Fuzz(func(t *testing.T, stream []byte) { read(t, APIChat, canned{stream: stream}, 10_000) })
}
