package dsl

import (
	"context"
	"errors"
	"testing"
	"time"
)

var errRefused = errors.New("refused")

// settleAfter is an act that settles in some way once it is told to stop.
func settleAfter(result any, err error) func(context.Context) (any, error) {
	return func(ctx context.Context) (any, error) {
		<-ctx.Done()
		return result, err
	}
}

func TestBounded(t *testing.T) {
	t.Parallel()
	known := &EffectError{Message: "connection reset", Class: "connection"}
	cases := []struct {
		name    string
		seconds float64
		act     func(context.Context) (any, error)
		want    EffectError // zero: it succeeds
		result  any
	}{
		{"success in time", 60, func(context.Context) (any, error) { return 1.0, nil }, EffectError{}, 1.0},
		{"failure in time", 60, func(context.Context) (any, error) { return nil, known }, EffectError{Class: "connection"}, nil},
		{"no deadline", 0, func(context.Context) (any, error) { return 2.0, nil }, EffectError{}, 2.0},
		{"failure once it is told to stop", 0.001, settleAfter(nil, errRefused), EffectError{Class: "timeout"}, nil},
		{"a failure that says its class", 0.001, settleAfter(nil, known), EffectError{Class: "connection"}, nil},
		{"success after the deadline", 0.001, settleAfter(3.0, nil), EffectError{Code: CodeDeadlineExceeded, Late: 3.0}, nil},
		{"a deadline beyond any clock", 1e300, func(context.Context) (any, error) { return 4.0, nil }, EffectError{}, 4.0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result, err := Bounded(t.Context(), c.seconds, time.Minute, c.act)
			var failed *EffectError
			if !errors.As(err, &failed) {
				failed = &EffectError{}
			}
			if failed.Class != c.want.Class || failed.Code != c.want.Code || failed.Late != c.want.Late {
				t.Errorf("it fails with %+v, want %+v", failed, c.want)
			}
			if result != c.result {
				t.Errorf("it yields %v, want %v", result, c.result)
			}
		})
	}
}

func TestBoundedUnknown(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	pending := func(context.Context) (any, error) {
		<-release
		return nil, nil //nolint:nilnil // nobody is told
	}
	_, err := Bounded(t.Context(), 0.001, time.Millisecond, pending)
	var failed *EffectError
	if !errors.As(err, &failed) || failed.Code != CodeOutcomeUnknown || failed.Interruption != "deadline" {
		t.Errorf("an effect that never settles fails with %+v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Bounded(ctx, 60, time.Millisecond, pending)
	if !errors.As(err, &failed) || failed.Code != CodeOutcomeUnknown || failed.Interruption != "cancelled" {
		t.Errorf("a cancelled effect that never settles fails with %+v", err)
	}
}

func TestBoundedCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errRefused)
	if _, err := Bounded(ctx, 60, time.Minute, settleAfter(nil, context.Canceled)); !errors.Is(err, errRefused) {
		t.Errorf("a cancelled effect that stops fails with %v, want the cause", err)
	}
	if result, err := Bounded(ctx, 60, time.Minute, settleAfter(5.0, nil)); err != nil || result != 5.0 {
		t.Errorf("a cancelled effect that succeeded all the same yields %v, %v", result, err)
	}
}
