package store

import "time"

// txn is the transaction a job sees. It never takes a caller's context: one that ended in the middle would interrupt the
// connection, and with it the other jobs. Heads are copies: those of a job that is undone are dropped with it, those of a
// transaction that is rolled back with the whole.
type txn struct {
	w     *writer
	now   time.Time
	batch map[string]*head // of the jobs that are done
	job   map[string]*head // of the job that runs
	// touched are the runs the done jobs wrote; true where a status changed.
	touched map[string]bool
	pages   int // about how many pages were written
}

func newTxn(w *writer, now time.Time) *txn {
	return &txn{w: w, now: now, batch: map[string]*head{}, touched: map[string]bool{}}
}

// head is a run's head as this transaction has it, for the job to change.
func (t *txn) head(id string) (*head, error) {
	if h := t.job[id]; h != nil {
		return h, nil
	}
	h := t.batch[id]
	if h == nil {
		h = t.w.heads.get(id)
	}
	if h == nil {
		loaded, err := t.w.load(id)
		if err != nil {
			return nil, err
		}
		h = loaded
	}
	next := h.copied()
	t.job[id] = next
	return next, nil
}

// flush writes the rows of the runs the job changed.
func (t *txn) flush() error {
	for _, h := range t.job {
		if !h.dirty && !h.changed {
			continue
		}
		if err := t.w.save(h); err != nil {
			return err
		}
		t.pages++
	}
	return nil
}

// keep takes the finished job's heads over into the batch.
func (t *txn) keep() {
	for id, h := range t.job {
		t.batch[id] = h
		if h.dirty || h.changed {
			t.touched[id] = t.touched[id] || h.changed
		}
	}
}

// changes are what the transaction did, to be told once it is committed.
func (t *txn) changes() []change {
	changes := make([]change, 0, len(t.touched))
	for id, status := range t.touched {
		changes = append(changes, change{runID: id, status: status, projection: t.batch[id].projection})
	}
	return changes
}
