package api

import (
	"context"
	"io"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

// Store is what the handlers ask of the record; *store.Store is one.
type Store interface {
	Check(ctx context.Context) store.Health

	CreateAgentOnce(
		ctx context.Context, def run.Definition, warnings []run.Issue, idempotency store.Idempotency,
	) (agent run.Agent, replayed bool, err error)
	PutDefinition(ctx context.Context, id, ifMatch string, def run.Definition, warnings []run.Issue) (run.Agent, error)
	Agent(ctx context.Context, id string) (run.Agent, error)
	Agents(ctx context.Context, archived bool, page store.Page) ([]run.Agent, string, error)
	Revisions(ctx context.Context, id string, page store.Page) ([]run.Revision, string, error)
	Revision(ctx context.Context, id string, n int64) (run.Revision, error)
	SetAgentArchived(ctx context.Context, id string, archived bool) (run.Agent, error)

	CreateRun(ctx context.Context, ask store.NewRun) (run.Run, bool, error)
	Run(ctx context.Context, id string) (run.Run, error)
	Runs(ctx context.Context, filter store.RunFilter, page store.Page) ([]run.Run, string, error)
	Timeline(ctx context.Context, id string, after int64, limit int) ([]run.Row, bool, error)
	SetLabels(ctx context.Context, id string, labels map[string]string) (run.Run, error)
	SetRunArchived(ctx context.Context, id string, archived bool) (run.Run, error)
	Subscribe(runID string) *store.Subscription

	Message(ctx context.Context, id, content string, idempotency *store.Idempotency) (store.Outcome, error)
	Stop(ctx context.Context, id string) (store.Outcome, error)
	Cancel(ctx context.Context, id string) (store.Outcome, error)
	Pause(ctx context.Context, id string) (store.Outcome, error)
	Resume(ctx context.Context, id string) (store.Outcome, error)
	SetCap(ctx context.Context, id string, limit *run.USD) (store.Outcome, error)
}

// Catalogue is what the handlers ask of the models.
type Catalogue interface {
	// Model is the model of "provider/name", or of "" the server's default; known is false where there is none. The
	// offer says whether it can be used here.
	Model(id string) (model run.Model, offer run.Offer, known bool)
	// List is every model that is listed, by id.
	List() []run.Model
	// Judge is the model that judges in workflow documents, where there is one beside the run's own.
	Judge() (run.Model, bool)
}

// Harnesses tries harnesses out.
type Harnesses interface {
	// Forget has the program of a harness looked at anew; "" is every program.
	Forget(id string)
	// Probe tries a harness with a model; lacks says why the model cannot be used ("": it can). With live one smallest
	// request is made.
	Probe(ctx context.Context, id string, model run.Model, lacks string, live bool) (harnesses.Report, error)
}

// Files reaches the files of runs. *RunFiles is one.
type Files interface {
	// Open is a run's files, or nil where it has none yet.
	Open(runID string) (Tree, error)
	// Prepare writes the files a new run was given and says the line that tells its model of them, and their names.
	Prepare(ctx context.Context, runID string, files []File) (manifest string, names []string, err error)
	// Discard takes back what Prepare wrote, for a run that was not created.
	Discard(runID string) error
}

// Tree is the files of one run; *places.View is one.
type Tree interface {
	List(ctx context.Context) (files []places.File, more bool, err error)
	OpenFile(name string) (io.ReadSeekCloser, places.File, error)
	Close() error
}

// Deltas is where live timelines hear what models are saying; *door.Feed is one.
type Deltas interface {
	Subscribe(runID string) (deltas <-chan door.Delta, stop func())
}

// Driver is told when there is something to do for a run. Its methods return at once.
type Driver interface {
	// Nudge says that a run which a worker drives has a new row for it.
	Nudge(runID string, kind run.RowType)
	// Dispatch says that a run was queued.
	Dispatch()
}
