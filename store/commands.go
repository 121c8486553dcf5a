package store

import (
	"context"
	"fmt"

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

// Message gives a run a message: a follow-up to one that completed, an answer to one that waits for it, else one more
// for its next turn. A run that takes none is refused with run.ErrNotContinuable.
func (s *Store) Message(ctx context.Context, id, content string, idem *Idempotency) (Outcome, error) {
	return s.command(ctx, id, func(t *txn, h *head) (Outcome, error) {
		var first Outcome
		if seen, err := t.recall(idem, &first); err != nil || seen {
			return first, err
		}
		outcome, err := t.obey(h, sendMessage, run.UserMessage{Content: content, Origin: originUser})
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
		return t.obey(h, c, struct {
			Origin string `json:"origin"`
		}{originUser})
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

// obey does what the table says of a command; body is that of its inbox row.
func (t *txn) obey(h *head, c command, body any) (Outcome, error) {
	does := effects[c][phaseOf(h)]
	if does.refusal != "" {
		return Outcome{}, run.Errorf(does.refusal, "run %s is %s: %s", h.id, h.projection.Status, does.why).
			With("run_id", h.id).With("status", h.projection.Status)
	}
	if does.inbox != "" {
		if _, _, err := t.add(h, run.NewRow(does.inbox, inboxKey(h, does.inbox), body, nil)); err != nil {
			return Outcome{}, err
		}
	}
	if does.to != nil {
		if err := t.move(h, *does.to); err != nil {
			return Outcome{}, err
		}
	}
	shown, err := t.shown(h)
	return Outcome{
		Run: shown, Nudge: does.nudge, Already: does.already,
		Requeued: does.to != nil && does.to.Status == run.Queued,
	}, err
}

// inboxKey names an inbox row. A worker obeys a stop or a cancel once an epoch, so asking again adds no row.
func inboxKey(h *head, kind run.RowType) string {
	if kind == run.RowStopRequested || kind == run.RowCancelRequested {
		return fmt.Sprintf("%s/epoch/%d", kind, h.epoch)
	}
	return fmt.Sprintf("%s/%d", kind, h.seq+1)
}

// move changes the status of a run that nobody drives.
func (t *txn) move(h *head, to run.StatusChange) error {
	if to.Status == run.Queued && h.archived {
		return run.Errorf(run.ErrConflict, "run %s is archived: unarchive it first", h.id)
	}
	if to.Status.Terminal() && h.projection.State == run.StateSleeping {
		if err := t.closeRequests(h); err != nil {
			return err
		}
	}
	_, _, err := t.add(h, run.NewRow(run.RowStatus, fmt.Sprintf("status/%d", h.seq+1), to, nil))
	return err
}
