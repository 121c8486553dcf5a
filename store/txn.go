package store

import (
	"context"
	"database/sql"
	"time"
)

// txn is the transaction a job sees. Heads are copies: those of a job that is undone are dropped with it, those of a
// transaction that is rolled back with the whole.
type txn struct {
	w          *writer
	statements *writeStatements
	now        time.Time
	// ctx is the context of the job that runs, without its end: a caller that gives up in the middle would interrupt the
	// connection, and with it the other jobs.
	ctx context.Context //nolint:containedctx // the job's, for as long as it runs

	batch map[string]*head // of the jobs that are done
	job   map[string]*head // of the job that runs
	// touched are the runs the done jobs wrote; true where one wrote a status.
	touched map[string]bool
	pages   int  // about how many pages were written
	faulty  bool // the disk or the database failed a job
}

func newTxn(w *writer, now time.Time) *txn {
	return &txn{w: w, statements: w.statements, now: now, batch: map[string]*head{}, touched: map[string]bool{}}
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
		loaded, err := t.load(id)
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
		if err := t.save(h); err != nil {
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
			t.touched[id] = t.touched[id] || h.moved
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

func (t *txn) exec(statement *sql.Stmt, args ...any) (sql.Result, error) {
	return statement.ExecContext(t.ctx, args...)
}

func (t *txn) row(statement *sql.Stmt, args ...any) *sql.Row {
	return statement.QueryRowContext(t.ctx, args...)
}

func (t *txn) query(statement *sql.Stmt, args ...any) (*sql.Rows, error) {
	return statement.QueryContext(t.ctx, args...)
}
