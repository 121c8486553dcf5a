package harnesses_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agentrun/agentrun/harnesses"
)

// stateOf is what a registry of one program says of it.
func stateOf(t *testing.T, r *harnesses.Registry) harnesses.State {
	t.Helper()
	states := r.States(t.Context())
	if len(states) != 2 || states[0].ID != harnesses.Pi || !states[0].Available || len(states[0].APIs) != 3 {
		t.Fatalf("states %+v", states)
	}
	return states[1]
}

// holds fails the test unless the text has every part.
func holds(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s is %q, which does not say %q", what, text, part)
		}
	}
}

func TestAProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "plain.txt")
	write(t, plain, "no program")
	if err := os.Chmod(plain, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		path  string
		words []string
	}{
		"nowhere in PATH":    {"", []string{"agentrun-small-program is not in PATH", "install the small program", "set AGENTRUN_SMALL"}},
		"the setting's file": {"/no/such/file", []string{"/no/such/file", "set by AGENTRUN_SMALL", "no program that can be run"}},
		"it is a folder":     {t.TempDir(), []string{"/", "set by AGENTRUN_SMALL"}},
		"it may not be run":  {plain, []string{plain, "set by AGENTRUN_SMALL"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := stateOf(t, harnesses.New(new(driver).known(test.path)))
			if state.Available || state.Path != "" || state.Version != "" || !slices.Equal(state.APIs, []string{"responses"}) ||
				state.DefaultRunner == "" {
				t.Errorf("state %+v", state)
			}
			holds(t, "the reason", state.Reason, test.words...)
		})
	}
}

func TestAProgramIsFoundInPATH(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agentrun-small-program")
	write(t, path, strings.Replace(says, "%s", "1.2.0", 1))
	t.Setenv("PATH", os.Getenv("PATH")+":"+filepath.Dir(path))
	if state := stateOf(t, harnesses.New(new(driver).known(""))); !state.Available || state.Path != path || state.Version != "1.2.0" {
		t.Errorf("state %+v", state)
	}
}

// TestAVersionIsOneThatWasTried: others are available with a warning where they speak the protocol.
func TestAVersionIsOneThatWasTried(t *testing.T) {
	t.Parallel()
	const silent = "echo 'no such command' >&2; exit 2\n"
	for name, test := range map[string]struct {
		version, does   string
		available, warn bool
	}{
		"the oldest that was tried":        {"1.2.0", silent, true, false},
		"one in between":                   {"1.12.3", silent, true, false},
		"an early one of between":          {"1.12.3-beta.1", silent, true, false},
		"older, and speaks":                {"1.1.9", asks, true, true},
		"older, and does not speak":        {"1.1.9", silent, false, true},
		"an early one of the oldest":       {"1.2.0-rc.1", silent, false, true},
		"the first too new, and speaks":    {"2.0.0", asks, true, true},
		"the first too new, and does not":  {"2.0.0", silent, false, true},
		"an early one of the too new":      {"2.0.0-alpha.1", silent, false, true},
		"no number, and speaks":            {"nightly", asks, true, true},
		"it ends its turn without a word":  {"2.0.0", "echo ready; echo end; read -r more\n", false, true},
		"it ends before it asks":           {"2.0.0", "echo ready\n", false, true},
		"it has no version it could say":   {"; exit 1", asks, false, false},
		"it asks, and starts a background": {"2.0.0", "sleep 1000 & " + asks, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, path := &driver{}, program(t, test.version, test.does)
			state := stateOf(t, harnesses.New(d.known(path)))
			if state.Available != test.available || (state.Reason == "") != test.available || (state.Warning != "") != test.warn {
				t.Errorf("state %+v", state)
			}
			if test.warn {
				holds(t, "the warning", state.Warning, "version "+test.version, "1.2.0", "2.0.0")
				if state.Path != path || state.Version != test.version || state.Confined == (state.ConfinedReason != "") {
					t.Errorf("state %+v", state)
				}
			}
			if test.warn && !test.available {
				holds(t, "the reason", state.Reason, "does not speak the protocol")
			}
			if left := d.folders(); len(left) > 0 {
				t.Errorf("folders left: %v", left)
			}
		})
	}
}

func TestWhatALookLeavesMakesAVersionThatWasNotTriedUnavailable(t *testing.T) {
	t.Parallel()
	d := &driver{kept: os.ErrProcessDone}
	state := stateOf(t, harnesses.New(d.known(program(t, "2.0.0", asks))))
	if state.Available {
		t.Errorf("state %+v", state)
	}
	kept := d.folders()
	if len(kept) != 1 {
		t.Fatalf("folders kept: %v", kept)
	}
	holds(t, "the reason", state.Reason, os.ErrProcessDone.Error(), kept[0])
	if err := os.RemoveAll(kept[0]); err != nil {
		t.Error(err)
	}
}

