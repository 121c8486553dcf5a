package store

import (
	"context"
	"fmt"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

// SetCap gives a run another spend cap (nil: none). One below what is spent and held is refused with run.ErrConflict and
// the floor in its details. A run that waits at its cap goes on once the new one buys what it needs.
func (s *Store) SetCap(ctx context.Context, id string, limit *run.USD) (Outcome, error) {
	if limit != nil && *limit < 0 {
		return Outcome{}, run.Invalid(run.Issue{Path: "max_cost_usd", Code: "out_of_range", Message: "it cannot be negative"})
	}
	limit = roundDown(limit)
	return s.command(ctx, id, func(t *txn, h *head) (Outcome, error) { return t.setCap(h, limit) })
}

func (t *txn) setCap(h *head, limit *run.USD) (Outcome, error) {
	p := &h.projection
	var outcome Outcome
	switch same := sameCap(p.Cap, limit); {
	case same:
		outcome.Already = true
	case p.Status == run.Failed || p.Status == run.Cancelled:
		return outcome, run.Errorf(run.ErrConflict, "run %s is %s: its cap no longer matters", h.id, p.Status).
			With("status", p.Status)
	default:
		if err := aboveFloor(h.id, p.Ledger, limit); err != nil {
			return outcome, err
		}
		key := fmt.Sprintf("%s/%d", run.RowCapChanged, h.seq+1)
		if _, _, err := t.add(h, run.NewRow(run.RowCapChanged, key, run.CapChange{CapUSD: limit}, nil)); err != nil {
			return outcome, err
		}
	}
	if outcome.Requeued = !outcome.Already && met(h); outcome.Requeued {
		if err := t.move(h, *toQueued()); err != nil {
			return Outcome{}, err
		}
	}
	var err error
	outcome.Run, err = t.shown(h)
	return outcome, err
}

// met tells whether a run waits at its cap, which now buys what it needs.
func met(h *head) bool {
	p := &h.projection
	if phaseOf(h) != waitingBudget {
		return false
	}
	return p.Pending.NeedsUSD == nil || budget.Buys(p.Cap, p.Ledger, *p.Pending.NeedsUSD)
}

func aboveFloor(id string, ledger budget.Ledger, limit *run.USD) error {
	floor := ledger.Spent().Plus(ledger.Open)
	if limit == nil || *limit >= floor {
		return nil
	}
	return run.Errorf(run.ErrConflict, "run %s has spent or holds %s USD: its cap cannot be lower", id, floor).
		With("floor_usd", floor)
}

func sameCap(a, b *run.USD) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
