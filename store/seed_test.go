package store

import (
	"fmt"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// seeded makes n runs of ten agents, in every status, with labels that are rare and common. Many are made in one
// transaction, so that it takes seconds.
func seeded(tb testing.TB, s *Store, n int) {
	tb.Helper()
	const agents, chunk = 10, 1000
	for a := range agents {
		if _, err := s.CreateAgent(tb.Context(), definition(agentName(a)), nil); err != nil {
			tb.Fatal(err)
		}
	}
	for from := 0; from < n; from += chunk {
		err := s.writer.do(tb.Context(), func(tx *txn) error {
			for i := from; i < min(from+chunk, n); i++ {
				if err := seedRun(tx, i, agents); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}

func agentName(a int) string { return fmt.Sprintf("agent-%d", a) }

func seedRun(t *txn, i, agents int) error {
	ask := newRun()
	ask.AgentID = agentName(i % agents)
	ask.Labels = map[string]string{"env": []string{"prod", "test"}[i%2], "team": fmt.Sprintf("t%d", i%7)}
	if i%1000 == 0 {
		ask.Labels["rare"] = "yes"
	}
	made, _, err := t.create(ask)
	if err != nil {
		return err
	}
	h, err := t.head(made.ID)
	if err != nil {
		return err
	}
	h.changed = true
	statuses := run.Statuses()
	to := statuses[i/agents%len(statuses)]
	if i%50 != 0 && !to.Terminal() {
		to = run.Completed
	}
	state := map[run.Status]run.State{
		run.Queued: run.StateQueued, run.Working: run.StateRunning, run.InputRequired: run.StateWaiting,
	}[to]
	if state == "" {
		state = run.StateEnded
	}
	_, _, err = t.add(h, run.NewRow(run.RowStatus, "seed", run.StatusChange{Status: to, State: state}, nil))
	return err
}
