// Package door is the worker's only way to the record: it claims runs, appends and reads journal rows, hands out the
// secrets a run is entitled to, and carries nudges to workers and token deltas from them. Local is a direct call, Server
// and Client carry the same calls over a socket. It decides nothing: what a claim or a cap allows is the store's.
package door

import (
	"context"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// Endpoint is where a run's model is reached, as it is at this moment. KeyName names the secret ("" for none).
type Endpoint struct {
	BaseURL string `json:"base_url"`
	KeyName string `json:"key_name"`
}

// Opened is a claimed run with the address of its model.
type Opened struct {
	journal.Opened
	Endpoint Endpoint `json:"endpoint"`
	// JudgeEndpoint is where the configuration's judge is reached, where it has one.
	JudgeEndpoint Endpoint `json:"judge_endpoint,omitzero"`
}

// Delta is a piece of an answer under way. It is for live views only and is never journaled.
type Delta struct {
	Request   string `json:"request"`
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
}

// Nudge tells a worker that a person wrote to a run it drives, or asks it to start one.
type Nudge struct {
	RunID string      `json:"run_id"`
	Kind  run.RowType `json:"kind,omitempty"`
	// Start is the run to start, nil where the nudge is about a row.
	Start *Start `json:"start,omitempty"`
}

// Start is what a run's workflow is started with.
type Start struct {
	RunID    string `json:"run_id"`
	AgentID  string `json:"agent_id"`
	Harness  string `json:"harness"`
	Model    string `json:"model"`
	MaxSteps int    `json:"max_steps"`
	// Epoch is the run's claim epoch at the start.
	Epoch int64 `json:"epoch"`
	// Kind is the run's: run.KindAgent or run.KindWorkflow.
	Kind string `json:"kind"`
	// Summary is what Temporal's UI calls the execution.
	Summary string `json:"summary"`
	// Searchable says that the cluster knows the search attributes of package engine.
	Searchable bool `json:"searchable,omitempty"`
}

// Door is what activities use. Every call with a claim of an older epoch is refused with run.ErrStaleEpoch, every call
// of a worker whose lease ran out with run.ErrFenced.
type Door interface {
	// Open claims a run for the holder: its epoch goes up by one.
	Open(ctx context.Context, open journal.Open) (Opened, error)
	// Rows reads the journal after a seq, in order, with the rows' private parts; fewer than limit means the end.
	Rows(ctx context.Context, claim journal.Claim, after int64, limit int) ([]run.Row, error)
	// Append writes rows and begins a request in one commit, and returns after it is on disk.
	Append(ctx context.Context, rows journal.Append) (journal.Appended, error)
	// Secret is the value of a named secret that the run's own configuration names.
	Secret(ctx context.Context, claim journal.Claim, name string) (string, error)
	// Deltas publishes pieces of an answer under way; they may be dropped.
	Deltas(ctx context.Context, claim journal.Claim, deltas []Delta) error
}

// Presence is how a worker process is known to be alive, and hears of nudges.
type Presence interface {
	// Hello makes the worker known; it is refused with run.ErrFenced once its lease ran out.
	Hello(ctx context.Context, holder run.Holder) error
	// Beat renews the worker's lease.
	Beat(ctx context.Context, worker string) error
	// Nudges delivers the worker's nudges until the context ends or the server goes, which ends the channel.
	Nudges(ctx context.Context, worker string) (<-chan Nudge, error)
}
