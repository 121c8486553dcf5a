package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// TestAThousandRunsAtOnce starts a thousand runs whose model takes two seconds: all complete, with nothing in the log.
func TestAThousandRunsAtOnce(t *testing.T) {
	runs := 1000
	if os.Getenv("CI") != "" {
		runs = 300 // the machine's other tests run beside this one
	}
	g := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules: [{reply: {delay: 2s, text: Done.}}]
`)
	s := start(t, setup{env: g.env()})
	s.agent("a", nil)
	ids := make([]string, 0, runs)
	for range runs {
		ids = append(ids, s.ask("a", "Go.", ""))
	}
	eventually(t, 3*time.Minute, func() string { return "all runs end" }, func() bool {
		for _, status := range []run.Status{run.Queued, run.Working} {
			page, err := s.client.Runs(t.Context(), client.RunFilter{Status: []run.Status{status}}, client.Page{Limit: 1})
			if err != nil || len(page.Data) > 0 {
				return false
			}
		}
		return true
	})
	for _, id := range ids {
		if r := s.run(id); r.Status != run.Completed || r.Claim.Epoch != 1 {
			t.Errorf("run %s is %s at epoch %d: %+v", id, r.Status, r.Claim.Epoch, r.Error)
		}
		if asked := g.asked(id); len(asked) != 1 || asked[0] != 1 {
			t.Errorf("run %s asked %v", id, asked)
		}
	}
	if log := s.log.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
		t.Errorf("the log:\n%s", tail(log))
	}
}

// TestTheLimitOfRunsIsKept: no more runs work at once than AGENTRUN_MAX_RUNS, first in first out.
func TestTheLimitOfRunsIsKept(t *testing.T) {
	t.Parallel()
	g := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules: [{reply: {delay: 300ms, text: Done.}}]
`)
	s := start(t, setup{env: append(g.env(), "AGENTRUN_MAX_RUNS=2")})
	s.agent("a", nil)
	ids := make([]string, 8)
	for i := range ids {
		ids[i] = s.ask("a", fmt.Sprint("Go ", i), "")
	}
	var last time.Time
	for _, id := range ids {
		r := s.completes(id)
		if r.StartedAt.Before(last.Add(-200 * time.Millisecond)) {
			t.Errorf("run %s started out of turn", id)
		}
		last = *r.StartedAt
	}
	// A request that began before two others ended was under way beside them.
	requests := g.Requests()
	for i, record := range requests {
		under := 0
		for _, other := range requests[:i] {
			if other.At.Add(time.Duration(other.DurationMS * float64(time.Millisecond))).After(record.At) {
				under++
			}
		}
		if under >= 2 {
			t.Errorf("request %d was sent while %d others were under way", record.N, under)
		}
	}
}
