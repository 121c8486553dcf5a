package store

import "github.com/agentrun/agentrun/run"

// phase is where a run stands, as far as commands go.
type phase int

const (
	queued         phase = iota // in line for a worker
	running                     // driven by one
	sleeping                    // cut by a drain: the next start drives it
	waitingMessage              // stopped: a message lets it go on
	waitingBudget               // at its cap: a higher one lets it go on
	paused                      // held: resume lets it go on
	completed                   // an agent run that takes a follow-up
	finished                    // a completed workflow run: nothing follows
	failed
	cancelled
	phases
)

// phaseOf reads a run's phase off its head.
func phaseOf(h *head) phase {
	p := &h.projection
	switch p.Status {
	case run.Completed:
		if h.kind == run.KindAgent {
			return completed
		}
		return finished
	case run.Failed:
		return failed
	case run.Cancelled:
		return cancelled
	}
	switch p.State {
	case run.StateRunning:
		return running
	case run.StateSleeping:
		return sleeping
	case run.StatePaused:
		return paused
	case run.StateWaiting:
		if p.Pending != nil && p.Pending.Kind == run.PendingBudget {
			return waitingBudget
		}
		return waitingMessage
	}
	return queued
}
