package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// Settle records a status the run has come to. Where somebody wrote to the run meanwhile nothing is recorded, and the
// answer says where the run stands with that.
func (a *Activities) Settle(ctx context.Context, step Step) (journal.Position, error) {
	var ended bool
	position, err := a.with(ctx, step, "settle/"+string(step.Outcome), func(ctx context.Context, s *session) error {
		if err := s.hold(ctx); err != nil {
			return err
		}
		left := s.restBrains(step.Outcome)
		rows, err := s.outcome(step)
		if err != nil {
			return err
		}
		failpoint("settle.before", s.runID)
		_, err = s.append(ctx, journal.Append{Rows: append(left, rows...), IfHead: true})
		failpoint("settle.ended", s.runID)
		if errors.Is(err, errMoved) {
			return nil
		}
		if ended = err == nil; ended {
			if step.Outcome == OutcomeBudget {
				a.sessions.parked.park(s)
			}
			a.sessions.forget(s)
		}
		return err
	})
	if ended {
		position.Phase = journal.PhaseEnded
	}
	return position, err
}

// Cancel records that the run was cancelled from Temporal's side, and cuts what is under way.
func (a *Activities) Cancel(ctx context.Context, step Step) (journal.Position, error) {
	return a.with(ctx, step, "cancel", func(ctx context.Context, s *session) error {
		_, err := s.append(ctx, journal.Append{Rows: []run.Row{
			run.NewRow(run.RowCancelRequested, "engine/cancel", struct {
				Origin string `json:"origin"`
			}{"engine"}, nil),
		}})
		s.cut(run.RowCancelRequested)
		return err
	})
}

// outcome makes the status row of an outcome, and of an escalation a row before it. The key names the place in the run,
// so a retry writes it once.
func (s *session) outcome(step Step) ([]run.Row, error) {
	var ofDocument run.StatusChange
	if step.Outcome == OutcomeDocument {
		d, err := s.interpretation()
		if err != nil {
			return nil, err
		}
		if ofDocument, err = d.outcome(); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	position := s.tree.Position(0)
	change := run.StatusChange{Status: run.InputRequired, State: run.StateWaiting}
	switch step.Outcome {
	case OutcomeCompleted:
		change.Status, change.State = run.Completed, run.StateEnded
		change.Result = s.result()
	case OutcomeFailed, OutcomeStepLimit:
		change.Status, change.State = run.Failed, run.StateEnded
		change.Error = s.failure(step.Outcome, position.Phase, s.tree.Failure())
	case OutcomeCancelled:
		change.Status, change.State = run.Cancelled, run.StateEnded
	case OutcomeStopped:
		change.Pending, change.Reason = &run.Pending{Kind: run.PendingMessage}, "stopped"
	case OutcomePaused:
		change.State = run.StatePaused
		change.Pending, change.Reason = &run.Pending{Kind: run.PendingResume}, "paused"
	case OutcomeDocument:
		change = ofDocument
	case OutcomeBudget:
		change.Pending, change.Reason = s.budgetPending(), "spend cap"
	default:
		return nil, run.Errorf(run.ErrInvalid, "run %s: no outcome is named %q", s.runID, step.Outcome)
	}
	key := fmt.Sprintf("status/%s/%d/%d", step.Outcome, position.Turn, s.tree.Head())
	rows := []run.Row{run.NewRow(run.RowStatus, key, change, nil)}
	if pending := change.Pending; step.Outcome == OutcomeBudget && s.document != nil && pending.NeedsUSD != nil {
		rows = []run.Row{run.NewRow(run.RowSpendCap, key+"/cap", run.SpendCap{
			Request: s.tree.Refusals()[0].Request, CapUSD: *pending.CapUSD, SpentUSD: *pending.SpentUSD,
			NeedsUSD: *pending.NeedsUSD, SuggestedCapUSD: *pending.SuggestedCapUSD,
		}, nil), rows[0]}
	}
	if change.Error != nil && change.Error.Code == run.CodeEscalated {
		rows = []run.Row{run.NewRow(run.RowEscalation, key+"/escalation", change.Error.Details, nil), rows[0]}
	}
	return rows, nil
}

func (s *session) result() *run.Result {
	answer := s.tree.LastAnswer()
	if answer == nil {
		return &run.Result{}
	}
	return &run.Result{FinalAnswer: answer.Text, Output: answer.Output}
}

func (s *session) failure(outcome Outcome, phase journal.Phase, reason *run.Reason) *run.Failure {
	if outcome == OutcomeStepLimit {
		return &run.Failure{
			Code: run.CodeRunFailed,
			Message: fmt.Sprintf("the run reached its limit of %d model requests without a final answer",
				s.opened.Config.MaxSteps),
		}
	}
	if reason == nil {
		return &run.Failure{Code: run.CodeRunFailed, Message: "the run cannot go on"}
	}
	code := run.CodeRunFailed
	switch phase {
	case journal.PhaseImpossible:
		code = run.CodeSpendCap
	case journal.PhaseModerated:
		code = run.CodeModerated
	case journal.PhaseInvalid:
		code = run.CodeInvalidOutput
	}
	return &run.Failure{Code: code, Message: reason.Message}
}

func (s *session) budgetPending() *run.Pending {
	pending := &run.Pending{Kind: run.PendingBudget, CapUSD: s.tree.Cap}
	spent := s.tree.Ledger.Spent()
	pending.SpentUSD = &spent
	for _, refused := range s.tree.Refusals() {
		// Of several requests that wait for the same cap, the dearest says what lets all of them try.
		if pending.NeedsUSD == nil || refused.NeedsUSD != nil && *refused.NeedsUSD > *pending.NeedsUSD {
			pending.NeedsUSD, pending.SuggestedCapUSD = refused.NeedsUSD, refused.SuggestedCapUSD
		}
	}
	return pending
}
