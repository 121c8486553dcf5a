package process_test

import (
	"bufio"
	"os/exec"
	"testing"

	"github.com/agentrun/agentrun/harnesses/process"
)

// stray starts a program that nobody owns, with an environment variable, and answers how it ended.
func stray(t *testing.T, variable string) (alive func() bool) {
	t.Helper()
	command := exec.Command("/bin/sh", "-c", "echo ready; exec sleep 1000")
	command.Env = []string{"PATH=/usr/bin:/bin", variable}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(gone)
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-gone
	})
	return func() bool {
		select {
		case <-gone:
			return false
		default:
			return true
		}
	}
}

func TestASweepFindsExactlyItsMarker(t *testing.T) {
	t.Parallel()
	marker := newMarker(t)
	others := map[string]func() bool{
		"a longer marker":      stray(t, "AGENTRUN_HARNESS="+marker+"x"),
		"a marker's beginning": stray(t, "AGENTRUN_HARNESS="+marker[:10]),
		"another variable":     stray(t, "XAGENTRUN_HARNESS="+marker),
	}
	mine := []func() bool{stray(t, "AGENTRUN_HARNESS="+marker), stray(t, "AGENTRUN_HARNESS="+marker)}
	if err := process.Sweep(marker); err != nil {
		t.Fatal(err)
	}
	for _, alive := range mine {
		eventually(t, "what has the marker is gone", func() bool { return !alive() })
	}
	for name, alive := range others {
		if !alive() {
			t.Errorf("%s is killed", name)
		}
	}
}

func TestASweepOfNothing(t *testing.T) {
	t.Parallel()
	if err := process.Sweep(newMarker(t)); err != nil {
		t.Error(err)
	}
}
