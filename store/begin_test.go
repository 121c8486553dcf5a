package store

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
)

// dollarQuote costs a dollar for the input and a cent a token of output.
func dollarQuote(ceiling int64) budget.Quote {
	return budget.Quote{
		Priced: true, InputBound: 1, InputPrice: run.Dollar, OutputPrice: run.Dollar / 100, Ceiling: ceiling, MinOutput: 10,
	}
}

func begin(key string, quote budget.Quote) *journal.Begin {
	return &journal.Begin{
		Key: key, Started: run.RequestStarted{Request: key, Attempt: 1, Model: "faux/one"},
		Private: run.RequestPrivate{Through: 3, Digest: "d"}, Quote: quote,
	}
}

func TestBeginIsGatedByTheCap(t *testing.T) {
	t.Parallel()
	usd := func(cents int64) *run.USD { amount := run.USD(cents) * run.Dollar / 100; return &amount }
	cases := map[string]struct {
		limit *run.USD
		quote budget.Quote
		want  run.RequestStarted
		cap   bool
	}{
		"no cap": {
			nil, dollarQuote(100), run.RequestStarted{HeldUSD: *usd(200), OutputCeiling: 100}, false,
		},
		"a cap that buys the worst": {
			usd(200), dollarQuote(100), run.RequestStarted{HeldUSD: *usd(200), OutputCeiling: 100}, false,
		},
		"a cap that buys less": {
			usd(150), dollarQuote(100), run.RequestStarted{HeldUSD: *usd(150), OutputCeiling: 50, Limited: true}, false,
		},
		"a cap that does not buy the least": {
			usd(109), dollarQuote(100),
			run.RequestStarted{CapRefused: true, NeedsUSD: usd(110), SuggestedCapUSD: usd(218)},
			true,
		},
		"a model without a price, no cap": {
			nil, budget.Quote{Ceiling: 100}, run.RequestStarted{OutputCeiling: 100}, false,
		},
		"a model without a price, under a cap": {
			usd(100),
			budget.Quote{Ceiling: 100},
			run.RequestStarted{CapRefused: true, Impossible: "the model has no known price"},
			false,
		},
		"a model without a ceiling, under a cap": {
			usd(100),
			budget.Quote{Priced: true},
			run.RequestStarted{CapRefused: true, Impossible: "the model has no known output ceiling"},
			false,
		},
	}
	b := setup(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			claim, head := claimed(t, b.Store, func(n *NewRun) { n.MaxCostUSD = c.limit })
			ask := journal.Append{
				Claim: claim, After: head, Rows: []run.Row{text("before")}, Begin: begin("turn/1/request/1", c.quote),
			}
			done := appended(t, b.Store, ask)
			var got run.RequestStarted
			if err := done.Began.Decode(&got); err != nil {
				t.Fatal(err)
			}
			c.want.Request, c.want.Attempt, c.want.Model = "turn/1/request/1", 1, "faux/one"
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("the begin's row (-want +got):\n%s", diff)
			}
			rows := allRows(t, b.Store, claim.RunID)
			if diff := cmp.Diff(rows[head+1], *done.Began); diff != "" {
				t.Errorf("the answer is not the row (-journal +answer):\n%s", diff)
			}
			if capped := rows[len(rows)-1].Type == run.RowSpendCap; capped != c.cap {
				t.Errorf("a spend_cap_reached row: %v, want %v", capped, c.cap)
			}
			checkFold(t, b.Store, claim.RunID, rows)

			again := appended(t, b.Store, ask)
			if diff := cmp.Diff(done, again); diff != "" {
				t.Errorf("the same append again (-first +again):\n%s", diff)
			}
			if n := len(allRows(t, b.Store, claim.RunID)); n != len(rows) {
				t.Errorf("the same append again wrote %d rows", n-len(rows))
			}
		})
	}
}

func TestARefusedBeginMovesNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	limit := run.Dollar / 100
	c, head := claimed(t, b.Store, func(n *NewRun) { n.MaxCostUSD = &limit })
	done := appended(t, b.Store, journal.Append{Claim: c, After: head, Begin: begin("r", dollarQuote(100))})
	if done.Grant.Decision != budget.Refuse {
		t.Fatalf("grant %+v", done.Grant)
	}
	// The spend_cap_reached row that came with it is no news for the worker that asked.
	next := appended(t, b.Store, journal.Append{Claim: c, After: done.Seqs[0], IfHead: true, Rows: []run.Row{text("pause")}})
	if next.Moved || len(next.Missed) > 0 {
		t.Errorf("moved %v, missed %v", next.Moved, next.Missed)
	}
}

