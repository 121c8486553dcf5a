package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/agentrun/agentrun/run"
)

// QueueItem is a run that has not ended and waits for nobody.
type QueueItem struct {
	RunID   string
	AgentID string
	Kind    string
	Harness string
	Status  run.Status
	State   run.State
	Epoch   int64
	Holder  *run.Holder
	// QueuedAt is when the run last came into the line.
	QueuedAt time.Time
}

// The condition is spelled as in the index runs_unfinished, or the index is not used.
const selectQueue = "SELECT id, agent_id, kind, harness, status, state, epoch, holder, queued_at FROM runs WHERE "

// Unfinished is every run that a worker drives or is to drive, the one that came into the line first in front.
func (s *Store) Unfinished(ctx context.Context) ([]QueueItem, error) {
	return s.queue(ctx, selectQueue+"state IN ('queued', 'running', 'sleeping') ORDER BY queued_at, no")
}

// HeldBy is every run a worker holds.
func (s *Store) HeldBy(ctx context.Context, worker string) ([]QueueItem, error) {
	return s.queue(ctx, selectQueue+"holder_worker = ? ORDER BY queued_at, no", worker)
}

func (s *Store) queue(ctx context.Context, query string, args ...any) ([]QueueItem, error) {
	found, err := s.read.DB.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	defer found.Close()
	var items []QueueItem
	for found.Next() {
		var item QueueItem
		var holder sql.NullString
		var at int64
		err := found.Scan(&item.RunID, &item.AgentID, &item.Kind, &item.Harness, &item.Status, &item.State, &item.Epoch,
			&holder, &at)
		if err != nil {
			return nil, fmt.Errorf("read the queue: %w", err)
		}
		item.QueuedAt = fromMillis(at)
		if item.Holder, err = decodeHolder(holder); err != nil {
			return nil, fmt.Errorf("read the holder of run %s: %w", item.RunID, err)
		}
		items = append(items, item)
	}
	return items, wrapf(found.Err(), "read the queue")
}
