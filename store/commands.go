package store

import (
	"context"

	"github.com/agentrun/agentrun/run"
)

// Outcome is what a command did.
type Outcome struct {
	Run run.Run
	// Nudge: a worker drives the run and is to look at its inbox.
	Nudge bool
	// Requeued: the run is in line for a worker again.
	Requeued bool
	// Already: it was so before, and nothing was written.
	Already bool
}

const originUser = "user"

// asked is the body of an inbox row that says no more than who asked.
type asked struct {
	Origin string `json:"origin"`
}

// SetCap gives a run another spend cap (nil: none). One below what is spent and held is refused with run.ErrConflict and
// the floor in its details. A run that waits at its cap goes on once the new one buys what it needs.
func (s *Store) SetCap(ctx context.Context, id string, limit *run.USD) (Outcome, error) {
	if limit != nil && *limit < 0 {
		return Outcome{}, run.Invalid(run.Issue{Path: "max_cost_usd", Code: "out_of_range", Message: "it cannot be negative"})
	}
	limit = roundDown(limit)
	return s.command(ctx, id, func(t *txn, h *head) (Outcome, error) {
		d, err := decideCap(h, limit)
		return t.obey(h, d, err)
	})
}

// Message gives a run a message: a follow-up to one that completed, an answer to one that waits for it, else one more
// for its next turn. A run that takes none is refused with run.ErrNotContinuable.
func (s *Store) Message(ctx context.Context, id, content string, idem *Idempotency) (Outcome, error) {
	return s.command(ctx, id, func(t *txn, h *head) (Outcome, error) {
		var first Outcome
		if seen, err := t.recall(idem, &first); err != nil || seen {
			return first, err
		}
		d, err := decide(h, sendMessage, run.UserMessage{Content: content, Origin: originUser})
		outcome, err := t.obey(h, d, err)
		if err != nil {
			return Outcome{}, err
		}
		return outcome, t.remember(idem, outcome)
	})
}

// Stop cuts what a run does at the moment; it then waits for a message.
func (s *Store) Stop(ctx context.Context, id string) (Outcome, error) {
	return s.plain(ctx, id, stopRun)
}

// Cancel ends a run for good.
func (s *Store) Cancel(ctx context.Context, id string) (Outcome, error) {
	return s.plain(ctx, id, cancelRun)
}

// Pause holds a run before its next request.
func (s *Store) Pause(ctx context.Context, id string) (Outcome, error) {
	return s.plain(ctx, id, pauseRun)
}

// Resume lets a paused run go on.
func (s *Store) Resume(ctx context.Context, id string) (Outcome, error) {
	return s.plain(ctx, id, resumeRun)
}

func (s *Store) plain(ctx context.Context, id string, c command) (Outcome, error) {
	return s.command(ctx, id, func(t *txn, h *head) (Outcome, error) {
		d, err := decide(h, c, asked{originUser})
		return t.obey(h, d, err)
	})
}

func (s *Store) command(ctx context.Context, id string, act func(*txn, *head) (Outcome, error)) (Outcome, error) {
	var outcome Outcome
	err := s.writer.do(ctx, func(t *txn) error {
		h, err := t.head(id)
		if err != nil {
			return err
		}
		outcome, err = act(t, h)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return outcome, nil
}

// obey writes what was decided.
func (t *txn) obey(h *head, d decision, refused error) (Outcome, error) {
	if refused != nil {
		return Outcome{}, refused
	}
	if d.closes {
		if err := t.closeRequests(h); err != nil {
			return Outcome{}, err
		}
	}
	if err := t.addAll(h, d.rows); err != nil {
		return Outcome{}, err
	}
	shown, err := t.shown(h)
	d.outcome.Run = shown
	return d.outcome, err
}
