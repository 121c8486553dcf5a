package dsl

import (
	"errors"
	"slices"
	"time"
)

// retryClasses are the classes of failures that are tried again where a retry does not say which.
func retryClasses() []string {
	return []string{"timeout", "http_5xx", "http_429", "connection", "exit"}
}

// clock is the time of a call's attempts, by the host's clock: from when the first began to when the last ended.
type clock struct{ first, last time.Time }

func (c *clock) note(settled Settled) {
	if c.first.IsZero() {
		c.first = settled.Began
	}
	if settled.EndedAt.After(c.last) {
		c.last = settled.EndedAt
	}
}

func (c *clock) seconds() float64 { return c.last.Sub(c.first).Seconds() }

// once makes the attempts of a call until one succeeds or none may follow, and checks what it yields.
func (c *calling) once() (any, error) {
	attempts, backoff := 1, 0.0
	if c.node.Retry != nil {
		attempts, backoff = c.node.Retry.Attempts, c.node.Retry.BackoffSeconds
	}
	for try := 1; ; try++ {
		result, err := c.attempt(try < attempts)
		if err == nil {
			return c.checked(result)
		}
		var failed *EffectError
		if !errors.As(err, &failed) || try >= attempts || !c.retries(failed) {
			return nil, c.failure(err)
		}
		if err := c.pause("retry", backoff*float64(try)); err != nil {
			return nil, err
		}
	}
}

// attempt has the effect once and tells of it.
func (c *calling) attempt(more bool) (any, error) {
	c.ask.Number++
	c.in.emit(c.at, c.node, "effect.attempt", ObjectOf(
		"via", c.node.Via, "attempt", float64(c.ask.Number), "idempotency_key", c.ask.IdempotencyKey))
	settled, err := c.in.host.Effect(c.at.ctx, c.ask)
	c.clock.note(settled)
	if err == nil {
		return settled.Result, nil
	}
	if failed, ok := errors.AsType[*EffectError](err); ok {
		c.in.emit(c.at, c.node, "effect.failed", c.failedDetail(failed, more && c.retries(failed)))
	}
	return nil, err //nolint:wrapcheck // what it becomes depends on what follows
}

func (c *calling) failedDetail(failed *EffectError, retrying bool) *Object {
	detail := ObjectOf("via", c.node.Via, "attempt", float64(c.ask.Number), "code", nil,
		"retry_class", textOrNull(failed.Class), "retrying", retrying, "message", shortened(failed.Message, 300))
	switch failed.Code {
	case CodeOutcomeUnknown:
		detail.Set("error_code", failed.Code)
		detail.Set("outcome", "unknown")
		detail.Set("interruption", failed.Interruption)
	case CodeDeadlineExceeded:
		detail.Set("error_code", failed.Code)
	default:
		detail.Set("code", textOrNull(failed.code()))
	}
	for key, value := range failed.Detail.All() {
		if !detail.Has(key) {
			detail.Set(key, value)
		}
	}
	return detail
}

// retries tells whether the call tries again after such a failure: one whose outcome is unknown or late never is.
func (c *calling) retries(failed *EffectError) bool {
	if c.node.Retry == nil || failed.unknown() || failed.Code == CodeDeadlineExceeded || c.at.ctx.Err() != nil {
		return false
	}
	on := c.node.Retry.On
	if on == nil {
		on = retryClasses()
	}
	return failed.Class != "" && slices.Contains(on, failed.Class) || slices.Contains(on, failed.code())
}

func (c *calling) pause(reason string, seconds float64) error {
	if seconds <= 0 {
		return nil
	}
	//nolint:wrapcheck // the host's own error ends the run as it is
	return c.in.host.Wait(c.at.ctx, Pause{Place: c.ask.Place, Number: c.ask.Number, Seconds: seconds, Reason: reason})
}

// failure is what a failed attempt makes the run fail with.
func (c *calling) failure(err error) error {
	var failed *EffectError
	if !errors.As(err, &failed) {
		return err
	}
	failure := &Failure{
		Code: failed.code(), Class: ClassEffect, Stage: c.ask.Label, ExecutionPath: c.at.path, Message: failed.Message,
		RetryClass: failed.Class, Detail: failed.Detail, Attempt: c.ask.Number, IdempotencyKey: c.ask.IdempotencyKey,
		cause: failed,
	}
	switch failed.Code {
	case CodeOutcomeUnknown:
		failure.Class, failure.Interruption = ClassUnknown, failed.Interruption
	case CodeDeadlineExceeded:
		failure.Class, failure.Late = ClassLate, failed.Late
	}
	return failure
}
