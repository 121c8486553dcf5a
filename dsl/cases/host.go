package cases

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/agentrun/agentrun/dsl"
)

// Host is the scripted host: it answers from a script at once, lets time pass without waiting, and keeps the events.
type Host struct {
	*Script

	mutex  sync.Mutex
	events []dsl.Event
	now    time.Time
}

// NewHost makes a host of a script.
func NewHost(script *Script) *Host { return &Host{Script: script, now: time.Unix(0, 0).UTC()} }

// Effect answers an attempt, by the host's own clock.
func (h *Host) Effect(ctx context.Context, ask dsl.Attempt) (dsl.Settled, error) {
	began := h.clock(0)
	result, err := h.Script.Effect(ctx, ask)
	return dsl.Settled{Result: result, Began: began, EndedAt: h.clock(time.Millisecond)}, err
}

// Wait moves the host's clock on.
func (h *Host) Wait(ctx context.Context, ask dsl.Pause) error {
	h.clock(time.Duration(ask.Seconds * float64(time.Second)))
	return ctx.Err() //nolint:wrapcheck // the run was cancelled
}

func (h *Host) clock(passes time.Duration) time.Time {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.now = h.now.Add(passes)
	return h.now
}

// Observe keeps an event.
func (h *Host) Observe(event dsl.Event) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.events = append(h.events, event)
}

// Events are what happened, in order.
func (h *Host) Events() []dsl.Event {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return slices.Clone(h.events)
}
