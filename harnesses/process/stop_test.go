package process_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/process"
)

func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	// Each says a line once it is as its name says. Those that end wait for the end of their input.
	cases := map[string]struct {
		script string
		ends   bool
	}{
		"one that waits for its input":        {"echo ready; cat", false},
		"one that ignores SIGTERM":            {"trap '' TERM; echo ready; while :; do sleep 0.01; done", false},
		"one that floods its output":          {"exec yes", false},
		"one that stopped itself":             {"echo ready; kill -STOP $$", false},
		"one with children of its own":        {"sleep 1000 & sleep 1000 & echo ready; wait", false},
		"one whose child left its session":    {"setsid sh -c 'setsid sleep 1000 & echo ready; exec sleep 1000' & wait", false},
		"one that ended before its child":     {"setsid sh -c 'trap \"\" TERM HUP; echo ready; while :; do sleep 0.01; done' & read line", true},
		"one whose child keeps forking":       {"setsid sh -c 'echo ready; while :; do setsid sleep 0.05 & sleep 0.01; done' & read line", true},
		"one that ended long ago":             {"echo ready; read line", true},
		"one that closed its output":          {"echo ready; exec >/dev/null; exec sleep 1000", false},
		"one that ends at once when asked to": {"trap 'exit 0' TERM; echo ready; while :; do sleep 0.01; done", false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gates(t, func(t *testing.T, confined bool) { stopsWhole(t, shell(t, tc.script, confined), tc.ends) })
		})
	}
}

func stopsWhole(t *testing.T, p *process.Process, ends bool) {
	t.Helper()
	if _, err := bufio.NewReaderSize(p.Stdout(), 16).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if ends {
		if err := p.Stdin().Close(); err != nil {
			t.Fatal(err)
		}
		ended(t, p)
	}
	since := time.Now()
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(since); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
	ended(t, p)
	if p.Exit() == "" {
		t.Error("it is stopped and has not ended")
	}
	if _, err := io.Copy(io.Discard, p.Stdout()); err != nil {
		t.Errorf("its output does not end: %v", err)
	}
	if _, err := io.WriteString(p.Stdin(), "more"); err == nil {
		t.Error("its input takes more")
	}
}

// TestWhatHidesFromTheMarkEndsWithAConfinedProgram: a process that forgot its environment and left its group and session.
func TestWhatHidesFromTheMarkEndsWithAConfinedProgram(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	for name, end := range map[string]func(p *process.Process) error{
		"at a stop":      func(p *process.Process) error { return p.Stop() },
		"as it is ended": func(p *process.Process) error { return syscall.Kill(p.PID(), syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nap := fmt.Sprintf("1000.%d", time.Now().UnixNano()) // nobody else sleeps as long
			p := shell(t, "setsid env -i sh -c 'setsid sleep "+nap+" & sleep "+nap+"' & echo ready; wait", true)
			if _, err := bufio.NewReader(p.Stdout()).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			eventually(t, "both sleep", func() bool { return sleepers(t, nap) == 2 })
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			ended(t, p)
			if n := sleepers(t, nap); n > 0 {
				t.Errorf("%d still sleep", n)
			}
		})
	}
}

// sleepers counts the processes that sleep for so long.
func sleepers(t *testing.T, nap string) int {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range paths {
		if line, err := os.ReadFile(path); err == nil && string(line) == "sleep\x00"+nap+"\x00" {
			n++
		}
	}
	return n
}

func TestAProgramIsGivenNoTimeToPutThingsInOrder(t *testing.T) {
	t.Parallel()
	p := shell(t, "trap 'sleep 1000' TERM EXIT; echo ready; while :; do sleep 0.01; done", false)
	if _, err := bufio.NewReader(p.Stdout()).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if p.Exit() != "killed" {
		t.Errorf("exit %q", p.Exit())
	}
}

func TestStopEndsAReadAndAWriteThatWait(t *testing.T) {
	t.Parallel()
	p := shell(t, "trap '' TERM; exec sleep 1000", false)
	var group sync.WaitGroup
	group.Go(func() {
		if _, err := io.Copy(io.Discard, p.Stdout()); err != nil {
			t.Errorf("the read ends with %v", err)
		}
	})
	group.Go(func() {
		if _, err := io.Copy(p.Stdin(), strings.NewReader(strings.Repeat("x", 1<<20))); err == nil {
			t.Error("the write succeeds")
		}
	})
	for range 3 { // at once from several sides
		group.Go(func() {
			if err := p.Stop(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestLeftErrorNamesWhatIsLeft(t *testing.T) {
	t.Parallel()
	err := errors.Join(errors.New("context ended"), &process.LeftError{Left: []process.Stray{{PID: 12, Program: "node"}, {PID: 34, Program: "sh"}}})
	var left *process.LeftError
	if !errors.As(err, &left) || left.Error() != "killed, but still there: node (process 12), sh (process 34)" {
		t.Errorf("%v", left)
	}
}
