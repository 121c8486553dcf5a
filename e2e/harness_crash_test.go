package e2e

import (
	"fmt"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// TestAHarnessSurvivesAKillAtEveryPoint kills the program, the worker, and the server with its worker: during a request,
// before and in the middle of a write, between two calls of one turn, and after an answer. The run completes, with one
// paid request each (one that was cut: at most one more, held), one write each, and no process left.
func TestAHarnessSurvivesAKillAtEveryPoint(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{tags: "failpoints", flags: []string{"--drain-timeout", "1s"}}, "")
		count := 0
		for _, action := range []string{"kill-program", "kill", "kill-server"} {
			for _, point := range []struct {
				name, what string
				n          int
				sent       bool
			}{
				{"request.sending", "during a request", 1, true},
				{"request.answered", "at the end of a request", 2, true},
				{"request.ended", "after an answer", 1, false},
				{"tool.before", "before a write", 1, false},
				{"tool.acted", "in the middle of a write", 1, false},
				{"tool.ended", "between two calls of a turn", 1, false},
				{"tool.ended", "after the last call of a turn", 2, false},
				{"request.ended", "after the last answer", 4, false},
			} {
				count++
				words := fmt.Sprintf("Go %s-%d", c.harness, count)
				t.Run(action+" "+point.what, func(t *testing.T) {
					s.t = t
					s = s.crashHarness(g, words, fmt.Sprintf("%s %d %s", point.name, point.n, action), action, point.sent)
				})
			}
		}
	})
}

// crashHarness runs one run that crashes once, and gives the server that lives after it.
func (s *server) crashHarness(g *gateway, words, failpoint, action string, sent bool) *server {
	s.t.Helper()
	s, id := s.crashing(failpoint, func() string { return s.ask("a", words, "1") })
	r := s.completes(id)
	if r.Result.FinalAnswer != "Done." || r.Usage.Requests != 4 || r.Usage.ToolCalls != 5 {
		s.t.Errorf("result %+v, usage %+v", r.Result, r.Usage)
	}
	s.checkFiles(id)
	s.checkOrder(id, 5)
	s.noneLeft(id)
	total, most := g.askedOf(words)
	switch cut := sent && action != "kill-program"; {
	case cut && (total > 5 || most > 2 || r.Cost.USD != nil || r.Cost.HeldUSD == 0):
		s.t.Errorf("%d requests, one %d times, cost %+v: one was cut", total, most, r.Cost)
	case !cut && (total != 4 || r.Cost.USD == nil):
		s.t.Errorf("%d requests, one %d times, cost %+v: none was cut", total, most, r.Cost)
	}
	for _, row := range s.rows(id, run.RowWarning) {
		s.t.Errorf("warning %v", row)
	}
	return s
}
