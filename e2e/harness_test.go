package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// harnessScript is six steps for runs of any name, and what the catalogue's checks ask.
const harnessScript = `
models:
  - {id: faux-1, context_window: 200000, max_output: 1000, prices: {input: 1, output: 2}}
rules:
  - name: six-steps
    when: {user_matches: '^Go \S+$'}
    replies:
      - delay: 30ms
        text: First two files.
        tool_calls:
          - {name: write, args: {path: a.txt, content: alpha}}
          - {name: write, args: {path: b.txt, content: beta}}
      - delay: 30ms
        tool_calls:
          - {name: write, args: {path: c.txt, content: gamma}}
          - {name: read, args: {path: a.txt}}
      - delay: 30ms
        tool_calls:
          - {name: edit, args: {path: a.txt, edits: [{oldText: alpha, newText: ALPHA}]}}
      - {delay: 30ms, text: Done.}
  - when: {user: What is six times seven?}
    reply: {text: The answer is 42.}
  - when: {user: Give it typed.}
    replies:
      - {text: Not JSON.}
  - when: {user_matches: 'Answer again'}
    reply: {output: {answer: 42}}
  - when: {user: Take your time.}
    reply: {delay: 60s, text: It took its time.}
  - when: {user_matches: '^Answer once (?P<file>\S+) exists\.$'}
    reply: {hold_until_file: '{{match.file}}', text: Now.}
  - when: {user_matches: '^On (?P<x>.*)$'}
    reply: {text: 'On {{match.x}}: done.'}
`

// TestEachHarnessAnswers is rows 5 and 8 and kernel checks 1 and 6: an agent of the harness is made without a warning; a
// run with several files, two of them in one turn, completes at each effort; each request is paid once.
func TestEachHarnessAnswers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		agent := s.call("GET", "/v2/agents/a", nil).want(t, http.StatusOK).object(t)
		if warnings, _ := agent["warnings"].([]any); len(warnings) > 0 {
			t.Errorf("warnings %v", warnings)
		}
		for _, effort := range []string{"low", "medium"} {
			words := "Go " + effort
			created, err := s.client.CreateRun(t.Context(), "a", client.NewRun{Content: words, Effort: effort})
			if err != nil {
				t.Fatal(err)
			}
			r := s.completes(created.ID)
			if r.Result.FinalAnswer != "Done." || r.Cost.USD == nil || *r.Cost.USD == 0 || r.Usage.Requests != 4 || r.Usage.ToolCalls != 5 {
				t.Errorf("result %+v, cost %+v, usage %+v", r.Result, r.Cost, r.Usage)
			}
			if total, most := g.askedOf(words); total != 4 || most != 1 {
				t.Errorf("%d requests were sent, one of them %d times", total, most)
			}
			s.checkFiles(r.ID)
			s.checkOrder(r.ID, 5)
			s.noneLeft(r.ID)
			graph := s.call("GET", "/v2/runs/"+r.ID+"/graph", nil).want(t, http.StatusOK).object(t)
			if totals, _ := graph["totals"].(map[string]any); totals["requests"] != 4.0 || totals["tool_calls"] != 5.0 {
				t.Errorf("graph totals %v", graph["totals"])
			}
		}
		if repeats := g.Repeats(); len(repeats) > 0 {
			t.Errorf("answered twice: %+v", repeats)
		}
		for _, record := range g.Requests() {
			if record.OutputLimit != 1000 {
				t.Errorf("a request asked for %d tokens; the model's ceiling is 1000", record.OutputLimit)
			}
		}
		leaked := strings.Join([]string{"sk-ant-test-0123456789", "sk-test-0123456789abcdef"}, "|")
		for secret := range strings.SplitSeq(leaked, "|") {
			if strings.Contains(s.log.String(), secret) {
				t.Errorf("the log holds %s", secret)
			}
		}
	})
}

