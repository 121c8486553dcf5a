package store

import (
	"fmt"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
)

// beginPrivate is the private part of a begin's row: the worker's, and the grant, so that a retry is answered as the
// first time.
type beginPrivate struct {
	run.RequestPrivate
	Grant budget.Grant `json:"grant"`
}

// begin gates one attempt against the run's cap and records it, sent or refused.
func (t *txn) begin(h *head, ask journal.Begin, done *journal.Appended) (journal.Begun, error) {
	grant := gate(h, ask.Quote)
	row := run.NewRow(run.RowRequestStarted, ask.Key, started(ask.Started, grant), beginPrivate{ask.Private, grant})
	written, added, err := t.add(h, row)
	if err != nil {
		return journal.Begun{}, fmt.Errorf("begin %s: %w", ask.Key, err)
	}
	done.Seqs, done.At = append(done.Seqs, written.Seq), written.At
	if !added {
		return t.began(h, ask.Key)
	}
	begun := journal.Begun{Row: written, Grant: grant}
	if grant.Decision != budget.Refuse || ask.Started.Node != "" {
		return begun, nil // beside other nodes a refusal may pass: whether the run waits is for its worker to say
	}
	_, _, err = t.add(h, run.NewRow(run.RowSpendCap, capKey(ask.Key), run.SpendCap{
		Node: ask.Started.Node, Request: ask.Started.Request,
		CapUSD:   grant.Cap,
		SpentUSD: grant.Spent,
		NeedsUSD: grant.Needs, SuggestedCapUSD: grant.Suggested,
	}, nil))
	return begun, err
}

func capKey(begin string) string { return begin + "/cap" }

// gate asks the budget. What is held is rounded up to the finest amount a row holds, so that the journal's sums never
// promise more than the cap has; amounts already spent and the cap are such amounts, so it still fits.
func gate(h *head, quote budget.Quote) budget.Grant {
	grant := budget.Gate(h.projection.Cap, h.projection.Ledger, quote)
	grant.Held = roundUp(grant.Held)
	grant.Needs = roundUp(grant.Needs)
	return grant
}

// finest is the smallest amount a row's JSON can hold (contract §1: 10 decimals).
const finest = run.Dollar / 10_000_000_000

func roundUp(amount run.USD) run.USD { return amount.Plus(finest-1) / finest * finest }

func roundDown(amount *run.USD) *run.USD {
	if amount == nil {
		return nil
	}
	whole := *amount / finest * finest
	return &whole
}

// started is the body of the begin's row with the money of the grant.
func started(body run.RequestStarted, grant budget.Grant) run.RequestStarted {
	body.HeldUSD, body.OutputCeiling = grant.Held, grant.Ceiling
	body.Limited = grant.Decision == budget.Limit
	body.CapRefused = grant.Decision == budget.Refuse || grant.Decision == budget.Impossible
	body.Impossible = grant.Why
	body.NeedsUSD, body.SuggestedCapUSD = nil, nil
	if grant.Decision == budget.Refuse {
		body.NeedsUSD, body.SuggestedCapUSD = &grant.Needs, &grant.Suggested
	}
	return body
}

// began is a begin's row and grant as the journal has them.
func (t *txn) began(h *head, key string) (journal.Begun, error) {
	rows, err := collect(t.query(t.statements.rowOfKey, h.no, key))
	if err != nil {
		return journal.Begun{}, err
	}
	if err := unpack(t.ctx, t.statements.blob, rows); err != nil {
		return journal.Begun{}, err
	}
	var private beginPrivate
	if err := rows[0].DecodePrivate(&private); err != nil {
		return journal.Begun{}, err
	}
	return journal.Begun{Row: rows[0], Grant: private.Grant}, nil
}
