package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the record, read without the server

	"github.com/agentrun/agentrun/run"
)

func pidOf(s *server) string { return strconv.Itoa(s.command.Process.Pid) }

// launchRefused starts a server that must refuse to start, and gives what it says.
func launchRefused(t *testing.T, s setup) string {
	t.Helper()
	args := append([]string{"serve", "--data", filepath.Join(s.dir, "data"), "--port", "0"}, s.flags...)
	command := exec.Command(binary(t, s.tags), args...)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir}
	output, err := command.CombinedOutput()
	if err == nil {
		t.Fatalf("a second server started: %s", output)
	}
	return string(output)
}

// TestTheCapRefusesBeforeAnythingIsSent is kernel check 2, and catalogue row 9.
func TestTheCapRefusesBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "output-priced"}})
	s.agent("a", nil)
	id := s.ask("a", "What is six times seven?", "1")
	r := s.rests(id)
	if r.Status != run.InputRequired || r.State != run.StateWaiting || r.Error != nil || r.Result != nil ||
		r.Pending == nil || r.Pending.Kind != run.PendingBudget || r.Pending.SpentUSD.String() != "0" ||
		r.Pending.NeedsUSD.String() != "1.6384" || r.Pending.CapUSD.String() != "1" ||
		r.Cost.USD == nil || *r.Cost.USD != 0 {
		t.Fatalf("the run is %+v, pending %+v", r, r.Pending)
	}
	started := s.rows(id, run.RowRequestStarted)
	if len(started) != 1 || started[0]["cap_refused"] != true || len(s.rows(id, run.RowRequestEnded)) != 0 {
		t.Errorf("request marks: %v", started)
	}
	if n := len(s.rows(id, run.RowSpendCap)); n != 1 {
		t.Errorf("%d spend_cap_reached rows", n)
	}
	s.call("PATCH", "/v2/runs/"+id, map[string]any{"max_cost_usd": 2}).want(t, 200)
	if r := s.completes(id); r.Result.FinalAnswer != "The answer is 42." || r.Cost.USD == nil {
		t.Errorf("after the raise: %+v", r)
	}
}

// TestAPauseAtTheCapIsKept: a raise alone does not let the run go on, and a resume alone does not let it past its cap.
func TestAPauseAtTheCapIsKept(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "output-priced"}})
	s.agent("a", nil)
	command := func(id, name string, status int) { s.call("POST", "/v2/runs/"+id+"/"+name, nil).want(t, status) }
	atCap := func(id string) {
		s.until(id, "it waits at its cap", func(r run.Run) bool { return r.Pending != nil && r.Pending.Kind == run.PendingBudget })
	}
	id := s.ask("a", "What is six times seven?", "1")
	atCap(id)
	command(id, "pause", http.StatusOK)
	command(id, "resume", http.StatusOK)
	atCap(id)
	command(id, "resume", http.StatusConflict)
	command(id, "pause", http.StatusOK)
	s.call("PATCH", "/v2/runs/"+id, map[string]any{"max_cost_usd": 2}).want(t, http.StatusOK)
	time.Sleep(300 * time.Millisecond)
	if r := s.run(id); r.State != run.StatePaused || r.Pending == nil || r.Pending.Kind != run.PendingResume || r.Usage.Requests != 0 {
		t.Fatalf("paused at its cap and raised, the run is %s (%s), pending %+v", r.Status, r.State, r.Pending)
	}
	command(id, "resume", http.StatusOK)
	if r := s.completes(id); r.Usage.Requests != 1 || r.Cost.USD == nil {
		t.Errorf("after the resume: %+v", r)
	}
}

// TestAStopAtTheCapGivesTheRequestUp: a raise does not send it, a message opens a turn of its own.
func TestAStopAtTheCapGivesTheRequestUp(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "output-priced"}})
	s.agent("a", nil)
	for _, before := range []string{"", "pause"} {
		id := s.ask("a", "Take your time.", "1")
		s.rests(id)
		if before != "" {
			s.call("POST", "/v2/runs/"+id+"/"+before, nil).want(t, http.StatusOK)
		}
		s.call("POST", "/v2/runs/"+id+"/stop", nil).want(t, http.StatusOK)
		s.call("PATCH", "/v2/runs/"+id, map[string]any{"max_cost_usd": 2}).want(t, http.StatusOK)
		time.Sleep(300 * time.Millisecond)
		if r := s.run(id); r.Status != run.InputRequired || r.Pending == nil || r.Pending.Kind != run.PendingMessage {
			t.Fatalf("stopped at its cap and raised, the run is %s, pending %+v", r.Status, r.Pending)
		}
		s.call("POST", "/v2/runs/"+id+"/pause", nil).want(t, http.StatusConflict)
		s.call("POST", "/v2/runs/"+id+"/messages", map[string]any{"content": "hello"}).want(t, http.StatusAccepted)
		if r := s.completes(id); r.Usage.Requests != 1 || r.Result.FinalAnswer != "On hello: done." {
			t.Errorf("after the message: %+v, answer %+v", r.Usage, r.Result)
		}
	}
}

