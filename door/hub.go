package door

import (
	"context"
	"sync"
	"time"

	"github.com/agentrun/agentrun/run"
)

// nudgeBuffer is how many nudges wait for a slow worker before more are dropped: a worker that missed one sees the row
// at its next append.
const nudgeBuffer = 1024

// Hub knows the worker processes: who is alive, who was fenced, and how to reach them. It forgets everything with the
// process, which is right: workers do not outlive the server they speak to.
type Hub struct {
	lease time.Duration
	now   func() time.Time

	mu      sync.Mutex
	workers map[string]*presence
	fenced  map[string]string
	offers  int64
}

type presence struct {
	holder run.Holder
	seen   time.Time
	nudges chan Nudge
	// listens: the worker has asked for its nudges. offered: the number of its last offer, for taking turns.
	listens bool
	offered int64
}

// NewHub makes a hub whose workers must be heard of once a lease.
func NewHub(lease time.Duration) *Hub {
	return &Hub{
		lease: lease, now: time.Now,
		workers: map[string]*presence{}, fenced: map[string]string{},
	}
}

// Hello implements Presence.
func (h *Hub) Hello(_ context.Context, holder run.Holder) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if why, gone := h.fenced[holder.Worker]; gone {
		return fencedError(holder.Worker, why)
	}
	if known := h.workers[holder.Worker]; known != nil {
		known.seen = h.now()
		return nil
	}
	h.workers[holder.Worker] = &presence{
		holder: holder, seen: h.now(), nudges: make(chan Nudge, nudgeBuffer),
	}
	return nil
}

// Beat implements Presence.
func (h *Hub) Beat(_ context.Context, worker string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.workers[worker]
	if known == nil {
		return fencedError(worker, h.fenced[worker])
	}
	known.seen = h.now()
	return nil
}

// Nudges implements Presence.
func (h *Hub) Nudges(_ context.Context, worker string) (<-chan Nudge, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.workers[worker]
	if known == nil {
		return nil, fencedError(worker, h.fenced[worker])
	}
	known.listens = true
	return known.nudges, nil
}

// Nudge tells a worker of a new row in a run it drives.
func (h *Hub) Nudge(worker string, nudge Nudge) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.workers[worker]; known != nil {
		select {
		case known.nudges <- nudge:
		default:
		}
	}
}

// NudgeAll tells every worker of a row in a run that none drives: one may still keep something of it.
func (h *Hub) NudgeAll(nudge Nudge) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, known := range h.workers {
		select {
		case known.nudges <- nudge:
		default:
		}
	}
}

// Offer asks one of the workers that listen to start a run, each in turn, and names it; "" where there is none to ask. A
// worker that was asked may go before it does.
func (h *Hub) Offer(start Start) (worker string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var next *presence
	for _, known := range h.workers {
		if known.listens && (next == nil || known.offered < next.offered) {
			next = known
		}
	}
	if next == nil {
		return ""
	}
	select {
	case next.nudges <- Nudge{RunID: start.RunID, Start: &start}:
		h.offers++
		next.offered = h.offers
		return next.holder.Worker
	default:
		return ""
	}
}

// Alive tells whether a worker's calls are still taken.
func (h *Hub) Alive(worker string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.workers[worker] != nil
}

// Live counts the workers whose calls are taken.
func (h *Hub) Live() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.workers)
}

// Fence refuses a worker from now on, for ever, and tells whether it was known. Its runs may be opened by others.
func (h *Hub) Fence(worker, why string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	known := h.workers[worker]
	if known != nil {
		delete(h.workers, worker)
		close(known.nudges)
	}
	h.fenced[worker] = why
	return known != nil
}

// Expire fences every worker whose lease ran out and returns them.
func (h *Hub) Expire() []run.Holder {
	h.mu.Lock()
	var late []run.Holder
	for _, known := range h.workers {
		if h.now().Sub(known.seen) > h.lease {
			late = append(late, known.holder)
		}
	}
	h.mu.Unlock()
	for _, holder := range late {
		h.Fence(holder.Worker, "it was not heard of for "+h.lease.String())
	}
	return late
}

// Forgive renews every lease: after the server itself was held up, nobody's silence proves anything.
func (h *Hub) Forgive() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, known := range h.workers {
		known.seen = h.now()
	}
}

func fencedError(worker, why string) error {
	if why == "" {
		why = "it is not known to this server"
	}
	return run.Errorf(run.ErrFenced, "worker %s is refused: %s", worker, why)
}
