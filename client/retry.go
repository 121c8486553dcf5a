package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

const (
	firstWait = 200 * time.Millisecond
	// maxWait bounds what a server's Retry-After may ask of a caller that has its own deadline to keep.
	maxWait = 30 * time.Second
)

// connectionError is a server that could not be reached, or that hung up before it answered.
type connectionError struct {
	base  string
	cause error
}

func (e *connectionError) Error() string {
	cause := e.cause
	// The address is in the sentence already, and the client's own error would name it with the query.
	if inner := new(url.Error); errors.As(cause, &inner) {
		cause = inner.Err
	}
	return fmt.Sprintf("no answer from the server at %s: %v", e.base, cause)
}

func (e *connectionError) Unwrap() error { return e.cause }

// retryAfter tells whether a failed try may be followed by another, and after how long. A caller that gave up is no
// reason to go on.
func retryAfter(err error, try int) (time.Duration, bool) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return 0, false
	}
	delay := firstWait << min(try, 10)
	var problem *Problem
	switch {
	case errors.Is(err, errLost), errors.As(err, new(*connectionError)):
	case errors.As(err, &problem):
		if problem.Status != http.StatusTooManyRequests && problem.Status != http.StatusServiceUnavailable {
			return 0, false
		}
		delay = max(delay, problem.RetryAfter)
	default:
		return 0, false
	}
	return min(delay, maxWait), true
}

// sleep waits, or returns the context's error when it ends first.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