// TestAFollowUpGoesOnWithAHarness: the conversation goes on under the same run; its first rows stay.
func TestAFollowUpGoesOnWithAHarness(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		id := s.ask("a", "Go on", "")
		s.completes(id)
		before := s.rows(id, "")
		s.call("POST", "/v2/runs/"+id+"/messages", map[string]string{"content": "On /that: more"}).want(t, http.StatusAccepted)
		r := s.until(id, "the follow-up completes", func(r run.Run) bool {
			return r.Status == run.Completed && r.Result.FinalAnswer == "On /that: more: done."
		})
		after := s.rows(id, "")
		for i, row := range before {
			if after[i]["type"] != row["type"] || after[i]["seq"] != row["seq"] {
				t.Fatalf("row %d was %v and is %v", i, row, after[i])
			}
		}
		if r.Usage.Requests != 5 || len(s.rows(id, run.RowUserMessage)) != 2 {
			t.Errorf("usage %+v", r.Usage)
		}
		s.noneLeft(id)
	})
}

// TestAHarnessGivesTypedOutput: an answer that is not the typed output is sent back, as on the server's own loop.
func TestAHarnessGivesTypedOutput(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		schema := map[string]any{
			"type": "object", "properties": map[string]any{"answer": map[string]any{"type": "integer"}},
			"required": []string{"answer"}, "additionalProperties": false,
		}
		s.agent("typed", map[string]any{"harness": c.harness, "model": c.model, "output": schema})
		r := s.completes(s.ask("typed", "Give it typed.", ""))
		var output map[string]int
		if err := json.Unmarshal(r.Result.Output, &output); err != nil || output["answer"] != 42 {
			t.Errorf("output %s, %v", r.Result.Output, err)
		}
		s.noneLeft(r.ID)
	})
}

// TestTheCapHoldsAHarness is kernel check 2: nothing is sent, the run waits, and a raise sends the very request; also
// where the cap comes in the middle of the task, and where the program was ended meanwhile.
func TestTheCapHoldsAHarness(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		for name, hold := range map[string]string{"the program waits": "1m", "the program is ended": "1ms"} {
			t.Run(name, func(t *testing.T) {
				g := newGateway(t, harnessScript)
				s := startOn(t, c, g, setup{flags: []string{"--session-hold", hold}}, "")
				id := s.ask("a", "Go first", "0.0000001")
				r := s.rests(id)
				if r.Status != run.InputRequired || r.State != run.StateWaiting || r.Error != nil || r.Pending == nil ||
					r.Pending.Kind != run.PendingBudget || r.Cost.USD == nil || *r.Cost.USD != 0 || r.Pending.SuggestedCapUSD == nil {
					t.Fatalf("the run is %s/%s: %+v %+v", r.Status, r.State, r.Pending, r.Error)
				}
				if n, _ := g.askedOf("Go first"); n != 0 {
					t.Fatal("a refused request was sent")
				}
				if len(s.rows(id, run.RowSpendCap)) != 1 {
					t.Error("no spend_cap_reached row")
				}
				if hold == "1ms" {
					s.noneLeft(id)
				} else if len(processesOf(id)) == 0 {
					t.Error("the program did not wait")
				}
				// Raised again and again by just what the next request needs, it pauses in the middle of its task.
				pauses := 0
				for r.Status == run.InputRequired {
					if pauses++; pauses > 20 {
						t.Fatal("the run only ever pauses")
					}
					amount, err := run.ParseUSD(r.Pending.NeedsUSD.Plus(*r.Pending.SpentUSD).String())
					if err != nil {
						t.Fatal(err)
					}
					s.call("PATCH", "/v2/runs/"+id, map[string]any{"max_cost_usd": json.Number(amount.String())}).want(t, http.StatusOK)
					asked, _ := g.askedOf("Go first")
					r = s.until(id, "it rests again", func(r run.Run) bool {
						now, _ := g.askedOf("Go first")
						return r.Status.Terminal() || r.Status == run.InputRequired && now > asked
					})
				}
				if r.Status != run.Completed || r.Cost.USD == nil {
					t.Fatalf("the run is %s: %+v", r.Status, r.Error)
				}
				if total, most := g.askedOf("Go first"); total != 4 || most != 1 {
					t.Errorf("%d requests, one %d times", total, most)
				}
				if pauses < 2 {
					t.Errorf("it paused %d times", pauses)
				}
				s.checkFiles(id)
				s.noneLeft(id)
			})
		}
	})
}

