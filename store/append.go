package store

import (
	"context"
	"fmt"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// Append writes a worker's rows, and begins one model request after them, in one commit; see journal.Append. A claim
// that is no longer the run's is refused with run.ErrStaleEpoch, unless all it asks to write is there already.
func (s *Store) Append(ctx context.Context, ask journal.Append) (journal.Appended, error) {
	var done journal.Appended
	err := s.writer.do(ctx, func(t *txn) (err error) {
		done, err = t.append(ask)
		return err
	})
	if err != nil {
		return journal.Appended{}, err
	}
	return done, nil
}

func (t *txn) append(ask journal.Append) (journal.Appended, error) {
	h, err := t.head(ask.Claim.RunID)
	if err != nil {
		return journal.Appended{}, err
	}
	done := journal.Appended{At: t.now}
	if h.seq > ask.After {
		if done.Missed, err = t.missed(h, ask); err != nil {
			return done, err
		}
	}
	ended := h.holder == nil && h.epoch == ask.Claim.Epoch
	if ended || (ask.IfHead && len(done.Missed) > 0) {
		if recorded, err := t.recorded(h, ask); err != nil {
			return done, err
		} else if !recorded {
			done.Moved = true
		}
	}
	switch {
	case !ended && !h.heldBy(ask.Claim), ended && done.Moved:
		return done, staleEpoch(h, ask.Claim)
	case done.Moved:
		return done, nil
	}
	for i, row := range ask.Rows {
		written, _, err := t.add(h, row)
		if err != nil {
			return done, fmt.Errorf("append row %d of %d: %w", i+1, len(ask.Rows), err)
		}
		done.Seqs, done.At = append(done.Seqs, written.Seq), written.At
	}
	return done, t.beginAll(h, ask, &done)
}

func (t *txn) beginAll(h *head, ask journal.Append, done *journal.Appended) error {
	if ask.Begin != nil {
		begun, err := t.begin(h, *ask.Begin, done)
		if err != nil {
			return err
		}
		done.Began, done.Grant = &begun.Row, &begun.Grant
	}
	for _, further := range ask.Further {
		begun, err := t.begin(h, further, done)
		if err != nil {
			return err
		}
		done.Further = append(done.Further, begun)
	}
	return nil
}

func (h *head) heldBy(claim journal.Claim) bool {
	return h.holder != nil && h.epoch == claim.Epoch && h.holder.Worker == claim.Worker
}

func staleEpoch(h *head, claim journal.Claim) error {
	return run.Errorf(run.ErrStaleEpoch, "run %s is at epoch %d and worker %q wrote at epoch %d, without holding it: drop the "+
		"run, whoever holds it goes on", h.id, h.epoch, claim.Worker, claim.Epoch).
		With("run_id", h.id).With("epoch", h.epoch)
}

// missed are the rows after ask.After that somebody else wrote: none of the ask's own keys, and not the row that a
// refused begin of the same worker brought with it.
func (t *txn) missed(h *head, ask journal.Append) ([]run.Row, error) {
	rows, err := collect(t.query(t.statements.rowsAfter, position(h.no, ask.After), position(h.no+1, 0)))
	if err != nil {
		return nil, err
	}
	own := map[string]bool{}
	for _, key := range keysOf(ask) {
		own[key] = true
	}
	var others []run.Row
	for _, row := range rows {
		if !own[row.Key] && row.Type != run.RowSpendCap {
			others = append(others, row)
		}
	}
	return others, unpack(t.ctx, t.statements.blob, others)
}

// recorded tells whether everything an append asks to write is in the journal: it was done, and its answer was lost.
func (t *txn) recorded(h *head, ask journal.Append) (bool, error) {
	keys := keysOf(ask)
	for _, key := range keys {
		if seq, _, err := t.seqOf(h, key); err != nil || seq == 0 {
			return false, err
		}
	}
	return len(keys) > 0, nil
}

func keysOf(ask journal.Append) []string {
	keys := make([]string, 0, len(ask.Rows)+1)
	for _, row := range ask.Rows {
		keys = append(keys, row.Key)
	}
	if ask.Begin != nil {
		keys = append(keys, ask.Begin.Key)
	}
	for _, further := range ask.Further {
		keys = append(keys, further.Key)
	}
	return keys
}
