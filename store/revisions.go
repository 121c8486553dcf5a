package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/agentrun/agentrun/run"
)

type revisionRow struct {
	bun.BaseModel `bun:"table:revisions,alias:v"`

	AgentID    string `bun:"agent_id,pk"`
	Revision   int64  `bun:"revision,pk"`
	Definition string `bun:"definition"`
	CreatedAt  int64  `bun:"created_at"`
}

func (r *revisionRow) revision() (run.Revision, error) {
	revision := run.Revision{AgentID: r.AgentID, Revision: r.Revision, CreatedAt: fromMillis(r.CreatedAt)}
	err := json.Unmarshal([]byte(r.Definition), &revision.Definition)
	return revision, wrapf(err, "read revision %d of agent %s", r.Revision, r.AgentID)
}

// Revisions is a page of every definition an agent had.
func (s *Store) Revisions(ctx context.Context, id string, page Page) ([]run.Revision, string, error) {
	limit, after, err := startOf[string](page)
	if err != nil {
		return nil, "", err
	}
	if _, err := s.Agent(ctx, id); err != nil {
		return nil, "", err
	}
	var rows []revisionRow
	query := s.read.NewSelect().Model(&rows).Where("agent_id = ?", id).OrderExpr("revision DESC").Limit(int64(limit) + 1)
	if after != nil {
		query = query.Where("revision < ?", after.at)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, "", fmt.Errorf("list the revisions of agent %s: %w", id, err)
	}
	rows, next := cut(rows, limit, func(r revisionRow) cursor[string] { return cursor[string]{r.Revision, r.AgentID} })
	revisions := make([]run.Revision, len(rows))
	for i := range rows {
		if revisions[i], err = rows[i].revision(); err != nil {
			return nil, "", err
		}
	}
	return revisions, next, nil
}

// Revision is one definition an agent had, or run.ErrNotFound.
func (s *Store) Revision(ctx context.Context, id string, n int64) (run.Revision, error) {
	var row revisionRow
	err := s.read.NewSelect().Model(&row).Where("agent_id = ?", id).Where("revision = ?", n).Scan(ctx)
	if isNoRows(err) {
		return run.Revision{}, run.Errorf(run.ErrNotFound, "agent %s has no revision %d", id, n)
	}
	if err != nil {
		return run.Revision{}, fmt.Errorf("read revision %d of agent %s: %w", n, id, err)
	}
	return row.revision()
}
