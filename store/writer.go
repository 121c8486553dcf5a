package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/agentrun/agentrun/run"
)

// maxBatch bounds how many jobs share one commit, and so how long the first of them waits for the last.
const maxBatch = 256

// job is one write. work may run more than once (a commit that failed is tried again job by job), so it sets what it
// answers and changes nothing else outside the transaction.
type job struct {
	ctx  context.Context //nolint:containedctx // the caller's: a job nobody waits for is not begun
	work func(*txn) error
	done chan error
}

// writer owns the write connection. All its fields but the queue belong to its goroutine.
type writer struct {
	options    Options
	db         *sql.DB
	conn       *sql.Conn
	bun        *bun.DB // makes queries, which are run on conn
	statements *writeStatements
	heads      *headCache
	subs       *subscriptions
	log        *checkpointer
	disk       *diskState

	gate    sync.RWMutex // held for reading while a job is put in the queue
	stopped bool
	jobs    chan *job
	ended   chan struct{}
}

func startWriter(ctx context.Context, db *sql.DB, options Options, subs *subscriptions) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	statements, err := prepareWrites(ctx, conn)
	if err != nil {
		return nil, errors.Join(err, statements.close(), conn.Close())
	}
	log, err := startCheckpointer(ctx, options)
	if err != nil {
		return nil, errors.Join(err, statements.close(), conn.Close())
	}
	w := &writer{
		options: options, db: db, conn: conn, bun: bun.NewDB(db, sqlitedialect.New()), statements: statements, subs: subs, log: log,
		heads: newHeadCache(options.CacheRuns), disk: newDiskState(options),
		jobs: make(chan *job, maxBatch), ended: make(chan struct{}),
	}
	go w.loop(context.WithoutCancel(ctx))
	return w, nil
}

// do runs work in a transaction and returns when it is on disk, or refused. A caller that gives up waiting does not know
// whether its work was done.
func (w *writer) do(ctx context.Context, work func(*txn) error) error {
	j := &job{ctx: ctx, work: work, done: make(chan error, 1)}
	if err := w.enqueue(j); err != nil {
		return err
	}
	select {
	case err := <-j.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *writer) enqueue(j *job) error {
	w.gate.RLock()
	defer w.gate.RUnlock()
	if w.stopped {
		return run.Errorf(run.ErrUnavailable, "the server is stopping: try again once it is back")
	}
	select {
	case w.jobs <- j:
		return nil
	case <-j.ctx.Done():
		return j.ctx.Err()
	}
}

func (w *writer) loop(ctx context.Context) {
	defer close(w.ended)
	batch := make([]*job, 0, maxBatch)
	for first := range w.jobs {
		batch = append(batch[:0], first)
		for waiting := true; waiting && len(batch) < maxBatch; {
			select {
			case next, open := <-w.jobs:
				if waiting = open; open {
					batch = append(batch, next)
				}
			default:
				waiting = false
			}
		}
		w.serve(ctx, batch)
		clear(batch)
		w.restartLog(ctx)
	}
}

// serve commits a batch. When the commit as a whole fails every job has its own, so that the one that does not fit takes
// no other with it.
func (w *writer) serve(ctx context.Context, batch []*job) {
	err := w.commit(ctx, batch)
	if err == nil {
		return
	}
	if len(batch) == 1 {
		batch[0].done <- err
		return
	}
	for _, j := range batch {
		if err := w.commit(ctx, []*job{j}); err != nil {
			j.done <- err
		}
	}
}

// stop refuses new jobs and waits until those that wait are answered.
func (w *writer) stop() {
	w.gate.Lock()
	w.stopped = true
	close(w.jobs)
	w.gate.Unlock()
	<-w.ended
	w.log.stop()
}
