package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/uptrace/bun"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// runRow is a run's row with the input of its spec.
type runRow struct {
	bun.BaseModel `bun:"table:runs,alias:r"`

	No            int64          `bun:"no,pk"`
	ID            string         `bun:"id"`
	AgentID       string         `bun:"agent_id"`
	AgentRevision int64          `bun:"agent_revision"`
	Kind          string         `bun:"kind"`
	Harness       string         `bun:"harness"`
	Model         string         `bun:"model"`
	Effort        string         `bun:"effort"`
	Place         string         `bun:"place"`
	Source        string         `bun:"source"`
	Session       string         `bun:"session"`
	Labels        string         `bun:"labels"`
	CreatedAt     int64          `bun:"created_at"`
	ArchivedAt    sql.NullInt64  `bun:"archived_at"`
	Head          int64          `bun:"head"`
	Projection    string         `bun:"projection"`
	Epoch         int64          `bun:"epoch"`
	Holder        sql.NullString `bun:"holder"`
	Input         string         `bun:"input,scanonly"`
}

// runColumns are those of a runRow, in the order of its fields.
var runColumns = []string{
	"r.no", "r.id", "r.agent_id", "r.agent_revision", "r.kind", "r.harness", "r.model", "r.effort", "r.place", "r.source",
	"r.session", "r.labels", "r.created_at", "r.archived_at", "r.head", "r.projection", "r.epoch", "r.holder",
}

// selectRuns selects runRows.
func selectRuns(db bun.IDB, into any) *bun.SelectQuery {
	return db.NewSelect().Model(into).Column(runColumns...).ColumnExpr("s.input").Join("JOIN specs AS s ON s.run_no = r.no")
}

// selectOneRun selects the runRow of an id. One run is read at every start and claim, so it has a prepared statement.
func selectOneRun() string {
	return "SELECT " + strings.Join(runColumns, ", ") + ", s.input FROM runs AS r JOIN specs AS s ON s.run_no = r.no WHERE r.id = ?"
}

func (r *runRow) scan(from *sql.Row) error {
	return from.Scan(&r.No, &r.ID, &r.AgentID, &r.AgentRevision, &r.Kind, &r.Harness, &r.Model, &r.Effort, &r.Place, &r.Source,
		&r.Session, &r.Labels, &r.CreatedAt, &r.ArchivedAt, &r.Head, &r.Projection, &r.Epoch, &r.Holder, &r.Input)
}

// run is the row as the API shows it.
func (r *runRow) run() (run.Run, error) {
	shown := run.Run{
		ID: r.ID, AgentID: r.AgentID, AgentRevision: r.AgentRevision, Kind: r.Kind, Harness: r.Harness, Model: r.Model,
		Effort: r.Effort, Source: r.Source, Session: r.Session, Claim: run.Claim{Epoch: r.Epoch},
		CreatedAt: fromMillis(r.CreatedAt), ArchivedAt: timeOrNil(r.ArchivedAt),
	}
	var projection journal.Projection
	for _, column := range []struct {
		text string
		into any
	}{{r.Place, &shown.Place}, {r.Labels, &shown.Labels}, {r.Input, &shown.Input}, {r.Projection, &projection}} {
		if err := json.Unmarshal([]byte(column.text), column.into); err != nil {
			return shown, fmt.Errorf("read run %s: %w", r.ID, err)
		}
	}
	holder, err := decodeHolder(r.Holder)
	if err != nil {
		return shown, fmt.Errorf("read the holder of run %s: %w", r.ID, err)
	}
	shown.Claim.Holder = holder
	project(&shown, &projection)
	return shown, nil
}

// project sets what a run's rows decide.
func project(shown *run.Run, p *journal.Projection) {
	shown.Status, shown.State = p.Status, p.State
	shown.Result, shown.Error, shown.Pending = p.Result, p.Error, p.Pending
	shown.Cost, shown.Usage, shown.MaxCostUSD = p.Cost(), p.Usage, p.Cap
	shown.StartedAt, shown.EndedAt = p.StartedAt, p.EndedAt
}
