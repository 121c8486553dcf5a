package store

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
)

// TestModel does random things to a run and to a reference of it, and compares what they answer and become.
func TestModel(t *testing.T) {
	t.Parallel()
	dead := map[string]bool{"w3": true}
	b := setup(t, func(o *Options) {
		o.Alive = func(worker string) bool { return !dead[worker] }
		o.CacheRuns = 2
	})
	// Commits from elsewhere push the run out of the small cache, so that it is read again from its row.
	crowd := make([]string, 0, 3)
	for range 3 {
		crowd = append(crowd, created(t, b.Store).ID)
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := newModel(rt, b, dead)
		rt.Repeat(map[string]func(*rapid.T){
			"":        m.check,
			"append":  m.append,
			"begin":   m.begin,
			"end":     m.end,
			"settle":  m.settle,
			"claim":   m.claim,
			"fence":   m.fence,
			"sleep":   m.sleep,
			"fail":    m.fail,
			"strike":  m.strike,
			"message": func(rt *rapid.T) { m.command(rt, "message", m.say, m.ref.message) },
			"stop":    func(rt *rapid.T) { m.command(rt, "stop", b.Stop, m.ref.stop) },
			"cancel":  func(rt *rapid.T) { m.command(rt, "cancel", b.Cancel, m.ref.cancel) },
			"pause":   func(rt *rapid.T) { m.command(rt, "pause", b.Pause, m.ref.pause) },
			"resume":  func(rt *rapid.T) { m.command(rt, "resume", b.Resume, m.ref.resume) },
			"cap":     m.setCap,
			"crowd": func(rt *rapid.T) {
				for _, id := range crowd {
					if err := b.ServerAppend(b.ctx, id, text("x")); err != nil {
						rt.Fatal(err)
					}
				}
			},
		})
	})
}

type model struct {
	*bundle
	ref    *reference
	dead   map[string]bool
	claims []journal.Claim
	n      int
}

func newModel(rt *rapid.T, b *bundle, dead map[string]bool) *model {
	limit := amount(rt, "first cap")
	ask := newRun()
	ask.MaxCostUSD = &limit
	made, _, err := b.CreateRun(b.ctx, ask)
	if err != nil {
		rt.Fatal(err)
	}
	return &model{bundle: b, dead: dead, ref: &reference{
		id: made.ID, keys: []string{"created", "message/first"}, stands: "queued", state: run.StateQueued, limit: &limit,
		held: map[string]run.USD{},
	}}
}

func amount(rt *rapid.T, name string) run.USD {
	return run.USD(rapid.Int64Range(0, 100).Draw(rt, name)) * run.Dollar / 10
}

// check compares the run and its journal with the reference.
func (m *model) check(rt *rapid.T) {
	rows, err := m.Rows(m.ctx, m.ref.id, 0, maxRows)
	if err != nil {
		rt.Fatal(err)
	}
	keys := make([]string, len(rows))
	for i, row := range rows {
		keys[i] = row.Key
	}
	m.ref.learn(keys)
	if !slices.Equal(keys, m.ref.keys) {
		rt.Fatalf("journal:\n%v\nwant:\n%v", keys, m.ref.keys)
	}
	shown, err := m.Run(m.ctx, m.ref.id)
	if err != nil {
		rt.Fatal(err)
	}
	stands := string(shown.Status)
	if shown.Pending != nil {
		stands = shown.Pending.Kind
	}
	worker := ""
	if shown.Claim.Holder != nil {
		worker = shown.Claim.Holder.Worker
	}
	got := fmt.Sprint(stands, shown.State, shown.Claim.Epoch, worker, shown.Cost.KnownUSD, shown.Cost.HeldUSD)
	want := fmt.Sprint(m.ref.stands, m.ref.state, m.ref.epoch, m.ref.worker, m.ref.ledger.Known,
		m.ref.ledger.Open+m.ref.ledger.Unknown)
	if got != want {
		rt.Fatalf("run: %s, want %s", got, want)
	}
	if limit := m.ref.limit; limit != nil && shown.Cost.KnownUSD+shown.Cost.HeldUSD > *limit {
		rt.Fatalf("over the cap: %v of %v", shown.Cost, *limit)
	}
	checkFold(m.t, m.Store, m.ref.id, rows)
}

