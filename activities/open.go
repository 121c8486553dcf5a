package activities

import (
	"context"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// closeOpen ends the attempts that an earlier process began and did not end: nobody knows what they cost, so they count
// at the worst case they held and make the run's cost unknown.
func (s *session) closeOpen(ctx context.Context) error {
	s.mu.Lock()
	open := s.tree.OpenAttempts()
	s.mu.Unlock()
	return s.interrupted(ctx, open)
}

// interrupted ends attempts whose process went.
func (s *session) interrupted(ctx context.Context, open []*journal.Attempt) error {
	if len(open) == 0 {
		return nil
	}
	rows := make([]run.Row, 0, len(open))
	for _, attempt := range open {
		ended := run.RequestEnded{
			Node: attempt.Started.Node, Request: attempt.Started.Request, Attempt: attempt.Started.Attempt,
			HeldUSD: attempt.Started.HeldUSD, UnknownSpend: true,
			Error: &run.Reason{
				Code: run.EndedInterrupted, Message: "the process that sent this request went before it ended",
			},
		}
		rows = append(rows, run.NewRow(run.RowRequestEnded, attempt.Key+"/interrupted", ended, nil))
	}
	_, err := s.append(ctx, journal.Append{Rows: rows})
	return err
}

// closeOpen ends the thread's own attempt of that kind.
func (t *thread) closeOpen(ctx context.Context) error {
	t.mu.Lock()
	open := t.fold.Open()
	t.mu.Unlock()
	if open == nil {
		return nil
	}
	return t.interrupted(ctx, []*journal.Attempt{open})
}
