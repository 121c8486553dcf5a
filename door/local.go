package door

import (
	"context"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// Record is what the door needs of the store.
type Record interface {
	ClaimRun(ctx context.Context, open journal.Open) (journal.Opened, error)
	Append(ctx context.Context, rows journal.Append) (journal.Appended, error)
	Rows(ctx context.Context, runID string, after int64, limit int) ([]run.Row, error)
	Config(ctx context.Context, runID string) (run.Config, error)
}

// Local is the door as a direct call, for the server's own process.
type Local struct {
	Record Record
	Hub    *Hub
	Feed   *Feed
	// WorkDir is a run's work folder on this host.
	WorkDir func(runID string) string
	// Endpoint is where a model is reached.
	Endpoint func(model run.Model) (Endpoint, error)
	// Reveal is the value of a named secret.
	Reveal func(name string) (string, error)
}

var _ Door = (*Local)(nil)

// Open implements Door.
func (l *Local) Open(ctx context.Context, open journal.Open) (Opened, error) {
	if !l.Hub.Alive(open.Holder.Worker) {
		return Opened{}, fencedError(open.Holder.Worker, "")
	}
	claimed, err := l.Record.ClaimRun(ctx, open)
	if err != nil {
		return Opened{}, err
	}
	claimed.WorkDir = l.WorkDir(open.RunID)
	endpoint, err := l.Endpoint(claimed.Config.Model)
	if err != nil {
		return Opened{}, err
	}
	opened := Opened{Opened: claimed, Endpoint: endpoint}
	if judge := claimed.Config.Judge; judge != nil {
		if opened.JudgeEndpoint, err = l.Endpoint(*judge); err != nil {
			return Opened{}, err
		}
	}
	return opened, nil
}

// Rows implements Door.
func (l *Local) Rows(ctx context.Context, claim journal.Claim, after int64, limit int) ([]run.Row, error) {
	if err := l.admit(claim); err != nil {
		return nil, err
	}
	return l.Record.Rows(ctx, claim.RunID, after, limit)
}

// Append implements Door.
func (l *Local) Append(ctx context.Context, rows journal.Append) (journal.Appended, error) {
	if err := l.admit(rows.Claim); err != nil {
		return journal.Appended{}, err
	}
	return l.Record.Append(ctx, rows)
}

// Secret implements Door: a run may take the keys of its own model and judge and nothing else.
func (l *Local) Secret(ctx context.Context, claim journal.Claim, name string) (string, error) {
	if err := l.admit(claim); err != nil {
		return "", err
	}
	config, err := l.Record.Config(ctx, claim.RunID)
	if err != nil {
		return "", err
	}
	asked := []run.Model{config.Model}
	if config.Judge != nil {
		asked = append(asked, *config.Judge)
	}
	for _, model := range asked {
		endpoint, err := l.Endpoint(model)
		if err != nil {
			return "", err
		}
		if name != "" && name == endpoint.KeyName {
			return l.Reveal(name)
		}
	}
	return "", run.Errorf(run.ErrNotFound, "run %s has no use for a secret named %q", claim.RunID, name)
}

// Deltas implements Door.
func (l *Local) Deltas(_ context.Context, claim journal.Claim, deltas []Delta) error {
	if err := l.admit(claim); err != nil {
		return err
	}
	l.Feed.Publish(claim.RunID, deltas)
	return nil
}

func (l *Local) admit(claim journal.Claim) error {
	if !l.Hub.Alive(claim.Worker) {
		return fencedError(claim.Worker, "")
	}
	return nil
}
