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

const (
	// handover is how long a worker that was asked to start a run may take until it has opened it. Then the reconciler
	// looks after the run.
	handover = 2 * time.Second
	// workerless is how long a run waits for a worker to be asked; then it is started without, for whoever comes.
	workerless = 2 * time.Second
	// askEvery is how often it looks for one.
	askEvery = 20 * time.Millisecond
)

// Record is what the dispatcher asks of the store.
type Record interface {
	// Runnable is what a run needs to be started, and whether a live worker drives it already; ok is false where it ended or
	// waits for a person.
	Runnable(ctx context.Context, runID string) (start door.Start, driven, ok bool, err error)
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
	offer      func(door.Start) (worker string)
	patience   time.Duration

	mu      sync.Mutex
	waiting []string
	queued  map[string]bool
	// running are the runs that hold a slot, by when their execution was last known to live.
	running map[string]time.Time
	// opening are the runs that are being started, until a worker has opened them; asked who was asked to, "" whoever comes.
	opening map[string]chan struct{}
	asked   map[string]string
	// anew are the runs that are started whoever seems to drive them.
	anew     map[string]bool
	suspects suspects
	wake     chan struct{}
}

// New makes a dispatcher that lets at most limit runs go on at once. searchable says that the cluster knows the search
// attributes of package engine. offer asks a worker to start a run, which gives it the run's first task at once, and
// names it; where there is none for a while the dispatcher starts the run itself.
func New(
	temporal client.Client, record Record, limit int, searchable bool, offer func(door.Start) (worker string),
	log *slog.Logger,
) *Dispatcher {
	return &Dispatcher{
		temporal: temporal, record: record, log: log, limit: limit, searchable: searchable, offer: offer,
		patience: workerless,
		queued:   map[string]bool{}, running: map[string]time.Time{}, opening: map[string]chan struct{}{},
		asked: map[string]string{}, anew: map[string]bool{},
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
	d.again(runID)
}

// again is Again; the lock is held.
func (d *Dispatcher) again(runID string) {
	d.settled(runID)
	delete(d.running, runID)
	d.anew[runID] = true
	d.enqueue(runID)
}

// Gone starts the runs again that a worker was asked to start and had not opened when it went, but for those it held.
func (d *Dispatcher) Gone(worker string, held map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for runID, asked := range d.asked {
		if (asked == worker || asked == "") && !held[runID] {
			d.again(runID)
		}
	}
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
	delete(d.anew, runID)
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
	delete(d.asked, runID)
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
		start, driven, ok, err := d.record.Runnable(ctx, runID)
		if err == nil && !ok {
			d.Rested(runID)
			return
		}
		if err == nil && !d.takeAnew(runID) && driven {
			return // it was opened since it was put in line
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
	worker, done := d.ask(ctx, start, opened)
	if done {
		return true
	}
	d.mu.Lock()
	if d.opening[start.RunID] == opened {
		d.asked[start.RunID] = worker
	}
	d.mu.Unlock()
	if worker != "" {
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
	return worker != ""
}

// ask finds a worker to start the run and names it; "" where there was none for a while. done says that meanwhile the run
// came to rest, or is to be started anew.
func (d *Dispatcher) ask(ctx context.Context, start door.Start, opened <-chan struct{}) (worker string, done bool) {
	for until := time.Now().Add(d.patience); ; {
		if worker := d.offer(start); worker != "" || !time.Now().Before(until) {
			return worker, false
		}
		select {
		case <-time.After(askEvery):
		case <-opened:
			return "", true
		case <-ctx.Done():
			return "", true
		}
	}
}

// takeAnew tells whether a run is to be started whoever seems to drive it, once.
func (d *Dispatcher) takeAnew(runID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	anew := d.anew[runID]
	delete(d.anew, runID)
	return anew
}
