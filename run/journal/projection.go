package journal

import (
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

// Projection is the part of a run that its rows decide. The store keeps it beside the rows and applies each new row in
// the transaction that writes it; folding the whole journal gives the same.
type Projection struct {
	Status    run.Status    `json:"status"`
	State     run.State     `json:"state"`
	Pending   *run.Pending  `json:"pending,omitempty"`
	Result    *run.Result   `json:"result,omitempty"`
	Error     *run.Failure  `json:"error,omitempty"`
	Ledger    budget.Ledger `json:"ledger"`
	Usage     run.Usage     `json:"usage"`
	Cap       *run.USD      `json:"cap,omitempty"`
	Unpriced  bool          `json:"unpriced,omitempty"`
	StartedAt *time.Time    `json:"started_at,omitempty"`
	EndedAt   *time.Time    `json:"ended_at,omitempty"`
	// Holding says that a pause was asked for and not yet obeyed, Cancelling the same of a cancel.
	Holding    bool `json:"holding,omitempty"`
	Cancelling bool `json:"cancelling,omitempty"`
	// Progress counts the steps that ended: a worker's death after progress is no strike.
	Progress int64 `json:"progress"`
}

// Apply folds one row into the projection.
func (p *Projection) Apply(row run.Row) error {
	switch row.Type {
	case run.RowStatus:
		return p.applyStatus(row)
	case run.RowRequestStarted:
		var started run.RequestStarted
		if err := row.Decode(&started); err != nil {
			return err
		}
		p.Ledger.Open = p.Ledger.Open.Plus(started.HeldUSD)
	case run.RowRequestEnded:
		return p.applyEnded(row)
	case run.RowUsage:
		var usage run.UsageRow
		if err := row.Decode(&usage); err != nil {
			return err
		}
		usage.Requests, usage.ToolCalls = 1, 0
		p.Usage.Add(usage.Usage)
		p.Unpriced = p.Unpriced || usage.CostUSD == nil
	case run.RowToolResult:
		p.Usage.ToolCalls++
		p.Progress++
	case run.RowCapChanged:
		var change run.CapChange
		if err := row.Decode(&change); err != nil {
			return err
		}
		p.Cap = change.CapUSD
	case run.RowPauseRequested, run.RowResumed:
		p.Holding = row.Type == run.RowPauseRequested
	case run.RowCancelRequested:
		p.Cancelling = true
	}
	return nil
}

func (p *Projection) applyStatus(row run.Row) error {
	var change run.StatusChange
	if err := row.Decode(&change); err != nil {
		return err
	}
	p.Status, p.State, p.Pending = change.Status, change.State, change.Pending
	p.Result, p.Error = change.Result, change.Error
	at := row.At
	if change.Status == run.Working && p.StartedAt == nil {
		p.StartedAt = &at
	}
	p.EndedAt = nil
	if change.Status == run.InputRequired || change.Status.Terminal() {
		p.Holding = false
	}
	if change.Status.Terminal() {
		p.EndedAt, p.Cancelling = &at, false
	}
	return nil
}

func (p *Projection) applyEnded(row run.Row) error {
	var ended run.RequestEnded
	if err := row.Decode(&ended); err != nil {
		return err
	}
	p.Ledger.Open = max(0, p.Ledger.Open-ended.HeldUSD)
	p.Progress++
	switch {
	case ended.UnknownSpend:
		p.Ledger.Unknown = p.Ledger.Unknown.Plus(ended.HeldUSD)
		p.Ledger.UnknownSpend = true
		p.Progress-- // a request that was cut is no step ended
	case ended.CostUSD != nil:
		p.Ledger.Known = p.Ledger.Known.Plus(*ended.CostUSD)
	}
	return nil
}

// Cost is the projection's money as the API shows it: usd is nil once any spend is unknown or unpriced.
func (p *Projection) Cost() run.Cost {
	cost := run.Cost{KnownUSD: p.Ledger.Known, HeldUSD: p.Ledger.Open.Plus(p.Ledger.Unknown)}
	if !p.Ledger.UnknownSpend && !p.Unpriced {
		known := p.Ledger.Known
		cost.USD = &known
	}
	return cost
}
