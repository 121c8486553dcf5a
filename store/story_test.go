package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// TestARunPausedAtItsCapGoesOn is the whole way of a run: refused at its cap, raised, paid, followed up.
func TestARunPausedAtItsCapGoesOn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	usd := func(cents int64) *run.USD { amount := run.USD(cents) * run.Dollar / 100; return &amount }
	c, head := claimed(t, b.Store, func(n *NewRun) { n.MaxCostUSD = usd(50) })
	refused := appended(t, b.Store, journal.Append{Claim: c, After: head, Begin: begin("turn/1/1", dollarQuote(100))})
	grant := refused.Grant
	status(t, b.Store, c, "pause", run.StatusChange{
		Status: run.InputRequired, State: run.StateWaiting, Pending: &run.Pending{
			Kind: run.PendingBudget, CapUSD: &grant.Cap, SpentUSD: &grant.Spent, NeedsUSD: &grant.Needs,
			SuggestedCapUSD: &grant.Suggested,
		},
	})
	shown, err := b.Run(b.ctx, c.RunID)
	if err != nil {
		t.Fatal(err)
	}
	want := &run.Pending{
		Kind: run.PendingBudget, CapUSD: usd(50), SpentUSD: usd(0), NeedsUSD: usd(110), SuggestedCapUSD: usd(200),
	}
	if diff := cmp.Diff(want, shown.Pending); diff != "" || shown.Claim.Holder != nil || shown.Error != nil {
		t.Errorf("paused: %+v; pending (-want +got):\n%s", shown, diff)
	}

	low, err := b.SetCap(b.ctx, c.RunID, usd(100))
	if err != nil || low.Requeued || low.Run.Status != run.InputRequired {
		t.Errorf("a raise that does not buy it: %+v, %v", low, err)
	}
	raised, err := b.SetCap(b.ctx, c.RunID, want.SuggestedCapUSD)
	if err != nil || !raised.Requeued || raised.Run.Status != run.Queued || raised.Run.Pending != nil {
		t.Errorf("the raise: %+v, %v", raised, err)
	}

	c, head = claim(t, b.Store, c.RunID, "w2", 2)
	sent := appended(t, b.Store, journal.Append{Claim: c, After: head, Begin: begin("turn/1/2", dollarQuote(100))})
	ended := run.RequestEnded{Request: "turn/1/2", Attempt: 1, HeldUSD: sent.Grant.Held, CostUSD: usd(120)}
	usage := run.UsageRow{Usage: run.Usage{InputTokens: 1, OutputTokens: 20}, CostUSD: usd(120)}
	appended(t, b.Store, journal.Append{Claim: c, After: sent.Seqs[0], IfHead: true, Rows: []run.Row{
		run.NewRow(run.RowRequestEnded, "turn/1/2/end", ended, nil),
		run.NewRow(run.RowUsage, "turn/1/usage", usage, nil),
		run.NewRow(run.RowStatus, "done", run.StatusChange{
			Status: run.Completed, State: run.StateEnded, Result: &run.Result{FinalAnswer: "42"},
		}, nil),
	}})
	followed, err := b.Message(b.ctx, c.RunID, "and seven times six?", nil)
	if err != nil || !followed.Requeued || followed.Run.Result != nil {
		t.Errorf("the follow-up: %+v, %v", followed, err)
	}
	cost := run.Cost{USD: usd(120), KnownUSD: *usd(120)}
	if diff := cmp.Diff(cost, followed.Run.Cost); diff != "" {
		t.Errorf("cost (-want +got):\n%s", diff)
	}
	// What is spent is the floor of any later cap.
	_, err = b.SetCap(b.ctx, c.RunID, usd(119))
	code(t, err, run.ErrConflict)
	_, err = b.SetCap(b.ctx, c.RunID, usd(-1))
	code(t, err, run.ErrInvalid)
	checkFold(t, b.Store, c.RunID, allRows(t, b.Store, c.RunID))
}

// TestARunTheServerEndsHoldsNothing: an open request counts at its worst once nobody is left to end it.
func TestARunTheServerEndsHoldsNothing(t *testing.T) {
	t.Parallel()
	asleep := run.StatusChange{Status: run.Working, State: run.StateSleeping, Reason: "drain"}
	gaveUp := run.StatusChange{
		Status: run.Failed, State: run.StateEnded, Error: &run.Failure{Code: run.CodeRunFailed, Message: "3 of 3"},
	}
	b := setup(t)
	server := func(id, key string, to run.StatusChange) error {
		return b.ServerAppend(b.ctx, id, run.NewRow(run.RowStatus, key, to, nil))
	}
	cases := map[string]struct {
		end    func(id string) error
		status run.Status
	}{
		"after three strikes": {func(id string) error { return server(id, "given-up", gaveUp) }, run.Failed},
		"cancelled while it sleeps": {func(id string) error {
			if err := server(id, "drain", asleep); err != nil {
				return err
			}
			_, err := b.Cancel(b.ctx, id)
			return err
		}, run.Cancelled},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, head := claimed(t, b.Store)
			appended(t, b.Store, journal.Append{Claim: c, After: head, Begin: begin("answered", dollarQuote(100))})
			cost := run.Dollar
			ended := run.RequestEnded{Request: "answered", Attempt: 1, HeldUSD: 2 * run.Dollar, CostUSD: &cost}
			appended(t, b.Store, journal.Append{
				Claim: c, After: head + 1, Begin: begin("cut", dollarQuote(100)),
				Rows: []run.Row{run.NewRow(run.RowRequestEnded, "answered/end", ended, nil)},
			})
			if err := tc.end(c.RunID); err != nil {
				t.Fatal(err)
			}
			shown, err := b.Run(b.ctx, c.RunID)
			if err != nil {
				t.Fatal(err)
			}
			want := run.Cost{KnownUSD: run.Dollar, HeldUSD: 2 * run.Dollar}
			if diff := cmp.Diff(want, shown.Cost); diff != "" || shown.Status != tc.status || shown.EndedAt == nil {
				t.Errorf("%s at %v; cost (-want +got):\n%s", shown.Status, shown.EndedAt, diff)
			}
			rows := allRows(t, b.Store, c.RunID)
			checkFold(t, b.Store, c.RunID, rows)
			if last := rows[len(rows)-2]; last.Key != "cut/interrupted" || last.Type != run.RowRequestEnded {
				t.Errorf("before the status: %+v", last)
			}
			// The server says it again, after a restart that lost the answer: nothing happens twice.
			if err := server(c.RunID, rows[len(rows)-1].Key, gaveUp); err != nil {
				t.Error(err)
			}
			if again := allRows(t, b.Store, c.RunID); len(again) != len(rows) {
				t.Errorf("%d rows more", len(again)-len(rows))
			}
		})
	}
}
