package store

import (
	"context"

	"github.com/agentrun/agentrun/run"
)

// Limits of a page of rows.
const (
	defaultRows = 200
	maxRows     = 10_000
)

// Rows is a page of a run's journal after a seq, with the private parts: for the worker that drives it. Fewer rows than
// the limit (0: 200, at most 10,000) means that there are no more.
func (s *Store) Rows(ctx context.Context, runID string, after int64, limit int) ([]run.Row, error) {
	rows, err := collect(s.reads.rows.QueryContext(ctx, runID, after, rowLimit(limit)))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		if _, _, err := s.standing(ctx, runID); err != nil {
			return nil, err
		}
	}
	return rows, unpack(ctx, s.reads.blob, rows)
}

// Timeline is a page of a run's journal after a seq, without the private parts. It is final when no row follows it until
// a person acts: the run has ended, or waits.
func (s *Store) Timeline(ctx context.Context, id string, after int64, limit int) (rows []run.Row, final bool, err error) {
	// Where the run stands is read first, and rows up to there: a row written meanwhile is not passed off as the last.
	state, last, err := s.standing(ctx, id)
	if err != nil {
		return nil, false, err
	}
	rows, err = collect(s.reads.timeline.QueryContext(ctx, id, after, last, rowLimit(limit)))
	if err != nil {
		return nil, false, err
	}
	if err := unpack(ctx, s.reads.blob, rows); err != nil {
		return nil, false, err
	}
	if len(rows) > 0 {
		after = rows[len(rows)-1].Seq
	}
	return rows, !driven(state) && after >= last, nil
}

// standing is a run's state and the seq of its last row.
func (s *Store) standing(ctx context.Context, id string) (run.State, int64, error) {
	var state run.State
	var last int64
	err := s.reads.standing.QueryRowContext(ctx, id).Scan(&state, &last)
	if isNoRows(err) {
		return "", 0, noRun(id)
	}
	return state, last, wrapf(err, "read run %s", id)
}

func rowLimit(limit int) int {
	if limit <= 0 {
		return defaultRows
	}
	return min(limit, maxRows)
}
