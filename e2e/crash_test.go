package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
)

// The points a process is killed at, with whether a request is under way there: only then may it be asked once more.
var points = []struct {
	name string
	sent bool
}{
	{"request.before_begin", false},
	{"request.begun", true},
	{"request.sending", true},
	{"request.answered", true},
	{"request.ended", false},
	{"tool.before", false},
	{"tool.acted", false},
	{"tool.ended", false},
	{"settle.before", false},
	{"settle.ended", false},
}

// TestACrashAtEveryPoint kills the worker, and then the server and its worker, at every point of the journal, early and
// late in a run: it completes, pays each answered request once, writes each file once, and leaves nothing running.
func TestACrashAtEveryPoint(t *testing.T) {
	t.Parallel()
	g := newGateway(t, sixSteps)
	s := start(t, setup{tags: "failpoints", env: g.env(), flags: []string{"--drain-timeout", "1s"}})
	s.price()
	s = s.restarted()
	s.agent("a", nil)
	for _, action := range []string{"kill", "kill-server"} {
		for _, point := range points {
			for _, n := range []int{1, 3} {
				if n > 1 && (point.name == "settle.before" || point.name == "settle.ended") {
					continue
				}
				t.Run(fmt.Sprintf("%s at %s %d", action, point.name, n), func(t *testing.T) {
					s.t = t
					s = s.crashOnce(g, point.name, n, action, point.sent)
				})
			}
		}
	}
}

