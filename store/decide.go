package store

import (
	"fmt"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

// decision is what a command comes to: rows to write and what to tell who asked.
type decision struct {
	rows []run.Row
	// closes: what the run was doing is given up without the worker that drove it last, whose open requests are to be
	// closed first.
	closes  bool
	outcome Outcome
}

// decide says what a command does to a run. It changes nothing; body is that of the inbox row, if there is one.
func decide(h *head, c command, body any) (decision, error) {
	does := effectOn(h, c)
	if does.refusal != "" {
		return decision{}, run.Errorf(does.refusal, "run %s is %s: %s", h.id, h.projection.Status, does.why).
			With("run_id", h.id).With("status", h.projection.Status)
	}
	d := decision{outcome: Outcome{Nudge: does.nudge, Already: does.already}}
	if does.inbox != "" {
		d.rows = append(d.rows, run.NewRow(does.inbox, inboxKey(h, does.inbox), body, nil))
	}
	if does.to == nil {
		return d, nil
	}
	d.closes = does.to.Status.Terminal() || does.to.State == run.StateWaiting
	return d, d.move(h, *does.to)
}

// effectOn is the table's word on a run, but for what its phase alone does not tell.
func effectOn(h *head, c command) effect {
	at, p := phaseOf(h), &h.projection
	switch {
	case c == sendMessage && (at == running || at == sleeping) && p.Cancelling:
		return leaving
	case c == sendMessage && h.kind == run.KindWorkflow && at != waitingMessage:
		if at == failed && p.Error != nil && p.Error.Code == run.CodeEscalated {
			return supplied
		}
		return noMessages
	case c == pauseRun && at == running && p.Holding:
		return already
	case c == resumeRun && (at == running || at == sleeping) && !p.Holding:
		return already
	}
	return effects[c][at]
}

// decideCap says what another cap does to a run.
func decideCap(h *head, limit *run.USD) (decision, error) {
	p := &h.projection
	if sameCap(p.Cap, limit) {
		return decision{outcome: Outcome{Already: true}}, nil
	}
	at := phaseOf(h)
	if at == failed || at == cancelled {
		return decision{}, run.Errorf(run.ErrConflict, "run %s is %s: its cap no longer matters", h.id, p.Status).
			With("run_id", h.id).With("status", p.Status)
	}
	if floor := p.Ledger.Spent().Plus(p.Ledger.Open); limit != nil && *limit < floor {
		return decision{}, run.Errorf(run.ErrConflict, "run %s has spent or holds %s USD: its cap cannot be lower", h.id, floor).
			With("run_id", h.id).With("floor_usd", floor)
	}
	d := decision{rows: []run.Row{
		run.NewRow(run.RowCapChanged, inboxKey(h, run.RowCapChanged), run.CapChange{CapUSD: limit}, nil),
	}}
	if at != waitingBudget {
		return d, nil
	}
	if needs := p.Pending.NeedsUSD; needs != nil && !budget.Buys(limit, p.Ledger, *needs) {
		pending := *p.Pending
		pending.CapUSD = limit
		return d, d.move(h, run.StatusChange{Status: p.Status, State: p.State, Reason: "spend cap", Pending: &pending})
	}
	return d, d.move(h, *toQueued())
}

// move adds the row that changes the status of a run nobody drives.
func (d *decision) move(h *head, to run.StatusChange) error {
	d.outcome.Requeued = to.Status == run.Queued
	if d.outcome.Requeued && h.archived {
		return run.Errorf(run.ErrConflict, "run %s is archived: unarchive it first", h.id).With("run_id", h.id)
	}
	key := fmt.Sprintf("%s/%d", run.RowStatus, h.seq+1+int64(len(d.rows)))
	d.rows = append(d.rows, run.NewRow(run.RowStatus, key, to, nil))
	return nil
}

// inboxKey names an inbox row. A worker obeys a stop or a cancel once an epoch, so asking again adds no row.
func inboxKey(h *head, kind run.RowType) string {
	if kind == run.RowStopRequested || kind == run.RowCancelRequested {
		return fmt.Sprintf("%s/epoch/%d", kind, h.epoch)
	}
	return fmt.Sprintf("%s/%d", kind, h.seq+1)
}

func toQueued() *run.StatusChange {
	return &run.StatusChange{Status: run.Queued, State: run.StateQueued}
}

func toWait(state run.State, kind, reason string) *run.StatusChange {
	return &run.StatusChange{
		Status: run.InputRequired, State: state, Reason: reason, Pending: &run.Pending{Kind: kind},
	}
}

func toCancelled() *run.StatusChange {
	return &run.StatusChange{Status: run.Cancelled, State: run.StateEnded, Reason: "cancelled"}
}

func sameCap(a, b *run.USD) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
