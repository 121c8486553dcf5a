package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/agentrun/agentrun/run"
)

// Agent is an agent with its present definition, or run.ErrNotFound.
func (s *Store) Agent(ctx context.Context, id string) (run.Agent, error) {
	return oneAgent(ctx, s.read.NewSelect(), id)
}

// Agents is a page of the agents, the archived ones or the others.
func (s *Store) Agents(ctx context.Context, archived bool, page Page) ([]run.Agent, string, error) {
	limit, after, err := startOf[string](page)
	if err != nil {
		return nil, "", err
	}
	var rows []agentRow
	query := s.read.NewSelect().Model(&rows).Where("archived = ?", number(archived)).
		OrderExpr("created_at DESC, id DESC").Limit(int64(limit) + 1)
	if after != nil {
		query = query.Where("(created_at, id) < (?, ?)", after.at, after.id)
	}
	if err := query.Scan(ctx); err != nil {
		return nil, "", fmt.Errorf("list agents: %w", err)
	}
	rows, next := cut(rows, limit, func(r agentRow) cursor[string] { return cursor[string]{r.CreatedAt, r.ID} })
	agents := make([]run.Agent, len(rows))
	for i := range rows {
		if agents[i], err = rows[i].agent(); err != nil {
			return nil, "", err
		}
	}
	return agents, next, nil
}

type agentRow struct {
	bun.BaseModel `bun:"table:agents,alias:a"`

	ID         string        `bun:"id,pk"`
	Name       string        `bun:"name"`
	Kind       string        `bun:"kind"`
	Revision   int64         `bun:"revision"`
	ETag       string        `bun:"etag"`
	Definition string        `bun:"definition"`
	Warnings   string        `bun:"warnings"`
	CreatedAt  int64         `bun:"created_at"`
	UpdatedAt  int64         `bun:"updated_at"`
	ArchivedAt sql.NullInt64 `bun:"archived_at"`
}

func (r *agentRow) agent() (run.Agent, error) {
	agent := run.Agent{
		ID: r.ID, Name: r.Name, Kind: r.Kind, Revision: r.Revision, HomeETag: r.ETag, CreatedAt: fromMillis(r.CreatedAt),
		UpdatedAt: fromMillis(r.UpdatedAt), ArchivedAt: timeOrNil(r.ArchivedAt),
	}
	if err := json.Unmarshal([]byte(r.Definition), &agent.Definition); err != nil {
		return agent, fmt.Errorf("read agent %s: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Warnings), &agent.Warnings); err != nil {
		return agent, fmt.Errorf("read the warnings of agent %s: %w", r.ID, err)
	}
	return agent, nil
}

func oneAgent(ctx context.Context, query *bun.SelectQuery, id string) (run.Agent, error) {
	var row agentRow
	err := query.Model(&row).Where("id = ?", id).Scan(ctx)
	if isNoRows(err) {
		return run.Agent{}, noAgent(id)
	}
	if err != nil {
		return run.Agent{}, fmt.Errorf("read agent %s: %w", id, err)
	}
	return row.agent()
}

func noAgent(id string) error {
	return run.Errorf(run.ErrNotFound, "there is no agent %s", id).With("agent_id", id)
}
