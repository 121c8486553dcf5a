package store

import (
	"context"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
)

// say sends the run a message.
func (m *model) say(ctx context.Context, id string) (Outcome, error) {
	return m.Message(ctx, id, "go on", nil)
}

func (m *model) claim(rt *rapid.T) {
	ask := journal.Open{
		RunID: m.ref.id, Token: rapid.Int64Range(0, 5).Draw(rt, "token"),
		Holder: run.Holder{Worker: rapid.SampledFrom([]string{"w1", "w2", "w3"}).Draw(rt, "worker")},
	}
	opened, err := m.ClaimRun(m.ctx, ask)
	if want := m.ref.claim(ask, m.dead); run.CodeOf(err) != want || (want == "" && err != nil) {
		rt.Fatalf("claim: %v, want code %q", err, want)
	}
	if err == nil {
		m.claims = append(m.claims, opened.Claim)
	}
}

// held is the claim that holds the run now, or nil.
func (m *model) held() *journal.Claim {
	if len(m.claims) == 0 || !m.ref.holds(m.claims[len(m.claims)-1]) {
		return nil
	}
	return &m.claims[len(m.claims)-1]
}

func (m *model) write(rt *rapid.T, ask journal.Append) journal.Appended {
	ask.Claim, ask.After = *m.held(), int64(len(m.ref.keys))
	done, err := m.Append(m.ctx, ask)
	if err != nil {
		rt.Fatal(err)
	}
	return done
}

// begin begins a request, twice: the answer to the first is lost.
func (m *model) begin(rt *rapid.T) {
	if m.held() == nil {
		rt.Skip("nobody drives the run")
	}
	key := m.fresh()
	ask := journal.Append{Begin: &journal.Begin{Key: key, Started: run.RequestStarted{Request: key}, Quote: quote(rt)}}
	first := m.write(rt, ask)
	want := budget.Gate(m.ref.limit, m.ref.ledger, ask.Begin.Quote)
	if first.Grant.Decision != want.Decision || first.Grant.Held != want.Held {
		rt.Fatalf("grant %+v, want %+v", first.Grant, want)
	}
	m.ref.add(key)
	if want.Decision == budget.Refuse {
		m.ref.add(key + "/cap")
	}
	if want.Held > 0 {
		m.ref.held[key] = want.Held
		m.ref.ledger.Open += want.Held
	}
	again := m.write(rt, ask)
	if *again.Grant != *first.Grant || !slices.Equal(again.Seqs, first.Seqs) || again.Began.Seq != first.Began.Seq {
		rt.Fatalf("begun again: %+v, first %+v", again, first)
	}
}

// end ends an open request with a cost up to what it held, or with one that nobody knows.
func (m *model) end(rt *rapid.T) {
	if m.held() == nil || len(m.ref.held) == 0 {
		rt.Skip("no request is open")
	}
	key := rapid.SampledFrom(slices.Sorted(maps.Keys(m.ref.held))).Draw(rt, "request")
	held := m.ref.held[key]
	delete(m.ref.held, key)
	ended := run.RequestEnded{Request: key, HeldUSD: held}
	m.ref.ledger.Open -= held
	if ended.UnknownSpend = rapid.Bool().Draw(rt, "unknown"); ended.UnknownSpend {
		m.ref.ledger.Unknown += held
		m.ref.ledger.UnknownSpend = true
	} else {
		cost := held / 2 / finest * finest
		ended.CostUSD = &cost
		m.ref.ledger.Known += cost
		m.ref.ended++
	}
	m.write(rt, journal.Append{Rows: []run.Row{run.NewRow(run.RowRequestEnded, key+"/end", ended, nil)}})
	m.ref.add(key + "/end")
}

