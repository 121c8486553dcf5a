package process_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/agentrun/agentrun/harnesses/process"
)

// behind starts a shell behind the next gate, which says how many arguments it has and waits.
func behind(t *testing.T, gates *process.Gates, o process.Options) *process.Process {
	t.Helper()
	gate, err := gates.Open(true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := gate.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Program, o.Marker, o.Gate = "/bin/sh", newMarker(t), gate
	o.Args = append([]string{"-c", "echo $#; exec cat"}, o.Args...)
	p := begin(t, o)
	if line, err := bufio.NewReaderSize(p.Stdout(), 16).ReadString('\n'); err != nil || line != fmt.Sprintln(max(0, len(o.Args)-3)) {
		t.Fatalf("%q, %v", line, err)
	}
	return p
}

func TestAProgramTakesThePlaceThatIsReady(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	var gates process.Gates
	gates.Prepare()
	ready := gates.Ready()
	first, second := behind(t, &gates, process.Options{}), behind(t, &gates, process.Options{})
	if first.PID() != ready.PID() || second.PID() == ready.PID() {
		t.Errorf("the place is process %d, the programs are %d and %d", ready.PID(), first.PID(), second.PID())
	}
	eventually(t, "the next one is made", func() bool { return gates.Ready() != nil })
	left := gates.Ready()
	if err := gates.Close(); err != nil {
		t.Fatal(err)
	}
	ended(t, left)
	if third := behind(t, &gates, process.Options{}); third.Exit() != "" {
		t.Error("no gate opens once they are closed")
	}
}

func TestWhatAPlaceCannotBecome(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	ready := func(t *testing.T) (*process.Gates, *process.Process) {
		gates := &process.Gates{}
		gates.Prepare()
		t.Cleanup(func() { _ = gates.Close() })
		return gates, gates.Ready()
	}
	t.Run("it has been killed", func(t *testing.T) {
		t.Parallel()
		gates, place := ready(t)
		if err := syscall.Kill(place.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		ended(t, place)
		if behind(t, gates, process.Options{}).PID() == place.PID() {
			t.Error("the dead go on")
		}
	})
	t.Run("more is said than fits", func(t *testing.T) {
		t.Parallel()
		gates, place := ready(t)
		p := behind(t, gates, process.Options{Args: []string{"sh", strings.Repeat("x", 100<<10)}})
		ended(t, place)
		if p.PID() == place.PID() {
			t.Error("it fitted")
		}
	})
	for name, o := range map[string]process.Options{
		"a program in no folder": {Program: "/bin/cat", Dir: "/no/such/folder"},
		"what is no program":     {Program: script(t, "#!/no/such/interpreter\n")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gates, place := ready(t)
			gate, err := gates.Open(true)
			if err != nil {
				t.Fatal(err)
			}
			o.Marker, o.Gate = newMarker(t), gate
			if _, err := process.Start(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no such file or directory") {
				t.Errorf("%v", err)
			}
			ended(t, place)
			if gate.Listener() != nil {
				t.Error("the gate is open")
			}
		})
	}
	t.Run("one whose start is over", func(t *testing.T) {
		t.Parallel()
		gates, place := ready(t)
		gate, err := gates.Open(true)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := process.Start(ctx, process.Options{Program: "/bin/cat", Marker: newMarker(t), Gate: gate}); err == nil {
			t.Error("it started")
		}
		if err := gate.Close(); err != nil {
			t.Error(err)
		}
		ended(t, place)
	})
}

func TestAGateThatIsNotUsedGivesItsPlaceUp(t *testing.T) {
	t.Parallel()
	needConfinement(t)
	var gates process.Gates
	gates.Prepare()
	place := gates.Ready()
	gate, err := gates.Open(true)
	if err != nil {
		t.Fatal(err)
	}
	if err := gate.Close(); err != nil {
		t.Fatal(err)
	}
	ended(t, place)
	if err := gates.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestNoGatesAtAllOpenGates(t *testing.T) {
	t.Parallel()
	gates := (*process.Gates)(nil)
	gate, err := gates.Open(false)
	if err != nil {
		t.Fatal(err)
	}
	if err := gate.Close(); err != nil {
		t.Fatal(err)
	}
}

// script is a file that may be run.
func script(t *testing.T, text string) string {
	t.Helper()
	path := t.TempDir() + "/script"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
