// Package budget owns the arithmetic of spend caps (design §4): what a request can cost at most and at least, and
// whether what is left of a cap buys it. It is pure; the store asks it inside the transaction that records the answer.
package budget

import "github.com/agentrun/agentrun/run"

// DefaultMinOutput is the smallest output worth asking for where a model does not say (tokens).
const DefaultMinOutput = 1024

// cent rounds suggested caps.
const cent = run.Dollar / 100

// Quote is what one request can cost. Prices are per token, bounds are tokens.
type Quote struct {
	// Priced is false where nobody knows what the model charges.
	Priced bool `json:"priced"`
	// InputBound is an upper bound of the request's input tokens, provably not below the provider's count.
	InputBound int64 `json:"input_bound"`
	// InputPrice is the dearest a token of input can be: the larger of the input and the cache-write price.
	InputPrice  run.USD `json:"input_price"`
	OutputPrice run.USD `json:"output_price"`
	// Ceiling is the most output the request would ask for (0: the model's ceiling is unknown).
	Ceiling int64 `json:"ceiling"`
	// MinOutput is the smallest output worth asking for.
	MinOutput int64 `json:"min_output"`
	// NoOutputLimit: the model takes no output limit, so its least is its worst.
	NoOutputLimit bool `json:"no_output_limit"`
}

// QuoteFor quotes a request to a model: inputBound tokens sent at most, want output tokens asked for (0: the model's
// ceiling).
func QuoteFor(model run.Model, inputBound, want int64) Quote {
	quote := Quote{
		InputBound:    inputBound,
		Ceiling:       model.MaxOutput,
		MinOutput:     model.MinOutput,
		NoOutputLimit: model.NoOutputLimit,
	}
	if want > 0 && !model.NoOutputLimit && (quote.Ceiling == 0 || want < quote.Ceiling) {
		quote.Ceiling = want
	}
	if quote.MinOutput == 0 {
		quote.MinOutput = DefaultMinOutput
	}
	if quote.Ceiling > 0 {
		quote.MinOutput = min(quote.MinOutput, quote.Ceiling)
	}
	if model.Price != nil {
		quote.Priced = true
		quote.InputPrice = max(model.Price.Input, model.Price.CacheWrite, model.Price.CacheRead)
		quote.OutputPrice = model.Price.Output
	}
	return quote
}

// Worst is the most the request can cost with its whole output ceiling.
func (q Quote) Worst() run.USD { return q.withOutput(q.Ceiling) }

// Least is what the request costs at most with the smallest output worth asking for.
func (q Quote) Least() run.USD {
	if q.NoOutputLimit {
		return q.Worst()
	}
	return q.withOutput(q.MinOutput)
}

func (q Quote) withOutput(tokens int64) run.USD {
	return q.InputPrice.Times(q.InputBound).Plus(q.OutputPrice.Times(tokens))
}

// Ledger is what a run has spent and may still spend without anybody knowing.
type Ledger struct {
	// Known is the sum of the costs that are known.
	Known run.USD `json:"known"`
	// Unknown is the sum of the worst cases of ended requests whose cost nobody knows; UnknownSpend says there are any.
	Unknown      run.USD `json:"unknown"`
	UnknownSpend bool    `json:"unknown_spend"`
	// Open is the sum of the worst cases of the requests under way.
	Open run.USD `json:"open"`
}

// Spent is what counts as spent against a cap: the known costs and the unknown ones at their worst.
func (l Ledger) Spent() run.USD { return l.Known.Plus(l.Unknown) }

// Left is what a cap still buys; it is never negative.
func (l Ledger) Left(limit run.USD) run.USD {
	return max(0, limit-l.Spent().Plus(l.Open))
}

// Decision is the gate's answer.
type Decision string

// The gate's answers. Impossible is a refusal no cap fixes.
const (
	Send       Decision = "send"
	Limit      Decision = "limit"
	Refuse     Decision = "refuse"
	Impossible Decision = "impossible"
)

// Grant is the gate's answer to one quote.
type Grant struct {
	Decision Decision `json:"decision"`
	// Held is what the request holds against the cap until it ends.
	Held run.USD `json:"held"`
	// Ceiling is the output ceiling the request may ask for (tokens; 0: none known).
	Ceiling int64 `json:"ceiling"`
	// Needs is the request's least, Suggested a cap that buys its worst; both are set where Decision is Refuse.
	Needs     run.USD `json:"needs,omitempty"`
	Suggested run.USD `json:"suggested,omitempty"`
	Spent     run.USD `json:"spent,omitempty"`
	Cap       run.USD `json:"cap,omitempty"`
	// Why says what is unknown where Decision is Impossible.
	Why string `json:"why,omitempty"`
}

// Gate decides whether a request may be sent under a cap (nil: none), before anything is sent.
func Gate(limit *run.USD, ledger Ledger, quote Quote) Grant {
	if limit == nil {
		return Grant{Decision: Send, Held: quote.Worst(), Ceiling: quote.Ceiling}
	}
	if !quote.Priced {
		return Grant{Decision: Impossible, Why: "the model has no known price"}
	}
	if quote.Ceiling <= 0 {
		return Grant{Decision: Impossible, Why: "the model has no known output ceiling"}
	}
	left := ledger.Left(*limit)
	if worst := quote.Worst(); worst <= left {
		return Grant{Decision: Send, Held: worst, Ceiling: quote.Ceiling}
	}
	if quote.Least() <= left {
		ceiling := quote.ceilingFor(left)
		return Grant{Decision: Limit, Held: quote.withOutput(ceiling), Ceiling: ceiling}
	}
	return Grant{
		Decision:  Refuse,
		Needs:     quote.Least(),
		Spent:     ledger.Spent(),
		Cap:       *limit,
		Suggested: suggest(*limit, ledger, quote),
	}
}

// ceilingFor is the largest output the given sum buys beside the input; the caller knows it buys the least.
func (q Quote) ceilingFor(left run.USD) int64 {
	if q.OutputPrice == 0 {
		return q.Ceiling
	}
	room := left - q.InputPrice.Times(q.InputBound)
	return min(q.Ceiling, int64(room/q.OutputPrice))
}

// suggest is a cap that buys the refused request whole, at least twice the present one, in whole cents.
func suggest(limit run.USD, ledger Ledger, quote Quote) run.USD {
	want := max(limit.Times(2), ledger.Spent().Plus(ledger.Open).Plus(quote.Worst()))
	return (want + cent - 1) / cent * cent
}

// Buys tells whether a cap (nil: none) leaves room for a paused request's needs.
func Buys(limit *run.USD, ledger Ledger, needs run.USD) bool {
	return limit == nil || needs <= ledger.Left(*limit)
}
