package store

import (
	"context"
	"database/sql"
	"log/slog"
	"sync/atomic"
)

const (
	// checkpointPages is about how many written pages start a checkpoint.
	checkpointPages = 2000
	// longLogPages is how long SQLite's log may grow under steady writing; past it the writer waits for it to start over.
	longLogPages = 16384
)

// checkpointer moves what is committed from SQLite's log into the database file, beside the writer and without keeping
// it waiting.
type checkpointer struct {
	db    *sql.DB
	log   *slog.Logger
	pages int // written since the last wake; the writer's
	wake  chan struct{}
	long  atomic.Bool
	ended chan struct{}
}

func startCheckpointer(ctx context.Context, options Options) (*checkpointer, error) {
	db, err := connect(options.Path, 1, checkpointPragmas()...)
	if err != nil {
		return nil, err
	}
	c := &checkpointer{db: db, log: options.Log, wake: make(chan struct{}, 1), ended: make(chan struct{})}
	go c.loop(context.WithoutCancel(ctx))
	return c, nil
}

// wrote counts what the writer committed.
func (c *checkpointer) wrote(pages int) {
	if c.pages += pages; c.pages < checkpointPages {
		return
	}
	select {
	case c.wake <- struct{}{}:
		c.pages = 0
	default:
	}
}

func (c *checkpointer) loop(ctx context.Context) {
	defer close(c.ended)
	for range c.wake {
		var busy, logged, moved int
		if err := c.db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)").Scan(&busy, &logged, &moved); err != nil {
			// What was not moved stays in the log, where it is as safe; a full disk is reported by the writes.
			c.log.Debug("checkpoint", "error", err)
			continue
		}
		c.long.Store(logged > longLogPages)
	}
}

func (c *checkpointer) stop() {
	close(c.wake)
	<-c.ended
}
