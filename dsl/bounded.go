package dsl

import (
	"context"
	"errors"
	"math"
	"time"
)

// Bounded acts within a deadline in seconds, as the Effect of every host must. At the deadline, or when ctx is
// cancelled, it cancels act's context and waits a grace for it to settle. An act that then fails failed (by class
// timeout, unless it says otherwise); one that then succeeds was late, which is effect_deadline_exceeded; one that does
// neither has an outcome that nobody knows, effect_outcome_unknown, and goes on by itself. Seconds that are not above 0
// are no deadline.
func Bounded(
	ctx context.Context, seconds float64, grace time.Duration, act func(ctx context.Context) (any, error),
) (any, error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	settled := make(chan outcome, 1)
	go func() {
		result, err := act(inner)
		settled <- outcome{result, err}
	}()
	deadline := time.NewTimer(secondsOf(seconds))
	defer deadline.Stop()
	interruption := "deadline"
	select {
	case done := <-settled:
		return done.result, done.err
	case <-deadline.C:
	case <-ctx.Done():
		interruption = "cancelled"
	}
	stop()
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case done := <-settled:
		return done.interrupted(ctx, interruption)
	case <-patience.C:
		return nil, &EffectError{
			Code: CodeOutcomeUnknown, Interruption: interruption,
			Message: "the effect did not settle after it was interrupted (" + interruption + "): it may have happened",
		}
	}
}

type outcome struct {
	result any
	err    error
}

// interrupted is what an act came to that settled only after it was told to stop.
func (o outcome) interrupted(ctx context.Context, interruption string) (any, error) {
	cancelled := interruption == "cancelled"
	var known *EffectError
	switch {
	case o.err == nil && cancelled:
		return o.result, nil
	case o.err == nil:
		return nil, &EffectError{
			Code: CodeDeadlineExceeded, Late: o.result, Message: "the effect succeeded after its deadline",
		}
	case errors.As(o.err, &known):
		return nil, known
	case cancelled:
		return nil, context.Cause(ctx) //nolint:wrapcheck // a cancellation is not the effect's failure
	default:
		return nil, &EffectError{Class: "timeout", Message: "the deadline passed: " + o.err.Error()}
	}
}

// secondsOf is a duration of so many seconds, the longest there is where they are more or none.
func secondsOf(seconds float64) time.Duration {
	if seconds <= 0 || seconds > math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second))
}
