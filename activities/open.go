package activities

import (
	"context"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// closeOpen ends an attempt that an earlier process began and did not end: nobody knows what it cost, so it counts at
// the worst case it held and makes the run's cost unknown.
func (s *session) closeOpen(ctx context.Context) error {
	s.mu.Lock()
	open := s.fold.Open()
	s.mu.Unlock()
	if open == nil {
		return nil
	}
	ended := run.RequestEnded{
		Request: open.Started.Request, Attempt: open.Started.Attempt, HeldUSD: open.Started.HeldUSD,
		UnknownSpend: true,
		Error: &run.Reason{
			Code: run.EndedInterrupted, Message: "the process that sent this request went before it ended",
		},
	}
	_, err := s.append(ctx, journal.Append{Rows: []run.Row{
		run.NewRow(run.RowRequestEnded, open.Key+"/interrupted", ended, nil),
	}})
	return err
}