// TestAStoppedRequestCountsAtItsWorst is kernel check 3.
func TestAStoppedRequestCountsAtItsWorst(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "output-priced"}})
	s.agent("a", nil)
	for limit, want := range map[string]run.Status{"2": run.InputRequired, "10": run.Completed} {
		id := s.ask("a", "Take your time.", limit)
		s.requestUnderWay(id)
		if stopped := s.call("POST", "/v2/runs/"+id+"/stop", nil).want(t, 200).object(t); stopped["stopped"] != true {
			t.Errorf("stop: %v", stopped)
		}
		if r := s.run(id); r.Status != run.InputRequired || r.Pending.Kind != run.PendingMessage || r.Cost.USD != nil {
			t.Errorf("after the stop: %s, pending %+v, cost %+v", r.Status, r.Pending, r.Cost)
		}
		ended := s.rows(id, run.RowRequestEnded)
		if len(ended) != 1 || ended[0]["held_usd"] != 1.6384 {
			t.Errorf("the stopped request's end: %v", ended)
		}
		s.call("POST", "/v2/runs/"+id+"/messages", map[string]any{"content": "hello"}).want(t, 202)
		r := s.until(id, "the follow-up rests", func(r run.Run) bool {
			return r.Status == run.Completed || r.Pending != nil && r.Pending.Kind == run.PendingBudget
		})
		if r.Status != want || r.Cost.USD != nil {
			t.Errorf("under a cap of %s: %s, cost %+v, pending %+v", limit, r.Status, r.Cost, r.Pending)
		}
		if want == run.InputRequired && r.Pending.SpentUSD.String() != "1.6384" {
			t.Errorf("spent: %s", r.Pending.SpentUSD)
		}
		if want == run.Completed && r.Result.FinalAnswer != "On hello: done." {
			t.Errorf("the answer: %+v", r.Result)
		}
	}
}

func (s *server) requestUnderWay(id string) {
	s.t.Helper()
	s.until(id, "a request is under way", func(r run.Run) bool {
		return r.Status == run.Working && len(s.rows(id, run.RowRequestStarted)) > len(s.rows(id, run.RowRequestEnded))
	})
}

// TestACancelEndsTheRun is kernel check 4, and catalogue row 10.
func TestACancelEndsTheRun(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "output-priced"}})
	s.agent("a", nil)
	id := s.ask("a", "Take your time.", "")
	s.requestUnderWay(id)
	began := time.Now()
	if a := s.call("POST", "/v2/runs/"+id+"/cancel", nil).want(t, 202).object(t); a["cancel_requested"] != true {
		t.Errorf("cancel: %v", a)
	}
	if r := s.rests(id); r.Status != run.Cancelled || r.Cost.USD != nil {
		t.Errorf("cancelled: %s %+v", r.Status, r.Cost)
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the cancel took %s", took)
	}
	if a := s.call("POST", "/v2/runs/"+id+"/cancel", nil).want(t, 200).object(t); a["already_terminal"] != true {
		t.Errorf("a second cancel: %v", a)
	}
	refused := s.call("POST", "/v2/runs/"+id+"/messages", map[string]any{"content": "hello"}).want(t, 409)
	if refused.object(t)["code"] != "not_continuable" {
		t.Errorf("a message: %s", refused.body)
	}
	if n := len(s.rows(id, run.RowRequestStarted)); n != 1 {
		t.Errorf("%d requests were begun", n)
	}
}

// TestARestartResumesTheRun is kernel check 5 and catalogue row 13.
func TestARestartResumesTheRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, setup{dir: dir, flags: []string{"--faux", "default", "--drain-timeout", "2s"}})
	s.agent("a", nil)
	file := filepath.Join(dir, "go")
	id := s.ask("a", "Answer once "+file+" exists.", "")
	s.requestUnderWay(id)
	if took := s.stop(); took > 5*time.Second {
		t.Errorf("the server took %s to stop", took)
	}
	record, err := sql.Open("sqlite", filepath.Join(dir, "data", "agentrun.db"))
	if err != nil {
		t.Fatal(err)
	}
	var state string
	if err := record.QueryRowContext(t.Context(), "SELECT state FROM runs WHERE id = ?", id).Scan(&state); err != nil || state != "sleeping" {
		t.Errorf("the run's record reads %q, %v", state, err)
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	next := s.again()
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := next.completes(id); r.Result.FinalAnswer != "Now." || r.Claim.Epoch != 2 {
		t.Errorf("after the restart: %+v, epoch %d", r.Result, r.Claim.Epoch)
	}
}