// settle records what the run came to.
func (m *model) settle(rt *rapid.T) {
	if m.held() == nil {
		rt.Skip("nobody drives the run")
	}
	needs := amount(rt, "needs")
	to := rapid.SampledFrom([]run.StatusChange{
		{Status: run.Completed, State: run.StateEnded, Result: &run.Result{FinalAnswer: "42"}},
		{Status: run.Cancelled, State: run.StateEnded},
		{Status: run.InputRequired, State: run.StateWaiting, Pending: &run.Pending{Kind: run.PendingMessage}},
		{Status: run.InputRequired, State: run.StateWaiting, Pending: &run.Pending{Kind: run.PendingBudget, NeedsUSD: &needs}},
		{Status: run.InputRequired, State: run.StatePaused, Pending: &run.Pending{Kind: run.PendingResume}},
	}).Draw(rt, "to")
	key := m.fresh()
	m.write(rt, journal.Append{Rows: []run.Row{run.NewRow(run.RowStatus, key, to, nil)}})
	m.ref.add(key)
	stands := string(to.Status)
	if to.Pending != nil {
		stands, m.ref.needs = to.Pending.Kind, needs
	}
	m.ref.set(stands, to.State)
}

func (m *model) setCap(rt *rapid.T) {
	limit := amount(rt, "cap")
	before := m.ref.state
	outcome, err := m.SetCap(m.ctx, m.ref.id, &limit)
	refused, already := m.ref.setCap(&limit)
	if run.CodeOf(err) != refused || (refused == "" && err != nil) || outcome.Already != already {
		rt.Fatalf("set the cap: %v already %v, want %q %v", err, outcome.Already, refused, already)
	}
	if requeued := m.ref.state == run.StateQueued && before != run.StateQueued; outcome.Requeued != requeued {
		rt.Fatalf("set the cap: requeued %v, want %v", outcome.Requeued, requeued)
	}
}

// sleep is a drain: the server itself says that nobody drives the run.
func (m *model) sleep(rt *rapid.T) {
	m.server(rt, run.StatusChange{Status: run.Working, State: run.StateSleeping}, "working")
}

func (m *model) fail(rt *rapid.T) {
	m.server(rt, run.StatusChange{Status: run.Failed, State: run.StateEnded}, "failed")
}

func (m *model) server(rt *rapid.T, to run.StatusChange, stands string) {
	key := m.fresh()
	err := m.ServerAppend(m.ctx, m.ref.id, run.NewRow(run.RowStatus, key, to, nil))
	driven := m.ref.state == run.StateQueued || m.ref.state == run.StateRunning || m.ref.state == run.StateSleeping
	if !driven {
		if run.CodeOf(err) != run.ErrConflict {
			rt.Fatalf("the server's %s: %v, want a conflict", to.Status, err)
		}
		return
	}
	if err != nil {
		rt.Fatal(err)
	}
	if to.Status.Terminal() {
		m.ref.settleOpen()
	}
	m.ref.add(key)
	m.ref.set(stands, to.State)
}

func (m *model) fence(rt *rapid.T) {
	worker := rapid.SampledFrom([]string{"w1", "w2", "w3"}).Draw(rt, "worker")
	fenced, err := m.FenceWorker(m.ctx, worker)
	if err != nil {
		rt.Fatal(err)
	}
	mine := slices.ContainsFunc(fenced, func(item QueueItem) bool { return item.RunID == m.ref.id })
	if mine != (m.ref.worker == worker) {
		rt.Fatalf("fencing %s took the run: %v, and it was held by %q", worker, mine, m.ref.worker)
	}
	if mine {
		m.ref.worker = ""
	}
}

func (m *model) strike(rt *rapid.T) {
	n, err := m.Strike(m.ctx, m.ref.id)
	if err != nil {
		rt.Fatal(err)
	}
	if m.ref.ended != m.ref.atDeath {
		m.ref.deaths = 0
	}
	m.ref.deaths++
	m.ref.atDeath = m.ref.ended
	if n != m.ref.deaths {
		rt.Fatalf("strike %d, want %d", n, m.ref.deaths)
	}
}
