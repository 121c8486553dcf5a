package process_test

import (
	"bufio"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/process"
)

func TestACancelledStartLeavesNothing(t *testing.T) {
	t.Parallel()
	gates(t, func(t *testing.T, confined bool) {
		since := time.Now()
		shell(t, "exec sleep 1000", confined)
		most := 3 * time.Since(since) / 2 // so that some starts are cancelled at every step and some come to their end
		var started, cancelled int
		for range 25 {
			marker, gate := newMarker(t), openGate(t, confined)
			ctx, cancel := context.WithTimeout(t.Context(), rand.N(most))
			p, err := process.Start(ctx, process.Options{
				Program: "/bin/sh", Args: []string{"-c", "setsid sleep 1000 & exec sleep 1000"}, Env: []string{"PATH=/usr/bin:/bin"},
				Marker: marker, Gate: gate,
			})
			cancel()
			switch {
			case err == nil:
				started++
				if err := p.Stop(); err != nil {
					t.Fatal(err)
				}
			case !errors.Is(err, context.DeadlineExceeded):
				t.Fatalf("says %v", err)
			default:
				cancelled++
			}
			if left := having(t, marker); len(left) > 0 {
				t.Fatalf("left behind: processes %v", left)
			}
		}
		t.Logf("%d started, %d cancelled", started, cancelled)
	})
}

func TestAStartThatIsCancelledBeforeItBegins(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := process.Start(ctx, process.Options{Program: "true", Marker: newMarker(t)}); !errors.Is(err, context.Canceled) {
		t.Errorf("says %v", err)
	}
}

func TestAContextThatEndsLaterDoesNotEndTheProgram(t *testing.T) {
	t.Parallel()
	gates(t, func(t *testing.T, confined bool) {
		ctx, cancel := context.WithCancel(t.Context())
		p, err := process.Start(ctx, process.Options{Program: "cat", Marker: newMarker(t), Gate: openGate(t, confined)})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := p.Stdin().Write([]byte("still here\n")); err != nil {
			t.Error(err)
		}
		if line, err := bufio.NewReader(p.Stdout()).ReadString('\n'); err != nil || line != "still here\n" {
			t.Errorf("%q, %v", line, err)
		}
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestAProgramDiesWithWhoeverStartedIt(t *testing.T) {
	t.Parallel()
	gates(t, func(t *testing.T, confined bool) {
		marker := newMarker(t)
		starter := exec.Command("/proc/self/exe")
		starter.Env = []string{modeName + "=parent", "MARKER=" + marker, "CONFINE=" + strconv.FormatBool(confined)}
		out, err := starter.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := starter.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(line)
		}
		if found := having(t, marker); len(found) != 1 || found[0] != pid {
			t.Fatalf("process %d is started, and %v is there", pid, found)
		}
		if err := starter.Process.Signal(os.Kill); err != nil {
			t.Fatal(err)
		}
		_ = starter.Wait()
		eventually(t, "nothing is left of the program", func() bool { return len(having(t, marker)) == 0 })
	})
}