// TestAProgramIsLookedAtOnce, until its file is another one or somebody asks for it.
func TestAProgramIsLookedAtOnce(t *testing.T) {
	t.Parallel()
	path := program(t, "1.2.3", "")
	r := harnesses.New(new(driver).known(path))
	see := func(what, version string, times int) {
		t.Helper()
		if state, n := stateOf(t, r), looks(t, path); state.Version != version || n != times {
			t.Errorf("%s: version %s after %d looks, want %s after %d", what, state.Version, n, version, times)
		}
	}
	see("first", "1.2.3", 1)
	see("again", "1.2.3", 1)
	write(t, path, strings.Replace(says, "%s", "1.3.0", 1))
	see("replaced", "1.3.0", 2)
	see("replaced, again", "1.3.0", 2)
	r.Forget("other")
	see("another is forgotten", "1.3.0", 2)
	r.Forget("small")
	see("forgotten", "1.3.0", 3)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if state := stateOf(t, r); state.Available {
		t.Errorf("it is gone: %+v", state)
	}
	write(t, path, strings.Replace(says, "%s", "1.4.0", 1))
	see("back", "1.4.0", 4)
}

// TestAProgramThatIsNowhereIsSoughtInPATHOnceASecond, and as soon as somebody asks for it.
func TestAProgramThatIsNowhereIsSoughtInPATHOnceASecond(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	known := new(driver).known("")
	known.Command = "small-agent"
	r := harnesses.New(known)
	if state := stateOf(t, r); state.Available {
		t.Fatalf("state %+v", state)
	}
	write(t, filepath.Join(dir, "small-agent"), strings.Replace(says, "%s", "1.4.0", 1))
	if state := stateOf(t, r); state.Available {
		t.Errorf("sought again at once: %+v", state)
	}
	r.Forget("small")
	if state := stateOf(t, r); state.Version != "1.4.0" {
		t.Errorf("asked for: %+v", state)
	}
}

func TestALookIsShared(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	if err := syscall.Mkfifo(path+".gate", 0o600); err != nil {
		t.Fatal(err)
	}
	write(t, path, "#!/bin/sh\necho look >> \"$0.looks\"\nread -r version < \"$0.gate\"\necho $version\n")
	r := harnesses.New(new(driver).known(path))
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			if states := r.States(t.Context()); states[1].Version != "1.5.0" {
				t.Errorf("state %+v", states[1])
			}
		})
	}
	gate, err := os.OpenFile(path+".gate", os.O_WRONLY, 0) // it opens when the program reads
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gate.WriteString("1.5.0\n"); err != nil {
		t.Error(err)
	}
	_ = gate.Close()
	callers.Wait()
	if n := looks(t, path); n != 1 {
		t.Errorf("%d looks", n)
	}
}

// TestALookThatIsCutShortIsNoLook: who gave up waiting says nothing of the program.
func TestALookThatIsCutShortIsNoLook(t *testing.T) {
	t.Parallel()
	r := harnesses.New(new(driver).known(program(t, "1.2.3", "")))
	gone, leave := context.WithCancel(t.Context())
	leave()
	if states := r.States(gone); states[1].Available {
		t.Errorf("state %+v", states[1])
	}
	if state := stateOf(t, r); !state.Available {
		t.Errorf("state %+v", state)
	}
}

// TestAProgramThatHangsHoldsNobodyUpTwice: that it gave no answer is remembered for a while.
func TestAProgramThatHangsHoldsNobodyUpTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	write(t, path, "#!/bin/sh\necho look >> \"$0.looks\"\nexec sleep 1000\n")
	r := harnesses.New(new(driver).known(path))
	for range 3 {
		if state := stateOf(t, r); state.Available || !strings.Contains(state.Reason, "it gave no answer within 5s") {
			t.Errorf("state %+v", state)
		}
	}
	if n := looks(t, path); n != 1 {
		t.Errorf("%d looks", n)
	}
}

func TestARegistryFindsItsPrograms(t *testing.T) {
	t.Parallel()
	r := harnesses.New(new(driver).known(""))
	if p, ok := r.Program("small"); !ok || p.Variable != "AGENTRUN_SMALL" || len(r.Programs()) != 1 {
		t.Errorf("program %+v, %v", p, ok)
	}
	for _, id := range []string{harnesses.Pi, "other", ""} {
		if _, ok := r.Program(id); ok {
			t.Errorf("%q is a program", id)
		}
	}
}

// TestAProgramIsFoundByARelativePath: it is started in a folder of its own, and has to be found from there.
func TestAProgramIsFoundByARelativePath(t *testing.T) {
	path := program(t, "1.2.3", "")
	t.Chdir(filepath.Dir(path))
	p := new(driver).known("./" + filepath.Base(path))
	if found, lacking := p.Find(); found != path || lacking != "" {
		t.Errorf("it is at %q, %q; want %s", found, lacking, path)
	}
	p.Path, p.Command = "", filepath.Base(path)
	t.Setenv("PATH", ".")
	if found, lacking := p.Find(); found != path || lacking != "" {
		t.Errorf("by PATH it is at %q, %q; want %s", found, lacking, path)
	}
}
