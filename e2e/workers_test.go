package e2e

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
)

// TestAStalledWorkerIsFenced stops one of two workers past its lease and lets it go on: what it still writes is refused
// and seen nowhere.
func TestAStalledWorkerIsFenced(t *testing.T) {
	t.Parallel()
	g := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules: [{when: {user: Go.}, reply: {delay: 3s, text: Done.}}]
`)
	s := start(t, setup{env: g.env(), flags: []string{"--workers", "2", "--worker-lease", "2s"}})
	s.agent("a", nil)
	id := s.ask("a", "Go.", "")
	s.requestUnderWay(id)
	stalled := s.run(id).Claim.Holder.PID
	if err := syscall.Kill(stalled, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.until(id, "another worker holds the run", func(r run.Run) bool {
		return r.Claim.Holder != nil && r.Claim.Holder.PID != stalled && r.Claim.Epoch == 2
	})
	if err := syscall.Kill(stalled, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	eventually(t, 20*time.Second, func() string { return "the late worker ends" }, func() bool {
		return syscall.Kill(stalled, 0) != nil
	})
	r := s.completes(id)
	if r.Claim.Epoch != 2 {
		t.Errorf("the claim: %+v", r.Claim)
	}
	if n := len(s.rows(id, run.RowAnswer)); n != 1 {
		t.Errorf("%d answers", n)
	}
	ended := s.rows(id, run.RowRequestEnded)
	if len(ended) != 2 || ended[0]["unknown_spend"] != true || ended[1]["error"] != nil {
		t.Errorf("the requests' ends: %v", ended)
	}
}

// TestNoSecretIsLeftLyingAbout looks for the keys in every child's environment and command line, in the record, in the
// engine's database, in the runs' files and in the log.
func TestNoSecretIsLeftLyingAbout(t *testing.T) {
	t.Parallel()
	const key, other = "sk-very-secret-0123456789", "parallel-secret-9876543210"
	g := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules:
  - when: {user: Go.}
    replies:
      - tool_calls: [{name: write, args: {path: a.txt, content: hello}}]
      - text: "my key is `+key+`"
  - when: {user: Fail.}
    reply: {status: 400, body: '{"error": {"message": "bad key `+key+`"}}'}
`)
	s := start(t, setup{env: append(g.env(),
		"AGENT_MODEL_API_KEY="+key, "PARALLEL_API_KEY="+other, "ANTHROPIC_API_KEY="+key+"-anthropic")})
	s.agent("a", nil)
	id := s.ask("a", "Go.", "")
	s.completes(id)
	s.rests(s.ask("a", "Fail.", ""))
	children := s.children()
	if len(children) == 0 {
		t.Fatal("the server has no child")
	}
	for _, pid := range children {
		for _, name := range []string{"environ", "cmdline"} {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
			if err != nil {
				t.Fatal(err)
			}
			checkClean(t, fmt.Sprintf("%s of child %d", name, pid), data, key, other, s.token)
		}
	}
	s.stop()
	checkClean(t, "the log", []byte(s.log.String()), key, other, s.token)
	err := filepath.WalkDir(filepath.Join(s.setup.dir, "data"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == ".token" {
			return err
		}
		data, err := os.ReadFile(path)
		checkClean(t, path, data, key, other, s.token)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkClean(t *testing.T, where string, data []byte, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%s holds a secret (%s…)", where, secret[:9])
		}
	}
}

// children are the server's child processes.
func (s *server) children() []int {
	s.t.Helper()
	var pids []int
	stats, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, path := range stats {
		data, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(data), "\nPPid:\t"+pidOf(s)+"\n") {
			var pid int
			if _, err := fmt.Sscanf(path, "/proc/%d/status", &pid); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// TestAPoisonousRunIsGivenUp kills the worker each time it opens the run: after three reopenings without a step ended in
// between it fails and says why.
func TestAPoisonousRunIsGivenUp(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "default"}})
	s.agent("a", nil)
	id := s.ask("a", "Take your time.", "")
	for epoch := int64(1); epoch <= 4; epoch++ {
		r := s.until(id, "the run is held", func(r run.Run) bool {
			return r.Claim.Epoch == epoch && r.Claim.Holder != nil && len(s.rows(id, run.RowRequestStarted)) == int(epoch)
		})
		if err := syscall.Kill(r.Claim.Holder.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	r := s.rests(id)
	if r.Status != run.Failed || r.Error.Code != run.CodeRunFailed || !strings.Contains(r.Error.Message, "its process went") {
		t.Errorf("the run is %s: %+v", r.Status, r.Error)
	}
	for _, n := range []string{"(1 of 3)", "(2 of 3)", "(3 of 3)"} {
		if !strings.Contains(s.log.String(), n) {
			t.Errorf("the log has no %s", n)
		}
	}
}

// TestOthersOutliveAPoisonousRun kills the worker each time it has opened one run among others that wait for their slow
// model: that one is found and given up, and none of the others is.
func TestOthersOutliveAPoisonousRun(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "default"}})
	s.agent("a", nil)
	file := filepath.Join(t.TempDir(), "go")
	poison := s.ask("a", "Take your time.", "")
	ids := []string{poison}
	for range 6 {
		ids = append(ids, s.ask("a", fmt.Sprintf("Answer once %s exists.", file), ""))
	}
	deaths := 0
	for killed := map[int]bool{}; !s.run(poison).Status.Terminal(); time.Sleep(20 * time.Millisecond) {
		r := s.run(poison)
		begun := len(s.rows(poison, run.RowRequestStarted)) > len(s.rows(poison, run.RowRequestEnded))
		if r.Claim.Holder == nil || !begun || killed[r.Claim.Holder.PID] {
			continue
		}
		if deaths == 0 { // all are open when it first dies
			for _, id := range ids[1:] {
				s.requestUnderWay(id)
			}
		}
		if err := syscall.Kill(r.Claim.Holder.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		killed[r.Claim.Holder.PID] = true
		if deaths++; deaths > 12 {
			t.Fatalf("not given up after %d deaths", deaths)
		}
	}
	if r := s.run(poison); r.Status != run.Failed || !strings.Contains(r.Error.Message, "its process went") {
		t.Errorf("the poisonous run is %s: %+v", r.Status, r.Error)
	}
	slept := 0
	for _, id := range ids[1:] {
		if r := s.run(id); r.Status != run.Working {
			t.Errorf("another run is %s: %+v", r.Status, r.Error)
		}
		for _, row := range s.rows(id, run.RowStatus) {
			if row["state"] == string(run.StateSleeping) {
				slept++
			}
		}
	}
	if slept == 0 {
		t.Error("no other run waited while fewer were tried")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids[1:] {
		if r := s.completes(id); r.Result.FinalAnswer != "Now." {
			t.Errorf("its answer: %+v", r.Result)
		}
	}
	t.Logf("found after %d deaths", deaths)
}
