package store

import "context"

// FenceWorker takes every run from a worker that is lost: what it still writes is refused with run.ErrStaleEpoch, and
// any worker may claim the runs, which are returned.
func (s *Store) FenceWorker(ctx context.Context, worker string) ([]QueueItem, error) {
	held, err := s.HeldBy(ctx, worker)
	if err != nil {
		return nil, err
	}
	var fenced []QueueItem
	for _, item := range held {
		taken := false
		err := s.writer.do(ctx, func(t *txn) error {
			h, err := t.head(item.RunID)
			if err != nil {
				return err
			}
			if taken = h.holder != nil && h.holder.Worker == worker; taken {
				h.holder, h.changed = nil, true
			}
			return nil
		})
		if err != nil {
			return fenced, err
		}
		if taken {
			item.Holder = nil
			fenced = append(fenced, item)
		}
	}
	return fenced, nil
}

// Strike counts the death of the worker that drove a run and returns how many there were in a row: a run whose steps go
// on ending may be interrupted for ever, so a step that ended since the last one starts the count again.
func (s *Store) Strike(ctx context.Context, runID string) (int, error) {
	var strikes int
	err := s.writer.do(ctx, func(t *txn) error {
		h, err := t.head(runID)
		if err != nil {
			return err
		}
		if h.projection.Progress != h.struckAt {
			h.strikes = 0
		}
		h.strikes++
		h.struckAt, h.changed = h.projection.Progress, true
		strikes = h.strikes
		return nil
	})
	if err != nil {
		return 0, err
	}
	return strikes, nil
}