// TestACancelAtTheCapEndsAHarness: the program that waits for a raise goes with its run.
func TestACancelAtTheCapEndsAHarness(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		id := s.ask("a", "Go nowhere", "0.0000001")
		if r := s.rests(id); r.Status != run.InputRequired || len(processesOf(id)) == 0 {
			t.Fatalf("the run is %s, its processes %v", r.Status, processesOf(id))
		}
		s.call("POST", "/v2/runs/"+id+"/cancel", nil).want(t, http.StatusAccepted)
		s.noneLeft(id)
	})
}

// TestAStopAtTheCapEndsAHarness: its program goes, and the next message opens another with a turn of its own.
func TestAStopAtTheCapEndsAHarness(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		id := s.ask("a", "Go nowhere", "0.0000001")
		s.rests(id)
		s.call("POST", "/v2/runs/"+id+"/stop", nil).want(t, http.StatusOK)
		s.noneLeft(id)
		s.call("PATCH", "/v2/runs/"+id, map[string]any{"max_cost_usd": 1}).want(t, http.StatusOK)
		s.call("POST", "/v2/runs/"+id+"/messages", map[string]any{"content": "On hello"}).want(t, http.StatusAccepted)
		if r := s.completes(id); r.Usage.Requests != 1 {
			t.Errorf("%d requests were answered", r.Usage.Requests)
		}
	})
}

// TestAStoppedRequestOfAHarnessCountsAtItsWorst is kernel check 3.
func TestAStoppedRequestOfAHarnessCountsAtItsWorst(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		id := s.ask("a", "Take your time.", "1")
		eventually(t, time.Minute, func() string { return "the request is out" }, func() bool {
			n, _ := g.askedOf("Take your time.")
			return n == 1
		})
		s.call("POST", "/v2/runs/"+id+"/stop", nil).want(t, http.StatusOK)
		r := s.rests(id)
		if r.Status != run.InputRequired || r.Pending.Kind != run.PendingMessage || r.Cost.USD != nil || r.Cost.HeldUSD == 0 {
			t.Fatalf("the run is %s: %+v, cost %+v", r.Status, r.Pending, r.Cost)
		}
		s.noneLeft(id)
		s.call("POST", "/v2/runs/"+id+"/messages", map[string]string{"content": "On it"}).want(t, http.StatusAccepted)
		if r = s.completes(id); r.Result.FinalAnswer != "On it: done." || r.Cost.USD != nil {
			t.Errorf("result %+v, cost %+v", r.Result, r.Cost)
		}
		s.noneLeft(id)
	})
}

// TestACancelEndsAHarness is kernel check 4 and row 10.
func TestACancelEndsAHarness(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		id := s.ask("a", "Take your time.", "")
		eventually(t, time.Minute, func() string { return "the request is out" }, func() bool {
			n, _ := g.askedOf("Take your time.")
			return n == 1
		})
		began := time.Now()
		s.call("POST", "/v2/runs/"+id+"/cancel", nil).want(t, http.StatusAccepted)
		if r := s.rests(id); r.Status != run.Cancelled || r.Cost.USD != nil {
			t.Fatalf("the run is %s, cost %+v", r.Status, r.Cost)
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("the cancel took %s", took)
		}
		s.noneLeft(id)
		s.call("POST", "/v2/runs/"+id+"/messages", map[string]string{"content": "On"}).want(t, http.StatusConflict)
		// And while the program only starts.
		id = s.ask("a", "Go never", "")
		eventually(t, time.Minute, func() string { return "the program is up" }, func() bool { return len(processesOf(id)) > 0 })
		s.call("POST", "/v2/runs/"+id+"/cancel", nil).want(t, http.StatusAccepted)
		if r := s.rests(id); r.Status != run.Cancelled {
			t.Errorf("the run is %s", r.Status)
		}
		s.noneLeft(id)
	})
}

