// Package dispatch owns the way of runs from the record to Temporal: it starts a workflow for every run that can go on,
// first in first out within AGENTRUN_MAX_RUNS, and starts it again where its execution or its worker is gone. It keeps
// nothing that a restart could lose: the record says which runs can go on.
package dispatch

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/worker/launch"
)

// starters is how many workflow starts are under way at once.
const starters = 16

// handover is how long a worker that was asked to start a run may take until it has opened it. Then the reconciler looks
// after the run.
const handover = 2 * time.Second

// Record is what the dispatcher asks of the store.
type Record interface {
	// Runnable is what a run needs to be started, or false where it ended or waits for a person.
	Runnable(ctx context.Context, runID string) (door.Start, bool, error)
	// Unfinished lists every run that can go on, oldest first.
	Unfinished(ctx context.Context) ([]string, error)
}

// Dispatcher starts runs. Make it with New and let Run work.
type Dispatcher struct {
	temporal   client.Client
	record     Record
	log        *slog.Logger
	limit      int
	searchable bool
	offer      func(door.Start) bool

	mu      sync.Mutex
	waiting []string
	queued  map[string]bool
	// running are the runs that hold a slot, by when their execution was last known to live.
	running map[string]time.Time
	// opening are the runs that a worker was asked to start, until it has opened them.
	opening  map[string]chan struct{}
	suspects suspects
	wake     chan struct{}
}

// New makes a dispatcher that lets at most limit runs go on at once. searchable says that the cluster knows the search
// attributes of package engine. offer asks a worker to start a run, which gives it the run's first task at once, and
// tells whether there was one to ask; without one the dispatcher starts the run itself.
func New(
	temporal client.Client, record Record, limit int, searchable bool, offer func(door.Start) bool, log *slog.Logger,
) *Dispatcher {
	return &Dispatcher{
		temporal: temporal, record: record, log: log, limit: limit, searchable: searchable, offer: offer,
		queued: map[string]bool{}, running: map[string]time.Time{}, opening: map[string]chan struct{}{},
		suspects: suspects{open: map[string]bool{}, alone: map[string]int{}}, wake: make(chan struct{}, 1),
	}
}

// Resume queues every run that can go on: what a start does first.
func (d *Dispatcher) Resume(ctx context.Context) (int, error) {
	ids, err := d.record.Unfinished(ctx)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		d.Ready(id)
	}
	return len(ids), nil
}

// Ready queues a run that can go on.
func (d *Dispatcher) Ready(runID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.queued[runID] {
		return
	}
	d.queued[runID] = true
	d.waiting = append(d.waiting, runID)
	d.signal()
}

// Again starts a run that already holds a slot once more: its worker or its execution is gone.
func (d *Dispatcher) Again(runID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settled(runID)
	delete(d.running, runID)
	d.enqueue(runID)
}

// enqueue puts a run at the head of the line; the lock is held.
func (d *Dispatcher) enqueue(runID string) {
	if d.queued[runID] {
		return
	}
	d.queued[runID] = true
	d.waiting = append([]string{runID}, d.waiting...)
	d.signal()
}

// Rested frees the slot of a run that ended or waits for a person.
func (d *Dispatcher) Rested(runID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settled(runID)
	d.cleared(runID)
	if _, held := d.running[runID]; held {
		delete(d.running, runID)
		d.signal()
	}
}

// Opened notes that a worker has opened the run.
func (d *Dispatcher) Opened(runID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settled(runID)
}

// settled ends the wait for a run to be opened; the lock is held.
func (d *Dispatcher) settled(runID string) {
	if opened, ok := d.opening[runID]; ok {
		close(opened)
		delete(d.opening, runID)
	}
}

// Running lists the runs that hold a slot.
func (d *Dispatcher) Running() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := make([]string, 0, len(d.running))
	for id := range d.running {
		ids = append(ids, id)
	}
	return ids
}

func (d *Dispatcher) signal() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run starts what is queued until the context ends.
func (d *Dispatcher) Run(ctx context.Context) {
	slots := make(chan struct{}, starters)
	var group sync.WaitGroup
	defer group.Wait()
	for {
		runID, ok := d.next()
		if !ok {
			select {
			case <-ctx.Done():
				return
			case <-d.wake:
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case slots <- struct{}{}:
		}
		group.Go(func() {
			defer func() { <-slots }()
			d.start(ctx, runID)
		})
	}
}

// next takes the first waiting run, with its slot.
func (d *Dispatcher) next() (string, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.waiting) == 0 || len(d.running) >= d.limit {
		return "", false
	}
	runID := d.waiting[0]
	d.waiting = d.waiting[1:]
	delete(d.queued, runID)
	d.running[runID] = time.Now()
	return runID, true
}

// start starts the run's workflow; an execution that is still open is replaced.
func (d *Dispatcher) start(ctx context.Context, runID string) {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		start, ok, err := d.record.Runnable(ctx, runID)
		if err == nil && !ok {
			d.Rested(runID)
			return
		}
		if start.Searchable = d.searchable; err == nil && !d.handed(ctx, start) {
			err = launch.Run(ctx, d.temporal, start, false)
		}
		if err == nil || ctx.Err() != nil {
			return
		}
		d.log.Warn("a run could not be started; trying again", "run", runID, "error", err)
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// handed has a worker start the run, where one takes it, and waits until it has opened it.
func (d *Dispatcher) handed(ctx context.Context, start door.Start) bool {
	opened := make(chan struct{})
	d.mu.Lock()
	d.settled(start.RunID) // of an earlier start: this one is what to wait for
	d.opening[start.RunID] = opened
	d.mu.Unlock()
	taken := d.offer(start)
	if taken {
		late := time.NewTimer(handover)
		defer late.Stop()
		select {
		case <-opened:
		case <-late.C:
		case <-ctx.Done():
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.opening[start.RunID] == opened {
		delete(d.opening, start.RunID)
	}
	return taken
}
