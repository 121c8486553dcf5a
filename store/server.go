package store

import (
	"context"

	"github.com/agentrun/agentrun/run"
)

// ServerAppend writes rows of the server itself, which holds no claim. A status row is refused with run.ErrConflict
// where no worker drives the run: it has ended, or waits for a person, meanwhile. A status that ends the run closes the
// requests that are still open, at the worst case they hold.
func (s *Store) ServerAppend(ctx context.Context, runID string, rows ...run.Row) error {
	return s.writer.do(ctx, func(t *txn) error {
		h, err := t.head(runID)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := t.serverRow(h, row); err != nil {
				return err
			}
		}
		return nil
	})
}

func (t *txn) serverRow(h *head, row run.Row) error {
	if row.Type == run.RowStatus {
		if seq, _, err := t.seqOf(h, row.Key); err != nil || seq > 0 {
			return err
		}
		if !driven(h.projection.State) {
			return run.Errorf(run.ErrConflict, "run %s is %s (%s)", h.id, h.projection.Status, h.projection.State)
		}
		var change run.StatusChange
		if err := row.Decode(&change); err != nil {
			return badRow(row, err.Error())
		}
		if change.Status.Terminal() {
			if err := t.closeRequests(h); err != nil {
				return err
			}
		}
	}
	_, _, err := t.add(h, row)
	return err
}

// closeRequests ends the requests a worker began and nobody will end. What they cost is not known.
func (t *txn) closeRequests(h *head) error {
	if h.epoch == 0 {
		return nil
	}
	rows, err := collect(t.query(t.statements.requests, position(h.no, 0), position(h.no+1, 0)))
	if err != nil {
		return err
	}
	if err := unpack(t.ctx, t.statements.blob, rows); err != nil {
		return err
	}
	open, err := openRequests(rows)
	if err != nil {
		return err
	}
	for _, begun := range open {
		ended := run.RequestEnded{
			Node: begun.body.Node, Request: begun.body.Request, Attempt: begun.body.Attempt, HeldUSD: begun.body.HeldUSD, UnknownSpend: true,
			Error: &run.Reason{Code: run.EndedInterrupted, Message: "the run was left while this request was under way"},
		}
		if _, _, err := t.add(h, run.NewRow(run.RowRequestEnded, begun.key+"/interrupted", ended, nil)); err != nil {
			return err
		}
	}
	return nil
}

type begunRequest struct {
	key  string
	body run.RequestStarted
}

// openRequests are the requests that were sent and have no end, of a run's request rows in order.
func openRequests(rows []run.Row) ([]begunRequest, error) {
	var open []begunRequest
	for _, row := range rows {
		if row.Type == run.RowRequestStarted {
			begun := begunRequest{key: row.Key}
			if err := row.Decode(&begun.body); err != nil {
				return nil, err
			}
			if !begun.body.CapRefused {
				open = append(open, begun)
			}
			continue
		}
		var ended run.RequestEnded
		if err := row.Decode(&ended); err != nil {
			return nil, err
		}
		rest := open[:0]
		for _, begun := range open {
			if begun.body.Request != ended.Request || begun.body.Attempt != ended.Attempt {
				rest = append(rest, begun)
			}
		}
		open = rest
	}
	return open, nil
}