// price gives the gateway's model a price, as an owner does for a server of his own.
func (s *server) price() {
	s.t.Helper()
	const models = `{"providers": [], "models": [{"id": "openai/faux-1", "context_window": 200000, "max_output": 1000,
		"prices": {"input": 1, "cache_read": 1, "cache_write": 1, "output": 2}}]}`
	if err := os.WriteFile(filepath.Join(s.setup.dir, "data", "models.json"), []byte(models), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) restarted() *server {
	s.t.Helper()
	s.stop()
	return s.again()
}

// crashing begins a run that a failpoint ("<point> <n> <action>") crashes once, and gives the server that lives after it.
func (s *server) crashing(failpoint string, begin func() string) (*server, string) {
	s.t.Helper()
	file := filepath.Join(s.setup.dir, "failpoint")
	if err := os.WriteFile(file, []byte(failpoint), 0o600); err != nil {
		s.t.Fatal(err)
	}
	defer os.Remove(file)
	id := begin()
	eventually(s.t, 60*time.Second, func() string { return "the crash" }, func() bool {
		_, err := os.Stat(file + ".hit")
		return err == nil
	})
	if err := os.Remove(file + ".hit"); err != nil {
		s.t.Fatal(err)
	}
	if !strings.HasSuffix(failpoint, " kill-server") {
		return s, id
	}
	<-s.exited
	next := launch(s.t, s.setup)
	next.owner = s.owner
	next.owner.Cleanup(next.kill)
	part := s.t
	part.Cleanup(func() {
		if part.Failed() {
			part.Logf("the server's log:\n%s", tail(next.log.String()))
		}
	})
	return next, id
}

// crashOnce runs one run that crashes once, and gives the server that lives after it.
func (s *server) crashOnce(g *gateway, point string, n int, action string, sent bool) *server {
	s.t.Helper()
	s, id := s.crashing(fmt.Sprintf("%s %d %s", point, n, action), func() string { return s.ask("a", "Go.", "1") })
	r := s.completes(id)
	wantEpoch := int64(2)
	if point == "settle.ended" {
		wantEpoch = 1 // everything was recorded: nobody had to open it again
	}
	if r.Claim.Epoch != wantEpoch || r.Claim.Holder != nil {
		s.t.Errorf("the claim is %+v, want epoch %d", r.Claim, wantEpoch)
	}
	s.checkSixSteps(g, r, sent)
	return s
}

// checkSixSteps: everything once, and a request that was cut counted at its worst.
func (s *server) checkSixSteps(g *gateway, r run.Run, sent bool) {
	s.t.Helper()
	again := 0
	for turn, n := range g.asked(r.ID) {
		if n > 2 {
			s.t.Errorf("turn %d was asked %d times", turn, n)
		}
		again += n - 1
	}
	if !sent && (again != 0 || r.Cost.USD == nil) {
		s.t.Errorf("%d requests were asked again, cost %+v: none was under way", again, r.Cost)
	}
	if sent && (again > 1 || r.Cost.USD != nil || r.Cost.HeldUSD == 0) {
		s.t.Errorf("%d requests were asked again, cost %+v: one was cut", again, r.Cost)
	}
	for name, want := range map[string]string{"a.txt": "ALPHA", "b.txt": "beta", "c.txt": "gamma"} {
		if got := s.call("GET", "/v2/runs/"+r.ID+"/files/"+name, nil).want(s.t, 200).body; string(got) != want {
			s.t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	uses, results := s.rows(r.ID, run.RowToolUse), s.rows(r.ID, run.RowToolResult)
	if len(uses) != 5 || len(results) != 5 {
		s.t.Errorf("%d calls and %d results, want 5 of each", len(uses), len(results))
	}
	for _, result := range results {
		if result["ok"] != true || result["interrupted"] == true {
			s.t.Errorf("result %v", result)
		}
	}
}

// longRun is a script of runs with many steps, so that kills meet them everywhere.
const longRun = `
models:
  - {id: faux-1, context_window: 200000, max_output: 1000, prices: {input: 1, output: 2}}
rules:
  - name: long
    when: {user: Go.}
    replies:
      - repeat: 60
        delay: 100ms
        tool_calls:
          - {name: write, args: {path: "file-{{step}}.txt", content: "step {{step}}"}}
      - {text: Done.}
`

// TestRandomKillsLoseNothing kills workers at random under twenty runs at once. AGENTRUN_E2E_KILLS sets how often.
func TestRandomKillsLoseNothing(t *testing.T) {
	kills := 15
	if text := os.Getenv("AGENTRUN_E2E_KILLS"); text != "" {
		kills, _ = strconv.Atoi(text)
	}
	g := newGateway(t, longRun)
	s := start(t, setup{env: g.env()})
	s.agent("a", map[string]any{"max_steps": 1000})
	const runs = 20
	var ids []string
	for range runs {
		ids = append(ids, s.ask("a", "Go.", ""))
	}
	for killed := 0; killed < kills && !t.Failed(); {
		worker, opened := s.holder(ids)
		if !opened {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		// A run is given up where its worker dies again and again without a step ended in between, so each gets time for
		// a step; where in its steps the kill meets it is chance.
		time.Sleep(time.Duration(250+rand.IntN(500)) * time.Millisecond)
		if worker == 0 {
			if s.allEnded(ids) {
				s.completes(ids[len(ids)-1])
				for range runs {
					ids = append(ids, s.ask("a", "Go.", ""))
				}
			}
			continue
		}
		if syscall.Kill(worker, syscall.SIGKILL) == nil {
			killed++
		}
	}
	for _, id := range ids {
		r := s.until(id, "the run completes", func(r run.Run) bool { return r.Status.Terminal() })
		if r.Status != run.Completed {
			t.Errorf("run %s is %s: %+v", id, r.Status, r.Error)
		}
		results := s.rows(id, run.RowToolResult)
		if len(results) != 60 {
			t.Errorf("run %s has %d results", id, len(results))
		}
		for _, result := range results {
			if result["ok"] != true {
				t.Errorf("run %s: %v", id, result)
			}
		}
		again := 0
		for _, n := range g.asked(id) {
			again += n - 1
		}
		if cut := int(r.Claim.Epoch) - 1; again > cut {
			t.Errorf("run %s: %d requests asked again after %d crashes", id, again, cut)
		}
	}
	t.Logf("%d kills over %d runs", kills, len(ids))
}

// holder is the worker process that drives the runs, and whether it has opened all that have not ended.
func (s *server) holder(ids []string) (pid int, opened bool) {
	for _, id := range ids {
		r := s.run(id)
		if r.Status.Terminal() {
			continue
		}
		if r.Claim.Holder == nil || pid != 0 && r.Claim.Holder.PID != pid || syscall.Kill(r.Claim.Holder.PID, 0) != nil {
			return 0, false
		}
		pid = r.Claim.Holder.PID
	}
	return pid, true
}

func (s *server) allEnded(ids []string) bool {
	for _, id := range ids {
		if !s.run(id).Status.Terminal() {
			return false
		}
	}
	return true
}
