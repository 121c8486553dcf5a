package activities

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// Model makes one attempt at one request; models.Client is the real one.
type Model interface {
	Do(ctx context.Context, request models.Request, onDelta func(models.Delta)) (models.Answer, error)
}

// Options are what activities stand on.
type Options struct {
	Door   door.Door
	Model  Model
	Holder run.Holder
	Log    *slog.Logger
	// Confirm answers nil while the worker's lease is good, asked before every effect (nil: always good).
	Confirm func(ctx context.Context) error
	// Lane pins every model request to a lane: "local", "regular", or "auto" ("").
	Lane string
	// Attempts bounds the attempts at one model request that the provider fails (default 6).
	Attempts int
	// Backoff is the wait before the second attempt, doubled for each further one (default 500 ms). A provider's
	// Retry-After is honoured instead, up to MaxWait (default 5 min).
	Backoff time.Duration
	MaxWait time.Duration
	// Harnesses are the command-line agents, by the name a definition has for them.
	Harnesses map[string]Harness
	Bounds    HarnessBounds
	// Document settles what the host adds to a run's workflow document; Effects has the effects of its calls in place of
	// the tool table; Ended is told what a document came to. Nil of all is the product; others are for tests.
	Document func(runID string, options *dsl.Options)
	Effects  func(ctx context.Context, runID string, ask dsl.Attempt) (any, error)
	Ended    func(runID string, result dsl.Result, err error)
	// slots bounds the command-line agents that run at once.
	slots chan struct{}
	// gates are their ways to the worker's proxies.
	gates *process.Gates
	// sandbox computes the code of all documents, no more at once than there are processors.
	sandbox *dsl.Sandbox
	// ToolResultBytes bounds what a tool call's result may hold (default 256 KiB).
	ToolResultBytes int
}

// codeTime bounds one computation of a code node, by the clock: a second of computing on a machine that does other things
// too.
const codeTime = 3 * time.Second

// Activities are the steps a worker can do. Make one a process.
type Activities struct {
	options  Options
	sessions *sessions
	lanes    *lanes
}

// New makes the activities of one worker process.
func New(options Options) *Activities {
	if options.Attempts == 0 {
		options.Attempts = 6
	}
	if options.Backoff == 0 {
		options.Backoff = 500 * time.Millisecond
	}
	if options.MaxWait == 0 {
		options.MaxWait = 5 * time.Minute
	}
	if options.ToolResultBytes == 0 {
		options.ToolResultBytes = 256 << 10
	}
	options.Bounds.setDefaults()
	options.slots, options.gates = make(chan struct{}, options.Bounds.Sessions), &process.Gates{}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	options.sandbox = dsl.NewSandbox(dsl.Bounds{Time: codeTime})
	return &Activities{options: options, sessions: newSessions(options), lanes: newLanes(options.Lane)}
}

// Open claims the run for this process, closes what an earlier process left open, and answers where the run stands.
func (a *Activities) Open(ctx context.Context, step Step) (journal.Position, error) {
	return a.with(ctx, step, "open", func(ctx context.Context, s *session) error { return s.closeOpen(ctx) })
}

// Nudge tells the activities that a person wrote to a run this process drives: a stop or a cancel cuts at once what is
// under way, a pause what only waits, anything else is read at the next step. A cancel, and a status by which the run gave
// its turn up, also end the command-line agent that a run which waits for a raised cap left here.
func (a *Activities) Nudge(nudge door.Nudge) {
	if s := a.sessions.find(nudge.RunID); s != nil {
		s.cut(nudge.Kind)
	} else if nudge.Kind == run.RowCancelRequested || nudge.Kind == run.RowStatus {
		a.sessions.parked.release(nudge.RunID)
	}
}

// Drain lets what is under way end, starts nothing more, and returns when all is quiet or the context ends.
func (a *Activities) Drain(ctx context.Context) { a.sessions.drain(ctx) }

// Busy counts the steps under way.
func (a *Activities) Busy() int { return a.sessions.busy() }

// with runs one step on the run's session. Steps with one name share one execution: an execution of the workflow that
// was replaced and its successor may ask for the same step at once.
func (a *Activities) with(
	ctx context.Context, step Step, name string, act func(context.Context, *session) error,
) (journal.Position, error) {
	s, err := a.sessions.get(ctx, step.RunID, step.Token)
	if err != nil {
		return a.lost(step, err)
	}
	err = s.once(ctx, name, func() error {
		defer a.sessions.enter()()
		// What was begun is finished and recorded even where the workflow that asked for it is gone.
		return act(context.WithoutCancel(ctx), s)
	})
	if err != nil {
		a.sessions.drop(s, err)
		return a.lost(step, err)
	}
	return a.position(s.find(step.Session)), nil
}

// on runs one step on a thread of the run's session.
func (a *Activities) on(
	ctx context.Context, step Step, name string, act func(context.Context, *thread) error,
) (journal.Position, error) {
	return a.with(ctx, step, step.Session+"/"+name, func(ctx context.Context, s *session) error {
		t := s.find(step.Session)
		if t == nil {
			return nil // nobody waits for its answer any more
		}
		if err := act(ctx, t); err != nil || s.document == nil {
			return err
		}
		s.document.settled(t.id)
		return nil
	})
}

func (a *Activities) position(t *thread) journal.Position {
	if t == nil {
		return journal.Position{Phase: journal.PhaseEnded}
	}
	position := t.position()
	position.Lane = a.lanes.pick(t.opened.Config.Model.ID)
	if t.brain != nil {
		position.Lane = LaneLocal // its program runs in this process's care
	}
	return position
}

// lost turns the errors that mean "not yours" into positions that end the execution quietly; other errors are retried.
func (a *Activities) lost(step Step, err error) (journal.Position, error) {
	switch run.CodeOf(err) {
	case run.ErrStaleEpoch, run.ErrFenced:
		a.options.Log.Warn("another worker drives the run now", "run", step.RunID, "reason", err)
		return superseded, nil
	case run.ErrConflict, run.ErrNotFound:
		return superseded, nil
	}
	if errors.Is(err, errMoved) {
		return journal.Position{}, run.Errorf(run.ErrConflict, "run %s kept changing under its worker", step.RunID)
	}
	return journal.Position{}, err
}
