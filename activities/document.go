package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// document is the interpretation of a run's workflow document. The interpreter is plain code that blocks where it wants
// something of the outside; each such want is handed to the run's workflow, which has it done by an activity, and what
// comes of it is read off the journal. A process that takes the run over interprets from the start again, and is
// answered from the journal up to where the run stands.
type document struct {
	s    *session
	stop context.CancelCauseFunc
	// round counts how often a person supplied something since the run began.
	round int

	// mu guards what follows; it may be taken while the session's own lock is not held, and never the other way round.
	mu sync.Mutex
	// running counts the tasks of the interpreter that go on by themselves; moved is told of each change.
	running int
	moved   *sync.Cond
	wants   map[string]*want
	asked   int
	counts  map[uint64]int
	events  int
	ended   bool
	result  dsl.Result
	failure error
}

// want is something the interpreter waits for.
type want struct {
	number  int
	kind    string
	key     string
	summary string
	// ready tells whether the journal has what is waited for; the session's lock is held.
	ready func() bool
	// open tells whether there is something to do for it now, not after a person's word; the session's lock is held.
	open    func() bool
	done    chan struct{}
	attempt dsl.Attempt
	until   time.Time
	context context.Context //nolint:containedctx // the effect's: it ends where a sibling failed
}

// newDocument reads the run's document and starts to interpret it.
func newDocument(s *session) (*document, error) {
	workflow, err := compileDocument(s.opened.Config.Workflow)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	supplied := s.tree.Supplied.Contents
	s.mu.Unlock()
	input, err := run.MergeInput(s.opened.Run.Input.Object, supplied)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(context.Background())
	d := &document{s: s, stop: stop, round: len(supplied), counts: map[uint64]int{}, wants: map[string]*want{}, running: 1}
	d.moved = sync.NewCond(&d.mu)
	options := dsl.Options{Tasks: d, Sandbox: s.options.sandbox, Adapters: &dsl.Adapters{Generate: true, Judge: true, Effect: true}}
	if settle := s.options.Document; settle != nil {
		settle(s.runID, &options)
	}
	go func() {
		result, err := workflow.Run(ctx, d, options, input)
		if cause := context.Cause(ctx); err != nil && errors.Is(cause, errTooLong) {
			err = cause
		}
		if told := s.options.Ended; told != nil {
			told(s.runID, result, err)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.ended, d.result, d.failure = true, result, err
		d.running--
		d.moved.Broadcast()
	}()
	return d, nil
}

// compileDocument makes the typed form of a document that was validated when its agent was saved.
func compileDocument(source []byte) (*dsl.Workflow, error) {
	value, err := dsl.Decode(source)
	if err != nil {
		return nil, run.Errorf(run.ErrInvalid, "the workflow document: %w", err)
	}
	object, ok := value.(*dsl.Object)
	if !ok {
		return nil, run.Errorf(run.ErrInvalid, "the workflow document is not an object")
	}
	workflow, err := dsl.Build(object)
	if err != nil {
		return nil, run.Errorf(run.ErrInvalid, "the workflow document: %w", err)
	}
	return workflow, nil
}

// Go runs a part of the interpretation beside its caller.
func (d *document) Go(fn func()) {
	d.count(1)
	go func() {
		defer d.count(-1)
		fn()
	}()
}

// Block lets a part of the interpretation wait for others.
func (d *document) Block(fn func()) {
	d.count(-1)
	defer d.count(1)
	fn()
}

func (d *document) count(by int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running += by
	if d.running == 0 {
		d.moved.Broadcast()
	}
}

// await blocks the interpreter until what it wants is in the journal. An error is the context's: a sibling failed, or
// the run is no longer this process's.
func (d *document) await(ctx context.Context, w *want) error {
	d.s.mu.Lock()
	ready := w.ready()
	d.s.mu.Unlock()
	if ready {
		return nil
	}
	w.done, w.context = make(chan struct{}), ctx
	d.mu.Lock()
	if ctx.Err() != nil {
		d.mu.Unlock()
		return ctx.Err()
	}
	d.asked++
	w.number = d.asked
	d.wants[w.key] = w
	d.running--
	d.moved.Broadcast()
	d.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.wants[w.key] == w {
			delete(d.wants, w.key)
			d.running++
		}
		return ctx.Err()
	}
}

// settled lets the interpreter go on where the journal now has what it waits for under the key.
func (d *document) settled(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.wants[key]
	if w == nil {
		return
	}
	d.s.mu.Lock()
	ready := w.ready()
	d.s.mu.Unlock()
	if ready {
		delete(d.wants, key)
		d.running++
		close(w.done)
	}
}

// find is the want with the key, nil where nobody waits for it any more.
func (d *document) find(key string) *want {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wants[key]
}

// nth numbers what happens at a place, from 0: each execution of the same document numbers alike.
func (d *document) nth(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := journal.NameOf(name)
	d.counts[key]++
	return d.counts[key] - 1
}

var (
	_ dsl.Host  = (*document)(nil)
	_ dsl.Tasks = (*document)(nil)
)
