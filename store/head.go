package store

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// head is the part of a run that a write needs: where its journal ends, what its rows add up to, and who may write it.
// The writer keeps the heads of busy runs in memory, so that an append reads nothing.
type head struct {
	no         int64 // the run's number, by which tables name it
	id         string
	kind       string
	seq        int64
	projection journal.Projection
	epoch      int64
	token      int64
	holder     *run.Holder
	archived   bool
	labelled   bool
	strikes    int
	struckAt   int64 // the projection's Progress at the last strike
	queuedAt   time.Time

	dirty   bool // the run's row is to be written
	changed bool // with the columns that filters and claims use
	moved   bool // a status row was written
}

func (h *head) copied() *head {
	other := *h
	other.dirty, other.changed, other.moved = false, false, false
	return &other
}

// settle keeps what depends on the status in step with it: only a running run has a holder.
func (h *head) settle(at time.Time) {
	h.changed, h.moved = true, true
	if h.projection.State != run.StateRunning {
		h.holder = nil
	}
	if h.projection.State == run.StateQueued {
		h.queuedAt = at
	}
}

// load reads a run's head from its row.
func (t *txn) load(id string) (*head, error) {
	h := &head{id: id}
	var projection, labels string
	var holder sql.NullString
	var queued int64
	err := t.row(t.statements.head, id).Scan(&h.no, &h.kind, &h.seq, &projection, &h.epoch, &h.token, &holder, &h.archived,
		&labels, &h.strikes, &h.struckAt, &queued)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noRun(id)
	}
	if err != nil {
		return nil, fmt.Errorf("read run %s: %w", id, err)
	}
	if err := json.Unmarshal([]byte(projection), &h.projection); err != nil {
		return nil, fmt.Errorf("read the projection of run %s: %w", id, err)
	}
	if h.holder, err = decodeHolder(holder); err != nil {
		return nil, fmt.Errorf("read the holder of run %s: %w", id, err)
	}
	h.labelled = labels != "{}"
	h.queuedAt = fromMillis(queued)
	return h, nil
}

// save writes a head to its run's row; columns that indexes use only where they changed.
func (t *txn) save(h *head) error {
	projection, err := json.Marshal(&h.projection)
	if err != nil {
		return fmt.Errorf("encode the projection of run %s: %w", h.id, err)
	}
	if !h.changed {
		_, err = t.exec(t.statements.advance, h.seq, string(projection), h.no)
		return wrapf(err, "write run %s", h.id)
	}
	var holder, worker any
	if h.holder != nil {
		data, err := json.Marshal(h.holder)
		if err != nil {
			return fmt.Errorf("encode the holder of run %s: %w", h.id, err)
		}
		holder, worker = string(data), h.holder.Worker
	}
	p := &h.projection
	_, err = t.exec(t.statements.turn, h.seq, string(projection), string(p.Status), string(p.State), h.epoch, h.token, holder,
		worker, h.queuedAt.UnixMilli(), millisOrNil(p.StartedAt), millisOrNil(p.EndedAt), h.strikes, h.struckAt, h.no)
	if err == nil && h.labelled {
		_, err = t.exec(t.statements.turnLabels, string(p.Status), h.archived, h.no)
	}
	return wrapf(err, "write run %s", h.id)
}

func decodeHolder(text sql.NullString) (*run.Holder, error) {
	if !text.Valid {
		return nil, nil
	}
	holder := &run.Holder{}
	return holder, json.Unmarshal([]byte(text.String), holder)
}

func noRun(id string) error {
	return run.Errorf(run.ErrNotFound, "there is no run %s", id).With("run_id", id)
}
