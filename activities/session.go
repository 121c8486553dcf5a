package activities

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// rowsPage is how many rows one read of the journal brings.
const rowsPage = 500

// errMoved says that somebody else wrote to the run first; the step is looked at again.
var errMoved = errors.New("the run's journal moved on")

// session is one run that this process has claimed: its journal folded, and the rows not yet written.
type session struct {
	runID     string
	options   Options
	opened    door.Opened
	workspace *places.Workspace
	draining  <-chan struct{}
	acting    atomic.Int64

	// document is the interpretation of a workflow document, once it was asked for.
	starting sync.Mutex
	document *document

	// writing orders the appends; mu guards what they change.
	writing sync.Mutex
	mu      sync.Mutex
	tree    journal.Tree
	threads map[string]*thread
	// parts are appends that wait for the one under way.
	parts []*part
	// deferred are rows of finished tool calls that the next append carries; since is when the first was put there.
	deferred []run.Row
	since    time.Time
	secrets  map[string]string
	flights  map[string]*flight
	// flying counts, by the keys of their begins, the attempts under way in this process.
	flying map[string]int
	cuts   map[*cutter]struct{}
	// bell is closed when the fold changes, nil where nobody waits for that.
	bell chan struct{}
}

type flight struct {
	done chan struct{}
	err  error
}

func openSession(
	ctx context.Context, options Options, draining <-chan struct{}, runID string, token int64,
) (*session, error) {
	opened, err := options.Door.Open(ctx, journal.Open{RunID: runID, Holder: options.Holder, Token: token})
	if err != nil {
		return nil, err
	}
	s := &session{
		runID: runID, options: options, opened: opened, draining: draining,
		flights: map[string]*flight{}, flying: map[string]int{}, cuts: map[*cutter]struct{}{},
		threads: map[string]*thread{}, secrets: map[string]string{},
	}
	if s.workspace, err = places.OpenWorkspace(opened.WorkDir, places.Options{NoSync: true}); err != nil {
		return nil, err
	}
	s.tree.Cap = opened.Run.MaxCostUSD
	if err := s.load(ctx); err != nil {
		return nil, err
	}
	return s, s.begin()
}

// load folds the journal from the last row known. No append is under way meanwhile: its rows would be folded twice.
func (s *session) load(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	for {
		s.mu.Lock()
		head := s.tree.Head()
		s.mu.Unlock()
		rows, err := s.options.Door.Rows(ctx, s.opened.Claim, head, rowsPage)
		if err != nil {
			return err
		}
		s.mu.Lock()
		err = s.apply(rows)
		s.mu.Unlock()
		if err != nil || len(rows) < rowsPage {
			return err
		}
	}
}

// once runs act unless the same step is under way, and then waits for that one.
func (s *session) once(ctx context.Context, name string, act func() error) error {
	s.mu.Lock()
	if under := s.flights[name]; under != nil {
		s.mu.Unlock()
		select {
		case <-under.done:
			return under.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	under := &flight{done: make(chan struct{})}
	s.flights[name] = under
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.flights, name)
		s.mu.Unlock()
		close(under.done)
	}()
	under.err = act()
	return under.err
}

// hold keeps a step from beginning where it must not: it blocks for good once the process drains (the process ends), and
// it is refused where the worker's lease ran out, for then another one may already drive the run.
func (s *session) hold(ctx context.Context) error {
	select {
	case <-s.draining:
		<-ctx.Done()
		select {} // the context of a begun step never ends; the process does
	default:
	}
	if s.options.Confirm == nil {
		return nil
	}
	return s.options.Confirm(ctx)
}
