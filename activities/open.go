package activities

import (
	"context"
	"slices"

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

// flies notes an attempt that this process makes, until the returned function is called.
func (s *session) flies(key string) (landed func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flying[key]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.flying[key]--; s.flying[key] == 0 {
			delete(s.flying, key)
		}
	}
}

// interrupted ends attempts whose process went: not those that this one still makes, for an execution that was replaced.
func (s *session) interrupted(ctx context.Context, open []*journal.Attempt) error {
	s.mu.Lock()
	open = slices.DeleteFunc(slices.Clone(open), func(attempt *journal.Attempt) bool { return s.flying[attempt.Key] > 0 })
	s.mu.Unlock()
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
