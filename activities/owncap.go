package activities

import (
	"context"
	"fmt"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
)

// withinOwnCap holds an attempt against the cap of the thread's own node, on top of which the run's is asked. A thread
// makes one request at a time, so its ledger is all that counts. Where the node's cap does not buy the least the attempt
// is journaled refused: the document sets that cap, and no person can raise it.
func (t *thread) withinOwnCap(ctx context.Context, out *outgoing) (refused bool, err error) {
	if t.brief.cap == nil {
		return false, nil
	}
	t.mu.Lock()
	grant := budget.Gate(t.brief.cap, t.fold.Ledger, out.begin.Quote)
	t.mu.Unlock()
	switch grant.Decision {
	case budget.Send:
		return false, nil
	case budget.Limit:
		out.begin.Quote.Ceiling = grant.Ceiling
		return false, nil
	case budget.Refuse:
		grant.Why = fmt.Sprintf("the node's own cap of %s USD has %s left, and the next request needs %s: raise budget_usd in "+
			"the document", *t.brief.cap, t.left(), grant.Needs)
	case budget.Impossible:
	}
	started := out.begin.Started
	started.Impossible = grant.Why
	_, err = t.append(ctx, journal.Append{Rows: []run.Row{
		run.NewRow(run.RowRequestStarted, out.begin.Key, started, out.begin.Private),
	}})
	return true, err
}

func (t *thread) left() run.USD {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fold.Ledger.Left(*t.brief.cap)
}
