package models

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestManyAtOnce has one client make many requests at once over each protocol, some of which are answered, some refused,
// some broken and some given up: each ends as itself, and nothing is left running.
func TestManyAtOnce(t *testing.T) {
	before := goleak.IgnoreCurrent()
	streams := streamsOf(t)
	p := newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		api := map[string]string{
			"/v1/responses": APIResponses, "/v1/messages": APIMessages, "/v1/chat/completions": APIChat,
		}[r.URL.Path]
		switch r.Header.Get("Authorization") + r.Header.Get("X-Api-Key") {
		case "Bearer answered", "answered":
			streaming(streams[api])(w, r)
		case "Bearer refused", "refused":
			w.WriteHeader(http.StatusTooManyRequests)
		case "Bearer broken", "broken":
			cutting("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ndata: ")(w, r)
		default:
			<-r.Context().Done()
		}
	})
	client := New(Options{})
	codes := map[string]string{"refused": CodeRateLimited, "broken": CodeConnection, "given up": CodeCancelled}
	var all sync.WaitGroup
	for i := range 240 {
		fate := []string{"answered", "refused", "broken", "given up"}[i%4]
		r := p.asking(apisInOrder[i%3])
		r.APIKey = fate
		all.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if fate == "given up" {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			answer, err := client.Do(ctx, r, nil)
			var failure *Error
			switch {
			case fate == "answered":
				if err != nil || answer.Text != "The answer is 42." {
					t.Errorf("%s: %+v, %v", fate, answer, err)
				}
			case !errors.As(err, &failure) || failure.Code != codes[fate]:
				t.Errorf("%s: %v", fate, err)
			}
		})
	}
	all.Wait()
	p.Close()
	client.http.CloseIdleConnections()
	goleak.VerifyNone(t, before)
}

var apisInOrder = []string{APIResponses, APIMessages, APIChat}

// TestAnswerBeatsCancel: an answer that is whole is an answer, even if the caller gave up a moment later.
func TestAnswerBeatsCancel(t *testing.T) {
	t.Parallel()
	for api, stream := range streamsOf(t) {
		ctx, cancel := context.WithCancel(t.Context())
		c := New(Options{HTTP: &http.Client{Transport: canned{stream: []byte(stream)}}})
		answer, err := c.Do(ctx, conversation(api), func(Delta) { cancel() })
		if err == nil && answer.Text == "The answer is 42." {
			continue
		}
		var failure *Error
		if !errors.As(err, &failure) || failure.Code != CodeCancelled || failure.Spend == SpendUnbilled {
			t.Errorf("%s: %+v, %v", api, answer, err)
		}
	}
}

// TestDeadlineIsACancel: whoever sets a deadline learns that it was his own.
func TestDeadlineIsACancel(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for api := range encoders {
		reason := fmt.Errorf("the turn may take no longer: %w", context.DeadlineExceeded)
		ctx, cancel := context.WithTimeoutCause(t.Context(), 200*time.Millisecond, reason)
		_, err := New(Options{}).Do(ctx, p.asking(api), nil)
		cancel()
		var failure *Error
		if !errors.As(err, &failure) || failure.Code != CodeCancelled || failure.Retryable {
			t.Fatalf("%s: %v", api, err)
		}
		if want := "the turn may take no longer"; !containsText(failure.Message, want) {
			t.Errorf("%s: message %q does not say %q", api, failure.Message, want)
		}
	}
}
