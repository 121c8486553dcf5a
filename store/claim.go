package store

import (
	"context"
	"fmt"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// ClaimRun gives a worker the right to write a run's journal, at the next epoch. It is refused with run.ErrHeld while a
// live worker holds the run with the same or a later token, and with run.ErrConflict when there is nothing to drive.
func (s *Store) ClaimRun(ctx context.Context, ask journal.Open) (journal.Opened, error) {
	var claim journal.Claim
	err := s.writer.do(ctx, func(t *txn) (err error) {
		claim, err = t.claim(ask)
		return err
	})
	if err != nil {
		return journal.Opened{}, err
	}
	opened := journal.Opened{Claim: claim}
	if opened.Config, err = s.Config(ctx, ask.RunID); err != nil {
		return journal.Opened{}, err
	}
	if opened.Run, opened.Head, err = s.runAndHead(ctx, ask.RunID); err != nil {
		return journal.Opened{}, err
	}
	return opened, nil
}

func (t *txn) claim(ask journal.Open) (journal.Claim, error) {
	h, err := t.head(ask.RunID)
	if err != nil {
		return journal.Claim{}, err
	}
	was := h.projection.State
	if !driven(was) {
		return journal.Claim{}, run.Errorf(run.ErrConflict, "run %s is %s (%s): there is nothing to drive", h.id,
			h.projection.Status, was).With("status", h.projection.Status).With("state", was)
	}
	if !h.free(ask, t.w.options.Alive) {
		return journal.Claim{}, run.Errorf(run.ErrHeld, "run %s is driven by worker %q (process %d on %s) at epoch %d", h.id,
			h.holder.Worker, h.holder.PID, h.holder.Host, h.epoch).With("run_id", h.id)
	}
	holder := ask.Holder
	h.epoch++
	h.token = ask.Token
	change := run.StatusChange{Status: run.Working, State: run.StateRunning, Epoch: h.epoch}
	if was != run.StateQueued {
		change.Reason = "reopened"
	}
	if _, _, err := t.add(h, run.NewRow(run.RowStatus, fmt.Sprintf("claim/%d", h.epoch), change, nil)); err != nil {
		return journal.Claim{}, err
	}
	h.holder = &holder
	return journal.Claim{RunID: h.id, Epoch: h.epoch, Worker: holder.Worker}, nil
}

// free tells whether a claim may be given to who asks.
func (h *head) free(ask journal.Open, alive func(string) bool) bool {
	return h.holder == nil || h.holder.Worker == ask.Holder.Worker || ask.Token > h.token || !alive(h.holder.Worker)
}

// driven tells whether a run in this state is one that a worker drives, or is to drive.
func driven(state run.State) bool {
	return state == run.StateQueued || state == run.StateRunning || state == run.StateSleeping
}
