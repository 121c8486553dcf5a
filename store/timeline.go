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
	at, err := s.standing(ctx, runID)
	if err != nil {
		return nil, err
	}
	rows, err := collect(s.reads.rows.QueryContext(ctx, position(at.no, max(after, 0)), position(at.no+1, 0), rowLimit(limit)))
	if err != nil {
		return nil, err
	}
	return rows, unpack(ctx, s.reads.blob, rows)
}

// Timeline is a page of a run's journal after a seq, without the private parts. It is final when no row follows it until
// a person acts: the run has ended, or waits.
func (s *Store) Timeline(ctx context.Context, id string, after int64, limit int) (rows []run.Row, final bool, err error) {
	// Where the run stands is read first, and rows up to there: a row written meanwhile is not passed off as the last.
	at, err := s.standing(ctx, id)
	if err != nil {
		return nil, false, err
	}
	rows, err = collect(s.reads.timeline.QueryContext(ctx, position(at.no, max(after, 0)), position(at.no, at.last+1), rowLimit(limit)))
	if err != nil {
		return nil, false, err
	}
	if err := unpack(ctx, s.reads.blob, rows); err != nil {
		return nil, false, err
	}
	if len(rows) > 0 {
		after = rows[len(rows)-1].Seq
	}
	return rows, !driven(at.state) && after >= at.last, nil
}

// standing is where a run's journal lies and ends.
type standing struct {
	no    int64
	state run.State
	last  int64
}

func (s *Store) standing(ctx context.Context, id string) (standing, error) {
	var at standing
	err := s.reads.standing.QueryRowContext(ctx, id).Scan(&at.no, &at.state, &at.last)
	if isNoRows(err) {
		return at, noRun(id)
	}
	return at, wrapf(err, "read run %s", id)
}

func rowLimit(limit int) int {
	if limit <= 0 {
		return defaultRows
	}
	return min(limit, maxRows)
}