// TestAKilledWorkerIsReplaced is kernel check 5 and catalogue row 12.
func TestAKilledWorkerIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, setup{dir: dir, flags: []string{"--faux", "default"}})
	s.agent("a", nil)
	file := filepath.Join(dir, "go")
	id := s.ask("a", "Answer once "+file+" exists.", "")
	s.requestUnderWay(id)
	holder := s.run(id).Claim.Holder
	if holder == nil {
		t.Fatal("nobody holds the run")
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", holder.PID))
	if err != nil || !strings.Contains(string(status), "PPid:\t"+pidOf(s)+"\n") {
		t.Fatalf("the holder is not the server's child: %v", err)
	}
	if err := syscall.Kill(holder.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.until(id, "another worker holds the run", func(r run.Run) bool { return r.Claim.Epoch == 2 })
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.completes(id); r.Result.FinalAnswer != "Now." || r.Cost.USD != nil {
		t.Errorf("after the kill: %+v, cost %+v", r.Result, r.Cost)
	}
	if log := s.log.String(); !strings.Contains(log, "its process went before the run ended") ||
		!strings.Contains(log, "opening it again (1 of 3)") {
		t.Errorf("the log: %s", log)
	}
}

// TestANewBuildGoesOnWithRuns stops a server in the middle of a run, or kills it, and starts a build whose workflow code
// cannot replay what the old one recorded.
func TestANewBuildGoesOnWithRuns(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*server){
		"after SIGTERM": func(s *server) { s.stop() },
		"after kill -9": (*server).kill,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "go")
			g := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules:
  - replies:
      - tool_calls: [{name: write, args: {path: a.txt, content: alpha}}]
      - {hold_until_file: `+file+`, text: Done.}
`)
			s := start(t, setup{dir: dir, env: g.env(), flags: []string{"--drain-timeout", "1s"}})
			s.agent("a", nil)
			id := s.ask("a", "Go.", "")
			s.until(id, "the second request", func(r run.Run) bool { return r.Usage.Requests == 1 && r.Usage.ToolCalls == 1 })
			eventually(t, 10*time.Second, func() string { return "the gateway has both requests" }, func() bool { return len(g.Requests()) == 2 })
			end(s)
			s.setup.tags = nextBuild
			next := s.again()
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if r := next.completes(id); r.Result.FinalAnswer != "Done." || r.Usage.ToolCalls != 1 {
				t.Errorf("the new build: %+v, %+v", r.Result, r.Usage)
			}
			if asked := g.asked(id); asked[0] != 1 {
				t.Errorf("asked by turn: %v", asked)
			}
			if log := next.log.String(); strings.Contains(log, "level=ERROR") {
				t.Errorf("the log:\n%s", tail(log))
			}
		})
	}
}

// TestLetGoAtOnceARunIsOpenedOnce: runs that are paused, stopped or held at their cap and let go in the same moment come
// to their end with every request made once, and nothing written off.
func TestLetGoAtOnceARunIsOpenedOnce(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{"a worker": nil, "none": {"--workers", "0"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules: [{reply: {delay: 150ms, text: Done.}}]
`)
			s := start(t, setup{env: g.env(), flags: flags})
			s.agent("a", nil)
			post := func(id, command string, body any) { s.call("POST", "/v2/runs/"+id+"/"+command, body) }
			var ids []string
			for i := range 24 {
				id := s.ask("a", "Go.", "")
				switch i % 2 {
				case 0:
					post(id, "pause", nil)
					post(id, "resume", nil)
				case 1:
					post(id, "stop", nil)
					post(id, "messages", map[string]any{"content": "on"})
				}
				ids = append(ids, id)
			}
			for _, id := range ids {
				s.completes(id)
				ended := s.rows(id, run.RowRequestEnded)
				if begun := s.rows(id, run.RowRequestStarted); len(begun) != len(ended) {
					t.Errorf("run %s: begun %v, ended %v", id, begun, ended)
				}
				for _, row := range ended {
					if row["error"] != nil && row["error"].(map[string]any)["code"] != run.EndedStopped {
						t.Errorf("run %s: %v", id, row)
					}
				}
				for seq, n := range g.asked(id) {
					if n > 1 {
						t.Errorf("run %s: request %d was asked %d times", id, seq, n)
					}
				}
			}
		})
	}
}
