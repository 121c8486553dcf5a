package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// commit runs the jobs in one transaction and answers each of them. An error means that nothing of the batch was kept
// and nobody was answered.
func (w *writer) commit(ctx context.Context, batch []*job) error {
	t := newTxn(w, w.options.Now().UTC().Truncate(time.Millisecond))
	if _, err := w.statements.begin.ExecContext(ctx); err != nil {
		return w.failed(fmt.Errorf("begin a transaction: %w", err))
	}
	answers := make([]error, len(batch))
	for i, j := range batch {
		if answers[i] = j.ctx.Err(); answers[i] != nil {
			continue
		}
		refused, err := t.runJob(j)
		if err != nil {
			return w.rollBack(ctx, err)
		}
		answers[i] = refused
	}
	if _, err := w.statements.commit.ExecContext(ctx); err != nil {
		return w.rollBack(ctx, fmt.Errorf("commit: %w", err))
	}
	if !t.faulty {
		w.disk.wrote()
	}
	for _, h := range t.batch {
		w.heads.put(h)
	}
	// Readers first: who subscribes after a write was answered is not told of that write.
	w.subs.notify(t.changes())
	for i, j := range batch {
		j.done <- answers[i]
	}
	w.log.wrote(t.pages)
	return nil
}

// runJob runs one job in a savepoint. refused is the job's own error, which undoes it alone; err ends the transaction.
func (t *txn) runJob(j *job) (refused, err error) {
	t.ctx, t.job = context.WithoutCancel(j.ctx), map[string]*head{}
	if _, err := t.exec(t.statements.savepoint); err != nil {
		return nil, fmt.Errorf("begin a job: %w", err)
	}
	refused = j.work(t)
	if refused == nil {
		refused = t.flush()
	}
	if refused == nil {
		_, refused = t.exec(t.statements.release)
	}
	if refused == nil {
		t.keep()
		return nil, nil
	}
	if sqliteCode(refused) != 0 {
		t.faulty = true
		refused = t.w.failed(refused)
	}
	if _, err := t.exec(t.statements.rollbackTo); err != nil {
		return nil, errors.Join(refused, fmt.Errorf("undo a job: %w", err))
	}
	if _, err := t.exec(t.statements.release); err != nil {
		return nil, errors.Join(refused, fmt.Errorf("undo a job: %w", err))
	}
	return refused, nil
}

// rollBack ends a transaction that cannot be committed and says why. SQLite may have rolled it back already.
func (w *writer) rollBack(ctx context.Context, cause error) error {
	_, _ = w.conn.ExecContext(ctx, "ROLLBACK")
	return w.failed(cause)
}

// failed notes a failure of the disk or the database for Check, and gives it its code.
func (w *writer) failed(err error) error {
	err = w.disk.explain(err)
	w.disk.failed(err)
	return err
}

// restartLog makes SQLite's log start over where steady writing never let the checkpointer reach its end.
func (w *writer) restartLog(ctx context.Context) {
	if !w.log.long.CompareAndSwap(true, false) {
		return
	}
	if _, err := w.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(RESTART)"); err != nil {
		w.options.Log.Debug("restart the log", "error", err)
	}
}

// close closes the connections, the log moved into the database so that the next start need not.
func (w *writer) close() error {
	if _, err := w.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		w.options.Log.Debug("empty the log", "error", err)
	}
	return errors.Join(w.statements.close(), w.log.db.Close(), w.conn.Close(), w.db.Close())
}
