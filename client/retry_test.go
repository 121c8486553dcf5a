package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
)

// failing answers a status for the first n calls, then an empty object.
func failing(n int64, status int) (http.HandlerFunc, *atomic.Int64) {
	var calls atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) <= n {
			answer(w, status, `{"detail":"come back","code":"unavailable"}`)
			return
		}
		answer(w, 200, `{}`)
	}, &calls
}

func TestWhichCallsAreSentAgain(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		status int
		call   func(context.Context, *Client) error
		calls  int64
		ok     bool
	}{
		"a read of a busy server": {503, func(ctx context.Context, c *Client) error {
			_, err := c.Run(ctx, "run_1")
			return err
		}, 2, true},
		"a read past a limit": {429, func(ctx context.Context, c *Client) error {
			_, err := c.Run(ctx, "run_1")
			return err
		}, 2, true},
		"a read of a broken server": {500, func(ctx context.Context, c *Client) error {
			_, err := c.Run(ctx, "run_1")
			return err
		}, 1, false},
		"a new run with a key": {503, func(ctx context.Context, c *Client) error {
			_, err := c.CreateRun(ctx, "a", NewRun{Content: "x", IdempotencyKey: "k"})
			return err
		}, 2, true},
		"a new run without one": {503, func(ctx context.Context, c *Client) error {
			_, err := c.CreateRun(ctx, "a", NewRun{Content: "x"})
			return err
		}, 1, false},
		"a message without a key": {503, func(ctx context.Context, c *Client) error {
			return c.Message(ctx, "run_1", "x", "")
		}, 1, false},
		"a new agent": {503, func(ctx context.Context, c *Client) error {
			_, err := c.CreateAgent(ctx, run.Definition{})
			return err
		}, 1, false},
		"a cancel": {503, func(ctx context.Context, c *Client) error {
			_, err := c.Cancel(ctx, "run_1")
			return err
		}, 2, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler, calls := failing(1, tc.status)
			c, _ := serve(t, handler)
			if err := tc.call(t.Context(), c); (err == nil) != tc.ok {
				t.Errorf("error %v", err)
			}
			if got := calls.Load(); got != tc.calls {
				t.Errorf("%d calls, want %d", got, tc.calls)
			}
		})
	}
}

func TestTriesEnd(t *testing.T) {
	t.Parallel()
	handler, calls := failing(100, 503)
	c, _ := serve(t, handler)
	if _, err := c.Run(t.Context(), "run_1"); run.CodeOf(err) != run.ErrUnavailable {
		t.Errorf("error %v", err)
	}
	if got := calls.Load(); got != 3 {
		t.Errorf("%d calls", got)
	}
	c.retries = -1
	calls.Store(0)
	if _, err := c.Run(t.Context(), "run_1"); err == nil || calls.Load() != 1 {
		t.Errorf("error %v after %d calls", err, calls.Load())
	}
}

func TestAServerThatIsGoneIsNamed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	_, err := connect(t, server.URL).Runs(t.Context(), RunFilter{Agent: "a"}, Page{})
	if err == nil || !strings.HasPrefix(err.Error(), "no answer from the server at "+server.URL+": ") {
		t.Errorf("error %v", err)
	}
	if strings.Contains(err.Error(), "agent=a") {
		t.Errorf("the query shows: %v", err)
	}
}

func TestACallerThatGaveUpIsNotRetriedFor(t *testing.T) {
	t.Parallel()
	handler, calls := failing(100, 503)
	c, _ := serve(t, handler)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Run(ctx, "run_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if calls.Load() != 0 {
		t.Errorf("%d calls", calls.Load())
	}
}

func TestHowLongToWait(t *testing.T) {
	t.Parallel()
	busy := func(after time.Duration) error { return &Problem{Status: 503, RetryAfter: after} }
	cases := map[string]struct {
		err   error
		try   int
		want  time.Duration
		again bool
	}{
		"first try":                    {&connectionError{cause: errors.New("refused")}, 0, 200 * time.Millisecond, true},
		"third try":                    {&connectionError{cause: errors.New("refused")}, 2, 800 * time.Millisecond, true},
		"many tries":                   {&connectionError{cause: errors.New("refused")}, 900, maxWait, true},
		"the server says when":         {busy(3 * time.Second), 0, 3 * time.Second, true},
		"the server asks for too much": {busy(time.Hour), 0, maxWait, true},
		"a stream that was lost":       {errLost, 1, 400 * time.Millisecond, true},
		"a refusal":                    {&Problem{Status: 404}, 0, 0, false},
		"another fault":                {errors.New("no JSON"), 0, 0, false},
		"a deadline":                   {&connectionError{cause: context.DeadlineExceeded}, 0, 0, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, again := retryAfter(tc.err, tc.try)
			if got != tc.want || again != tc.again {
				t.Errorf("%v %v, want %v %v", got, again, tc.want, tc.again)
			}
		})
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	t.Parallel()
	if err := sleep(t.Context(), time.Nanosecond); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sleep(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
