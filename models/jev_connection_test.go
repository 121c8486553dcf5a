package models

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJudgeConnection(t *testing.T) {
	t.Parallel()
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
	for name, test := range map[string]struct {
		part   string
		status int
	}{
		"cut before the status": {"", 0},
		"cut before the answer": {head, 200},
		"cut in the answer":     {head + judgeAnswer, 200},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, cutting(test.part))
			got := failed(t, New(Options{}), judging(p.URL))
			want := &Error{Code: CodeConnection, Status: test.status, Retryable: true, Spend: SpendUnknown}
			if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	got := failed(t, New(Options{}), judging("http://127.0.0.1:1"))
	if diff := cmp.Diff(&Error{Code: CodeConnection, Retryable: true, Spend: SpendUnsent}, got, ignoreWords); diff != "" {
		t.Errorf("nobody there (-want +got):\n%s", diff)
	}
}

func TestJudgeIsCancelled(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{"no status": "", "in the answer": `{"answers":`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started, gone := make(chan struct{}, 1), make(chan struct{}, 1)
			p := newProvider(t, hanging(first, started, gone))
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-started
				cancel()
			}()
			_, err := New(Options{}).Do(ctx, judging(p.URL), nil)
			var got *Error
			if !errors.As(err, &got) || got.Code != CodeCancelled || got.Retryable || got.Spend != SpendUnknown {
				t.Errorf("got %+v", err)
			}
			await(t, gone, "closing the connection")
		})
	}
}

// TestJudgeHasAnEnd: an answer that keeps coming does not outlive its time, unlike a stream.
func TestJudgeHasAnEnd(t *testing.T) {
	t.Parallel()
	x := newExchange(t.Context(), nil, DefaultIdleTimeout, DefaultMaxAnswer, true)
	x.close()
	if x.idle != wholeTimeout {
		t.Errorf("an answer may take %s", x.idle)
	}
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for r.Context().Err() == nil {
			<-tick.C
			_, _ = io.WriteString(w, " ")
			_ = http.NewResponseController(w).Flush()
		}
	})
	got := failed(t, New(Options{IdleTimeout: 500 * time.Millisecond}), judging(p.URL))
	want := &Error{Code: CodeIdleTimeout, Status: 200, Retryable: true, Spend: SpendUnknown}
	if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(got.Message, "within 500ms") {
		t.Errorf("message %q", got.Message)
	}
}