// learn takes over the keys the server chose for its own rows, as long as they are new and at the end.
func (r *reference) learn(keys []string) {
	if len(keys) > len(r.keys) && slices.Equal(keys[:len(r.keys)], r.keys) {
		for _, key := range keys[len(r.keys):] {
			if isServerKey(key) {
				r.keys = append(r.keys, key)
			}
		}
	}
}

func isServerKey(key string) bool { return key[0] != 'k' }

func (m *model) fresh() string {
	m.n++
	return fmt.Sprintf("k%d", m.n)
}

// someClaim is one of the claims there were, most often the present one.
func (m *model) someClaim(rt *rapid.T) journal.Claim {
	if len(m.claims) == 0 {
		return journal.Claim{RunID: m.ref.id, Epoch: 1, Worker: "w1"}
	}
	if rapid.IntRange(0, 4).Draw(rt, "stale") > 0 {
		return m.claims[len(m.claims)-1]
	}
	return rapid.SampledFrom(m.claims).Draw(rt, "claim")
}

// append writes new rows and old ones again, with every combination of claim, position and IfHead.
func (m *model) append(rt *rapid.T) {
	keys := make([]string, 0, 3)
	for range rapid.IntRange(1, 3).Draw(rt, "rows") {
		key := m.fresh()
		if rapid.IntRange(0, 3).Draw(rt, "again") == 0 {
			key = rapid.SampledFrom(m.ref.keys).Draw(rt, "key")
		}
		keys = append(keys, key)
	}
	ask := journal.Append{
		Claim: m.someClaim(rt), IfHead: rapid.Bool().Draw(rt, "if head"),
		After: int64(rapid.IntRange(max(0, len(m.ref.keys)-4), len(m.ref.keys)).Draw(rt, "after")),
	}
	for _, key := range keys {
		ask.Rows = append(ask.Rows, text(key))
	}
	done, err := m.Append(m.ctx, ask)
	want, moved, others := m.expect(ask, keys)
	if run.CodeOf(err) != want || (want == "" && err != nil) {
		rt.Fatalf("append: %v, want code %q", err, want)
	}
	if want != "" {
		return
	}
	var missed []string
	for _, row := range done.Missed {
		missed = append(missed, row.Key)
	}
	if done.Moved != moved || !slices.Equal(missed, others) {
		rt.Fatalf("moved %v missed %v, want %v %v", done.Moved, missed, moved, others)
	}
	if moved {
		return
	}
	m.ref.add(keys...)
	for i, key := range keys {
		if done.Seqs[i] != m.ref.seq(key) {
			rt.Fatalf("row %q has seq %d, want %d", key, done.Seqs[i], m.ref.seq(key))
		}
	}
}

// expect is what an append should come to: a refusal, or rows to read first, or the rows it missed.
func (m *model) expect(ask journal.Append, keys []string) (refused string, moved bool, others []string) {
	others = m.ref.others(ask.After, keys)
	recorded := m.ref.has(keys...)
	afterEnd := m.ref.worker == "" && ask.Claim.Epoch == m.ref.epoch && recorded
	if !m.ref.holds(ask.Claim) && !afterEnd {
		return run.ErrStaleEpoch, false, nil
	}
	return "", ask.IfHead && len(others) > 0 && !recorded, others
}

func (m *model) command(
	rt *rapid.T, name string, act func(context.Context, string) (Outcome, error), want func() (string, bool, bool),
) {
	before := m.ref.state
	outcome, err := act(m.ctx, m.ref.id)
	refused, nudge, already := want()
	if run.CodeOf(err) != refused || (refused == "" && err != nil) {
		rt.Fatalf("%s: %v, want code %q", name, err, refused)
	}
	requeued := refused == "" && m.ref.state == run.StateQueued && before != run.StateQueued
	if outcome.Nudge != nudge || outcome.Already != already || outcome.Requeued != requeued {
		rt.Fatalf("%s: nudge %v already %v requeued %v, want %v %v %v", name, outcome.Nudge, outcome.Already,
			outcome.Requeued, nudge, already, requeued)
	}
}

func quote(rt *rapid.T) budget.Quote {
	return budget.Quote{
		Priced: true, InputBound: 1, InputPrice: amount(rt, "input"), OutputPrice: run.Dollar / 100,
		Ceiling: rapid.Int64Range(1, 200).Draw(rt, "ceiling"), MinOutput: 1,
	}
}
