package store

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// together makes jobs share one batch: they wait while the writer is held.
func together(t *testing.T, s *Store, jobs ...func() error) []error {
	t.Helper()
	entered, release := make(chan struct{}), make(chan struct{})
	results := make([]error, len(jobs))
	var all sync.WaitGroup
	all.Go(func() {
		err := s.writer.do(t.Context(), func(*txn) error {
			close(entered)
			<-release
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-entered
	for i, j := range jobs {
		all.Go(func() { results[i] = j() })
	}
	for len(s.writer.jobs) < len(jobs) {
		runtime.Gosched() // the queue is what is waited for, and it tells nobody that a job came
	}
	close(release)
	all.Wait()
	return results
}

func TestAJobThatFailsTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, _ := claimed(t, b.Store)
	errBroken := errors.New("broken")
	good := func(key string) func() error {
		return func() error {
			_, err := b.Append(b.ctx, journal.Append{Claim: c, After: 1 << 20, Rows: []run.Row{text(key)}})
			return err
		}
	}
	results := together(t, b.Store, good("a"), func() error {
		return b.writer.do(b.ctx, func(tx *txn) error {
			h, err := tx.head(c.RunID)
			if err != nil {
				return err
			}
			if _, _, err := tx.add(h, text("undone")); err != nil {
				return err
			}
			return errBroken
		})
	}, good("b"))
	if results[0] != nil || !errors.Is(results[1], errBroken) || results[2] != nil {
		t.Errorf("results %v", results)
	}
	rows := allRows(t, b.Store, c.RunID)
	checkFold(t, b.Store, c.RunID, rows)
	if len(rows) != 5 {
		t.Errorf("rows %v", keysFrom(rows))
	}
}

func TestATransactionThatFailsIsTriedAgainJobByJob(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, _ := claimed(t, b.Store)
	// This job ends the transaction under the others, as SQLite itself does when a disk fails.
	fatal := func() error {
		return b.writer.do(b.ctx, func(tx *txn) error {
			if _, err := tx.w.conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
				return err
			}
			return errors.New("gone")
		})
	}
	jobs := append(make([]func() error, 0, 5), fatal)
	for i := range 4 {
		jobs = append(jobs, func() error {
			_, err := b.Append(b.ctx, journal.Append{Claim: c, After: 1 << 20, Rows: []run.Row{text(strconv.Itoa(i))}})
			return err
		})
	}
	results := together(t, b.Store, jobs...)
	if results[0] == nil {
		t.Error("the failing job was not refused")
	}
	for _, err := range results[1:] {
		if err != nil {
			t.Error(err)
		}
	}
	rows := allRows(t, b.Store, c.RunID)
	checkFold(t, b.Store, c.RunID, rows)
	if len(rows) != 7 {
		t.Errorf("rows %v", keysFrom(rows))
	}
	if health := b.Check(b.ctx); health.Store != healthy {
		t.Errorf("health %+v", health)
	}
}

func TestAJobNobodyWaitsForIsNotDone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	done := make(chan error, 1)
	// The job is put in the queue past the check of its context, as one whose caller gave up while it waited.
	b.writer.jobs <- &job{ctx: ctx, done: done, work: func(tx *txn) error {
		_, err := tx.createAgent(definition("unwanted"), nil)
		return err
	}}
	if err := soon(t, done); !errors.Is(err, context.Canceled) {
		t.Errorf("answer %v", err)
	}
	_, err := b.Agent(b.ctx, "unwanted")
	code(t, err, run.ErrNotFound)
	_, err = b.CreateAgent(ctx, definition("unwanted"), nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that ended: %v", err)
	}
}

func TestTheCacheForgetsTheOldest(t *testing.T) {
	t.Parallel()
	c := newHeadCache(2)
	for _, id := range []string{"a", "b", "a", "c"} {
		c.put(&head{id: id})
	}
	var kept []string
	for _, id := range []string{"a", "b", "c"} {
		if c.get(id) != nil {
			kept = append(kept, id)
		}
	}
	if diff := cmp.Diff([]string{"a", "c"}, kept); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