// TestAHarnessOutlivesARestart is kernel check 5 and row 13.
func TestAHarnessOutlivesARestart(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{flags: []string{"--drain-timeout", "1s"}}, "")
		file := filepath.Join(t.TempDir(), "now")
		words := "Answer once " + file + " exists."
		id := s.ask("a", words, "")
		eventually(t, time.Minute, func() string { return "the request is out" }, func() bool {
			return len(g.Requests()) == 1
		})
		if took := s.stop(); took > 4*time.Second {
			t.Errorf("the server took %s to stop", took)
		}
		if left := processesOf(id); len(left) > 0 {
			t.Errorf("processes are left: %v", left)
		}
		next := s.again()
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := next.completes(id); r.Result.FinalAnswer != "Now." || r.Claim.Epoch != 2 {
			t.Errorf("result %+v, claim %+v", r.Result, r.Claim)
		}
		next.noneLeft(id)
	})
}

// TestAMessageReachesAWorkingHarness: it is heard at the next turn boundary.
func TestAMessageReachesAWorkingHarness(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		file := filepath.Join(t.TempDir(), "now")
		g := newGateway(t, strings.Replace(harnessScript, "rules:", `rules:
  - name: steered
    when: {user: Steer me.}
    replies:
      - {hold_until_file: '`+file+`', tool_calls: [{name: write, args: {path: a.txt, content: alpha}}]}
      - {text: Nobody spoke.}`, 1))
		s := startOn(t, c, g, setup{}, "")
		id := s.ask("a", "Steer me.", "")
		eventually(t, time.Minute, func() string { return "the request is out" }, func() bool { return len(g.Requests()) == 1 })
		s.call("POST", "/v2/runs/"+id+"/messages", map[string]string{"content": "On second thought"}).want(t, http.StatusAccepted)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if r := s.completes(id); r.Result.FinalAnswer != "On second thought: done." || r.Usage.Requests != 2 {
			t.Errorf("result %+v, usage %+v", r.Result, r.Usage)
		}
		s.noneLeft(id)
	})
}

// TestAHarnessIsPausedAndGoesOn: a pause holds before the next request; a resume goes on.
func TestAHarnessIsPausedAndGoesOn(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		id := s.ask("a", "Go slowly", "")
		eventually(t, time.Minute, func() string { return "the first request is out" }, func() bool { return len(g.Requests()) == 1 })
		s.call("POST", "/v2/runs/"+id+"/pause", nil).want(t, http.StatusOK)
		if r := s.rests(id); r.Status != run.InputRequired || r.State != run.StatePaused {
			t.Fatalf("the run is %s/%s", r.Status, r.State)
		}
		s.noneLeft(id)
		s.call("POST", "/v2/runs/"+id+"/resume", nil).want(t, http.StatusOK)
		s.completes(id)
		if total, most := g.askedOf("Go slowly"); total != 4 || most != 1 {
			t.Errorf("%d requests, one %d times", total, most)
		}
		s.checkFiles(id)
		s.checkOrder(id, 5)
		s.noneLeft(id)
	})
}

// TestAKilledWorkersProgramGoesWithIt: the program does not outlive the worker that drives it.
func TestAKilledWorkersProgramGoesWithIt(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, c commandLine) {
		g := newGateway(t, harnessScript)
		s := startOn(t, c, g, setup{}, "")
		id := s.ask("a", "Take your time.", "")
		eventually(t, time.Minute, func() string { return "the request is out" }, func() bool { return len(g.Requests()) == 1 })
		before := processesOf(id)
		if len(before) == 0 {
			t.Fatal("there is no program")
		}
		if err := syscall.Kill(s.run(id).Claim.Holder.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, 10*time.Second, func() string { return "the program outlives its worker" }, func() bool {
			now := processesOf(id)
			for _, pid := range before {
				if slices.Contains(now, pid) {
					return false
				}
			}
			return true
		})
		eventually(t, time.Minute, func() string { return "the request is asked again" }, func() bool { return len(g.Requests()) == 2 })
		s.call("POST", "/v2/runs/"+id+"/cancel", nil).want(t, http.StatusAccepted)
		s.rests(id)
		s.noneLeft(id)
	})
}