// TestWhatIsHeldIsWhatTheRowSays: an amount finer than a row can show is held rounded up, so that its end releases all
// of it, whether the run is read again between them or not.
func TestWhatIsHeldIsWhatTheRowSays(t *testing.T) {
	t.Parallel()
	b := setup(t)
	limit := run.Dollar
	c, head := claimed(t, b.Store, func(n *NewRun) { n.MaxCostUSD = &limit })
	quote := budget.Quote{Priced: true, InputBound: 1, InputPrice: 110, OutputPrice: 1, Ceiling: 1, MinOutput: 1}
	done := appended(t, b.Store, journal.Append{Claim: c, After: head, Begin: begin("r", quote)})
	var row run.RequestStarted
	if err := done.Began.Decode(&row); err != nil {
		t.Fatal(err)
	}
	if done.Grant.Held != 200 || row.HeldUSD != 200 {
		t.Errorf("granted %d picodollars, and the row says %d", done.Grant.Held, row.HeldUSD)
	}
	cost := run.USD(200)
	ended := run.RequestEnded{Request: "r", Attempt: 1, HeldUSD: done.Grant.Held, CostUSD: &cost}
	appended(t, b.Store, journal.Append{Claim: c, After: head + 1, Rows: []run.Row{run.NewRow(run.RowRequestEnded, "e", ended, nil)}})
	shown, err := b.Run(b.ctx, c.RunID)
	if err != nil || shown.Cost.HeldUSD != 0 || shown.Cost.KnownUSD != 200 {
		t.Errorf("%+v, %v", shown.Cost, err)
	}
}

// TestTheCapHoldsUnderAnyInterleaving begins and ends requests from many writers at once, with raises between them: at
// every row of the journal what is spent and held fits the cap of that moment.
func TestTheCapHoldsUnderAnyInterleaving(t *testing.T) {
	t.Parallel()
	b := setup(t)
	limit := 20 * run.Dollar
	c, _ := claimed(t, b.Store, func(n *NewRun) { n.MaxCostUSD = &limit })
	var all sync.WaitGroup
	for w := range 8 {
		all.Go(func() { spend(t, b.Store, c, w) })
	}
	all.Go(func() {
		for n := range 5 {
			raised := limit + run.USD(n+1)*2*run.Dollar
			if _, err := b.SetCap(b.ctx, c.RunID, &raised); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	rows := allRows(t, b.Store, c.RunID)
	p := journal.Projection{Cap: &limit}
	decisions := map[bool]int{}
	for _, row := range rows {
		if err := p.Apply(row); err != nil {
			t.Fatal(err)
		}
		if spent := p.Ledger.Spent().Plus(p.Ledger.Open); spent > *p.Cap {
			t.Fatalf("row %d: %s USD of %s", row.Seq, spent, p.Cap)
		}
		if row.Type == run.RowRequestStarted {
			var started run.RequestStarted
			if err := row.Decode(&started); err != nil {
				t.Fatal(err)
			}
			decisions[started.CapRefused]++
		}
	}
	if decisions[true] == 0 || decisions[false] == 0 {
		t.Errorf("the cap was not met: %v", decisions)
	}
	checkFold(t, b.Store, c.RunID, rows)
}

// spend begins requests and ends those that are granted, at any cost up to what they hold, or one nobody knows.
func spend(t *testing.T, s *Store, c journal.Claim, w int) {
	random := rand.New(rand.NewPCG(1, uint64(w)))
	for n := range 20 {
		key := fmt.Sprintf("w%d/%d", w, n)
		done, err := s.Append(t.Context(), journal.Append{
			Claim: c, After: 1 << 20, Begin: begin(key, dollarQuote(10+random.Int64N(200))),
		})
		if err != nil {
			t.Error(err)
			return
		}
		if done.Grant.Held == 0 {
			continue
		}
		cost := run.USD(random.Int64N(int64(done.Grant.Held)))
		ended := run.RequestEnded{Request: key, Attempt: 1, HeldUSD: done.Grant.Held, CostUSD: &cost}
		if random.IntN(5) == 0 {
			ended.CostUSD, ended.UnknownSpend = nil, true
		}
		row := run.NewRow(run.RowRequestEnded, key+"/end", ended, nil)
		if _, err := s.Append(t.Context(), journal.Append{Claim: c, After: 1 << 20, Rows: []run.Row{row}}); err != nil {
			t.Error(err)
			return
		}
	}
}
