package models

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestNobodyThere(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "http://" + listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for api := range encoders {
		r := unserved(api, address)
		got := failed(t, New(Options{}), r)
		want := &Error{Code: CodeConnection, Retryable: true, Spend: SpendUnsent}
		if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
			t.Errorf("%s (-want +got):\n%s", api, diff)
		}
		if !strings.Contains(got.Message, "could not be reached") {
			t.Errorf("%s: message %q", api, got.Message)
		}
	}
}

// unserved is a small request to an address.
func unserved(api, address string) Request {
	r := conversation(api)
	r.Model.Provider, r.BaseURL = "test", address
	return r
}

func TestNoAddress(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "models.example/v1", "ftp://models.example", "http://", "http://a b/", "://"} {
		got := failed(t, New(Options{}), unserved(APIChat, base))
		want := &Error{Code: CodeUnsupported, Spend: SpendUnsent}
		if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
			t.Errorf("%q (-want +got):\n%s", base, diff)
		}
	}
	r := unserved("telepathy", "http://127.0.0.1:1")
	if got := failed(t, New(Options{}), r); got.Code != CodeUnsupported || got.Spend != SpendUnsent {
		t.Errorf("an unknown protocol: %+v", got)
	}
}

// cutting hijacks the connection, says a part of an answer and hangs up.
func cutting(part string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, buffered, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		_, _ = buffered.WriteString(part)
		_ = buffered.Flush()
		_ = conn.Close()
	}
}

func TestCutConnection(t *testing.T) {
	t.Parallel()
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	for name, test := range map[string]struct {
		part   string
		status int
	}{
		"before the status":   {"", 0},
		"before the stream":   {head, 200},
		"in an event":         {head + "10\r\nevent: message_s\r\n", 200},
		"in a chunk":          {head + "100\r\ndata: {", 200},
		"after a whole event": {head + "13\r\ndata: {\"choices\":[]}\n\r\n", 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, cutting(test.part))
			for api := range encoders {
				got := failed(t, New(Options{}), p.asking(api))
				want := &Error{Code: CodeConnection, Status: test.status, Retryable: true, Spend: SpendUnknown}
				if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
					t.Errorf("%s (-want +got):\n%s", api, diff)
				}
			}
		})
	}
}

// hanging says the head and, if it is not empty, a first event, and then nothing until the client is gone, which it
// tells on gone.
func hanging(first string, started chan<- struct{}, gone chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if first != "" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, first)
			_ = http.NewResponseController(w).Flush()
		}
		started <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	}
}

func await(t *testing.T, signal <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s did not happen", what)
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"no status": "", "in the stream": ": hello\n\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for api := range encoders {
				started, gone := make(chan struct{}, 1), make(chan struct{}, 1)
				p := newProvider(t, hanging(first, started, gone))
				got := failed(t, New(Options{IdleTimeout: 500 * time.Millisecond}), p.asking(api))
				want := &Error{Code: CodeIdleTimeout, Status: got.Status, Retryable: true, Spend: SpendUnknown}
				if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
					t.Errorf("%s (-want +got):\n%s", api, diff)
				}
				await(t, gone, "closing the connection")
			}
		})
	}
}

func TestCancelClosesTheConnection(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"no status": "", "in the stream": ": hello\n\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for api := range encoders {
				started, gone := make(chan struct{}, 1), make(chan struct{}, 1)
				p := newProvider(t, hanging(first, started, gone))
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					<-started
					cancel()
				}()
				_, err := New(Options{}).Do(ctx, p.asking(api), nil)
				var got *Error
				if !errors.As(err, &got) {
					t.Fatalf("error %v", err)
				}
				want := &Error{Code: CodeCancelled, Status: got.Status, Spend: SpendUnknown}
				if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
					t.Errorf("%s (-want +got):\n%s", api, diff)
				}
				await(t, gone, "closing the connection")
			}
		})
	}
}

func TestCancelBeforeSending(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for api := range encoders {
		_, err := New(Options{}).Do(ctx, unserved(api, "http://127.0.0.1:1"), nil)
		var got *Error
		if !errors.As(err, &got) || got.Code != CodeCancelled || got.Spend != SpendUnsent || got.Retryable {
			t.Errorf("%s: %+v", api, err)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: the cause is lost: %v", api, errors.Unwrap(err))
		}
	}
}

// TestConnectionsAreKept: one request after another goes over one connection, also after an error.
func TestConnectionsAreKept(t *testing.T) {
	t.Parallel()
	for api, stream := range map[string]string{
		APIResponses: responsesAnswer(t), APIMessages: messagesAnswer(t), APIChat: chatAnswer(t),
	} {
		var count atomic.Int64
		p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
			if count.Add(1)%3 == 0 {
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			streaming(stream)(w, r)
		})
		var fresh atomic.Int64
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if !info.Reused {
				fresh.Add(1)
			}
		}})
		client := New(Options{})
		for range 9 {
			_, _ = client.Do(ctx, p.asking(api), nil)
		}
		if got := fresh.Load(); got != 1 {
			t.Errorf("%s: 9 requests used %d connections", api, got)
		}
	}
}

// TestStreamThatDoesNotEnd: the answer is complete, the provider just keeps the stream open.
func TestStreamThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	for api, stream := range map[string]string{
		APIResponses: responsesAnswer(t), APIMessages: messagesAnswer(t), APIChat: chatAnswer(t),
	} {
		started, gone := make(chan struct{}, 1), make(chan struct{}, 1)
		p := newProvider(t, hanging(stream, started, gone))
		answer, err := New(Options{}).Do(t.Context(), p.asking(api), nil)
		if err != nil || answer.Text != "The answer is 42." {
			t.Errorf("%s: %+v, %v", api, answer, err)
		}
		await(t, gone, "closing the connection")
	}
}
