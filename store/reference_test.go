package store

import (
	"slices"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
)

// reference is what a run should be, in the plainest words: a list of keys, a standing and a sum of money. It shares
// nothing with the store but the budget's arithmetic, which has tests of its own.
type reference struct {
	id      string
	keys    []string
	stands  string // a status, or what an input_required run waits for
	state   run.State
	epoch   int64
	token   int64
	worker  string
	limit   *run.USD
	needs   run.USD
	ledger  budget.Ledger
	held    map[string]run.USD
	deaths  int
	holding bool // a pause was asked for and not obeyed
	leaving bool // a cancel was
	ended   int  // steps, for the strikes
	atDeath int
}

func (r *reference) add(keys ...string) {
	for _, key := range keys {
		if !slices.Contains(r.keys, key) {
			r.keys = append(r.keys, key)
		}
	}
}

func (r *reference) seq(key string) int64 { return int64(slices.Index(r.keys, key) + 1) }

func (r *reference) has(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(r.keys, key) })
}

func (r *reference) set(stands string, state run.State) {
	r.stands, r.state = stands, state
	if state != run.StateRunning {
		r.worker = ""
	}
	switch state {
	case run.StateWaiting, run.StatePaused:
		r.holding = false
	case run.StateEnded:
		r.holding, r.leaving = false, false
	case run.StateQueued, run.StateRunning, run.StateSleeping:
	}
}

func (r *reference) holds(c journal.Claim) bool { return c.Epoch == r.epoch && c.Worker == r.worker }

// others are the keys after a seq that are not among these.
func (r *reference) others(after int64, own []string) []string {
	var others []string
	for i, key := range r.keys {
		if int64(i+1) > after && !slices.Contains(own, key) && !isCapRow(key) {
			others = append(others, key)
		}
	}
	return others
}

func isCapRow(key string) bool { return len(key) > 4 && key[len(key)-4:] == "/cap" }

// claim returns the code of the refusal, or "".
func (r *reference) claim(ask journal.Open, dead map[string]bool) string {
	switch {
	case r.state != run.StateQueued && r.state != run.StateRunning && r.state != run.StateSleeping:
		return run.ErrConflict
	case r.worker != "" && r.worker != ask.Holder.Worker && !dead[r.worker] && ask.Token <= r.token:
		return run.ErrHeld
	}
	r.epoch++
	r.set("working", run.StateRunning)
	r.worker, r.token = ask.Holder.Worker, ask.Token
	return ""
}

// message, stop and the rest return the code of the refusal, whether a worker is nudged, and whether nothing was to do.
func (r *reference) message() (refused string, nudge, already bool) {
	if r.leaving && (r.state == run.StateRunning || r.state == run.StateSleeping) {
		return run.ErrNotContinuable, false, false
	}
	switch r.stands {
	case "failed", "cancelled":
		return run.ErrNotContinuable, false, false
	case "completed", "message":
		r.set("queued", run.StateQueued)
	}
	return "", r.state == run.StateRunning, false
}

func (r *reference) stop() (refused string, nudge, already bool) {
	switch r.state {
	case run.StateRunning:
		return "", true, false
	case run.StateEnded:
		return "", false, true
	}
	if r.stands == "message" {
		return "", false, true
	}
	r.settleOpen()
	r.set("message", run.StateWaiting)
	return "", false, false
}

func (r *reference) cancel() (refused string, nudge, already bool) {
	switch r.state {
	case run.StateRunning:
		r.leaving = true
		return "", true, false
	case run.StateEnded:
		return "", false, true
	}
	r.settleOpen()
	r.set("cancelled", run.StateEnded)
	return "", false, false
}

func (r *reference) pause() (refused string, nudge, already bool) {
	switch {
	case r.state == run.StateRunning && r.holding, r.state == run.StatePaused:
		return "", false, true
	case r.state == run.StateRunning:
		r.holding = true
		return "", true, false
	case r.state == run.StateEnded, r.stands == "message":
		return run.ErrConflict, false, false
	}
	r.set("resume", run.StatePaused)
	return "", false, false
}

func (r *reference) resume() (refused string, nudge, already bool) {
	asked := r.holding
	switch r.state {
	case run.StateRunning, run.StateSleeping:
		r.holding = false
		return "", asked && r.state == run.StateRunning, !asked
	case run.StateQueued:
		return "", false, true
	case run.StatePaused:
		r.set("queued", run.StateQueued)
		return "", false, false
	}
	return run.ErrConflict, false, false
}

func (r *reference) setCap(limit *run.USD) (refused string, already bool) {
	switch {
	case r.limit == nil && limit == nil, r.limit != nil && limit != nil && *r.limit == *limit:
		return "", true
	case r.stands == "failed", r.stands == "cancelled":
		return run.ErrConflict, false
	case limit != nil && *limit < r.ledger.Known+r.ledger.Unknown+r.ledger.Open:
		return run.ErrConflict, false
	}
	r.limit = limit
	if r.stands == "budget" && budget.Buys(limit, r.ledger, r.needs) {
		r.set("queued", run.StateQueued)
	}
	return "", false
}

// settleOpen counts every open request at what it held, in the order they were begun.
func (r *reference) settleOpen() {
	for _, key := range slices.Clone(r.keys) {
		held, open := r.held[key]
		if !open {
			continue
		}
		r.add(key + "/interrupted")
		r.ledger.Open -= held
		r.ledger.Unknown += held
		r.ledger.UnknownSpend = true
		delete(r.held, key)
	}
}
