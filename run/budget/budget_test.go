package budget_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

const microUSD = run.Dollar / 1_000_000

// priced is a model at 1 microdollar a token in and 2 a token out, with a ceiling of 1,000 tokens, least 100.
func priced() budget.Quote {
	return budget.Quote{
		Priced: true, InputBound: 500, InputPrice: microUSD, OutputPrice: 2 * microUSD, Ceiling: 1000, MinOutput: 100,
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	fixed := priced()
	fixed.NoOutputLimit = true
	unpriced := priced()
	unpriced.Priced = false
	noCeiling := priced()
	noCeiling.Ceiling = 0
	for name, c := range map[string]struct {
		limit  run.USD
		ledger budget.Ledger
		quote  budget.Quote
		want   budget.Decision
		out    int64
	}{
		"the worst case fits exactly":          {limit: 2500 * microUSD, quote: priced(), want: budget.Send, out: 1000},
		"one picodollar short is limited":      {limit: 2500*microUSD - 1, quote: priced(), want: budget.Limit, out: 999},
		"the least fits exactly":               {limit: 700 * microUSD, quote: priced(), want: budget.Limit, out: 100},
		"one picodollar under the least":       {limit: 700*microUSD - 1, quote: priced(), want: budget.Refuse},
		"what is spent is gone":                {limit: 2500 * microUSD, ledger: budget.Ledger{Known: 1}, quote: priced(), want: budget.Limit, out: 999},
		"unknown spend counts at its worst":    {limit: 2500 * microUSD, ledger: budget.Ledger{Unknown: 1801 * microUSD}, quote: priced(), want: budget.Refuse},
		"an open request holds its worst case": {limit: 2500 * microUSD, ledger: budget.Ledger{Open: 1800 * microUSD}, quote: priced(), want: budget.Limit, out: 100},
		"no output limit: least is worst":      {limit: 2500*microUSD - 1, quote: fixed, want: budget.Refuse},
		"no price":                             {limit: run.Dollar, quote: unpriced, want: budget.Impossible},
		"no ceiling":                           {limit: run.Dollar, quote: noCeiling, want: budget.Impossible},
		"a cap of nothing":                     {limit: 0, quote: priced(), want: budget.Refuse},
		"spent beyond the cap":                 {limit: 1, ledger: budget.Ledger{Known: 2}, quote: priced(), want: budget.Refuse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := budget.Gate(&c.limit, c.ledger, c.quote)
			if got.Decision != c.want || got.Ceiling != c.out {
				t.Errorf("got %+v, want %s with %d tokens of output", got, c.want, c.out)
			}
		})
	}
}

func TestWithoutACapEverythingIsSentAndStillHeld(t *testing.T) {
	t.Parallel()
	quote := priced()
	got := budget.Gate(nil, budget.Ledger{Known: run.Dollar}, quote)
	if got.Decision != budget.Send || got.Held != quote.Worst() {
		t.Errorf("got %+v", got)
	}
}

// TestNeverOverCap: whatever requests are open at once and whatever they come to cost within what they held, the sum
// never passes the cap, and a refusal means that the least truly did not fit.
func TestNeverOverCap(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := run.USD(rapid.Int64Range(0, 5_000_000).Draw(t, "cap"))
		var ledger budget.Ledger
		var held []run.USD
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(held) > 0 && rapid.Bool().Draw(t, "end one") {
				i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
				amount := held[i]
				held = append(held[:i], held[i+1:]...)
				ledger.Open -= amount
				if rapid.Bool().Draw(t, "unknown") {
					ledger.Unknown += amount
				} else {
					ledger.Known += run.USD(rapid.Int64Range(0, int64(amount)).Draw(t, "cost"))
				}
			} else {
				quote := drawQuote(t)
				grant := budget.Gate(&limit, ledger, quote)
				checkGrant(t, limit, ledger, quote, grant)
				if grant.Decision == budget.Send || grant.Decision == budget.Limit {
					ledger.Open += grant.Held
					held = append(held, grant.Held)
				}
			}
			if total := ledger.Spent() + ledger.Open; total > limit {
				t.Fatalf("spent and held %d pass the cap %d", total, limit)
			}
		}
	})
}

func drawQuote(t *rapid.T) budget.Quote {
	ceiling := rapid.Int64Range(1, 2000).Draw(t, "ceiling")
	return budget.Quote{
		Priced:        true,
		InputBound:    rapid.Int64Range(0, 5000).Draw(t, "input"),
		InputPrice:    run.USD(rapid.Int64Range(0, 50).Draw(t, "input price")),
		OutputPrice:   run.USD(rapid.Int64Range(0, 500).Draw(t, "output price")),
		Ceiling:       ceiling,
		MinOutput:     rapid.Int64Range(1, ceiling).Draw(t, "least output"),
		NoOutputLimit: rapid.Bool().Draw(t, "takes no limit"),
	}
}

func checkGrant(t *rapid.T, limit run.USD, ledger budget.Ledger, quote budget.Quote, grant budget.Grant) {
	left := limit - ledger.Spent() - ledger.Open
	switch grant.Decision {
	case budget.Send:
		if grant.Held != quote.Worst() || grant.Ceiling != quote.Ceiling {
			t.Fatalf("sent with %+v, quote %+v", grant, quote)
		}
	case budget.Limit:
		if grant.Ceiling < quote.MinOutput || grant.Ceiling >= quote.Ceiling || grant.Held > left {
			t.Fatalf("limited with %+v, left %d, quote %+v", grant, left, quote)
		}
	case budget.Refuse:
		if quote.Least() <= left {
			t.Fatalf("refused a least of %d with %d left", quote.Least(), left)
		}
		if raised := grant.Suggested; !budget.Buys(&raised, ledger, quote.Worst()) {
			t.Fatalf("the suggested cap %d does not buy the request", raised)
		}
	}
}

func TestQuoteForTakesTheDearestInputAndTheSmallerCeiling(t *testing.T) {
	t.Parallel()
	model := run.Model{
		Price: &run.Price{Input: 3, CacheWrite: 4, CacheRead: 1, Output: 15}, MaxOutput: 1000,
	}
	quote := budget.QuoteFor(model, 10, 200)
	if quote.InputPrice != 4 || quote.Ceiling != 200 || quote.MinOutput != 200 {
		t.Errorf("got %+v", quote)
	}
	model.NoOutputLimit = true
	if quote := budget.QuoteFor(model, 10, 200); quote.Ceiling != 1000 || quote.Least() != quote.Worst() {
		t.Errorf("a model that takes no limit is quoted %+v", quote)
	}
	if quote := budget.QuoteFor(run.Model{}, 10, 0); quote.Priced {
		t.Errorf("a model without a price is quoted %+v", quote)
	}
}
