package e2e

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
)

// TestADocumentSurvivesAKillAtEveryRow kills the worker as each row of the document's run becomes readable: the output is
// that of an undisturbed run, no answer was taken twice, and only requests under way were asked again.
func TestADocumentSurvivesAKillAtEveryRow(t *testing.T) {
	t.Parallel()
	g := newGateway(t, everyScript)
	s := start(t, setup{env: g.env()})
	document, err := os.ReadFile("testdata/every-kind.json")
	if err != nil {
		t.Fatal(err)
	}
	s.workflow("every", document)
	input := []byte(`{"notes":["one","two","three"]}`)
	first := s.give("every", input, nil)
	calm := s.completes(first)
	asked, rows, answers := len(g.Requests()), len(s.rows(first, "")), len(s.rows(first, run.RowAnswer))
	step := 6
	if os.Getenv("AGENTRUN_SWEEP") == "all" {
		step = 1
	}
	tried, kills, repeated := 0, 0, 0
	for n := 1; n <= rows; n += step {
		tried++
		before := len(g.Requests())
		id := s.give("every", input, nil)
		for deadline := time.Now().Add(time.Minute); len(s.rows(id, "")) < n; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("row %d never came", n)
			}
		}
		if r := s.run(id); r.Claim.Holder != nil && !r.Status.Terminal() && syscall.Kill(r.Claim.Holder.PID, syscall.SIGKILL) == nil {
			kills++
		}
		r := s.completes(id)
		if string(r.Result.Output) != string(calm.Result.Output) || r.Usage.Requests != calm.Usage.Requests ||
			r.Usage.ToolCalls != calm.Usage.ToolCalls {
			t.Errorf("row %d: output %s, usage %+v; undisturbed %s, %+v", n, r.Result.Output, r.Usage, calm.Result.Output, calm.Usage)
		}
		if now := len(s.rows(id, run.RowAnswer)); now != answers {
			t.Errorf("row %d: %d answers; undisturbed %d", n, now, answers)
		}
		again := len(g.Requests()) - before - asked
		if again < 0 || again > 2 {
			t.Errorf("row %d: %d requests were asked again", n, again)
		}
		repeated += again
	}
	t.Logf("%d rows, %d kills at %d of them, %d requests asked again", rows, kills, tried, repeated)
	if kills < tried/2 {
		t.Errorf("only %d kills at %d rows", kills, tried)
	}
}
