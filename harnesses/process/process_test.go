package process_test

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses/process"
)

func TestAProgramIsSpokenToAndHeard(t *testing.T) {
	t.Parallel()
	gates(t, func(t *testing.T, confined bool) {
		p := shell(t, "while read line; do echo \"heard $line\"; done", confined)
		if p.Exit() != "" {
			t.Errorf("it runs and has ended: %s", p.Exit())
		}
		out := bufio.NewReader(p.Stdout())
		for _, word := range []string{"one", "two"} {
			if _, err := io.WriteString(p.Stdin(), word+"\n"); err != nil {
				t.Fatal(err)
			}
			line, err := out.ReadString('\n')
			if err != nil || line != "heard "+word+"\n" {
				t.Fatalf("%q, %v", line, err)
			}
		}
		if err := p.Stdin().Close(); err != nil {
			t.Fatal(err)
		}
		ended(t, p)
		if p.Exit() != "exit status 0" {
			t.Errorf("exit %q", p.Exit())
		}
	})
}

func TestHowAProgramEnds(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]struct{ open, confined string }{
		"exit 0":                     {"exit status 0", "exit status 0"},
		"exit 7":                     {"exit status 7", "exit status 7"},
		"kill -KILL $$; exit 1":      {"killed", "exit status 1"}, // the first process among its own cannot be killed by itself
		"kill -TERM $$; exit 1":      {"terminated", "exit status 1"},
		"exec sh -c 'exit 3'":        {"exit status 3", "exit status 3"},
		"sleep 1000 & exit 4 ":       {"exit status 4", "exit status 4"}, // what it leaves in its group goes with it
		"setsid sleep 1000 & exit 5": {"exit status 5", "exit status 5"},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			gates(t, func(t *testing.T, confined bool) {
				p, exit := shell(t, script, confined), want.open
				if confined {
					exit = want.confined
				}
				ended(t, p)
				if p.Exit() != exit {
					t.Errorf("exit %q, want %q", p.Exit(), exit)
				}
				if rest, err := io.ReadAll(p.Stdout()); err != nil || len(rest) > 0 {
					t.Errorf("its output is %q, %v", rest, err)
				}
			})
		})
	}
}

func TestAProgramHasTheEnvironmentItIsGivenAndNoOther(t *testing.T) {
	t.Parallel()
	gates(t, func(t *testing.T, confined bool) {
		marker, dir := newMarker(t), t.TempDir()
		p := begin(t, process.Options{
			Program: "/usr/bin/env", Args: []string{"sh", "-c", `/usr/bin/env; echo "DIR=$(pwd)"; echo "ARGS=$0 $1"`, "a b", "c=d"},
			Env: []string{"PATH=/usr/bin:/bin", "AGENTRUN_HARNESS=another", "EMPTY="}, Dir: dir, Marker: marker, Gate: openGate(t, confined),
		})
		out, err := io.ReadAll(p.Stdout())
		if err != nil {
			t.Fatal(err)
		}
		lines := slices.DeleteFunc(strings.Fields(string(out)), func(line string) bool {
			return strings.HasPrefix(line, "PWD=") || strings.HasPrefix(line, "_=") || strings.HasPrefix(line, "OLDPWD=") || strings.HasPrefix(line, "SHLVL=")
		})
		slices.Sort(lines)
		want := []string{"AGENTRUN_HARNESS=" + marker, "ARGS=a", "DIR=" + dir, "EMPTY=", "PATH=/usr/bin:/bin", "b", "c=d"}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Error(diff)
		}
	})
}

func TestWhatCannotBeStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "script")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct {
		program, dir string
		says         string
		is           error
	}{
		"a name that is nowhere":    {"no-such-program", "", "find the program no-such-program", nil},
		"a path that is nowhere":    {"/no/such/program", "", "find the program /no/such/program", fs.ErrNotExist},
		"a file that is no program": {filepath.Join(dir, "text"), "", "text", fs.ErrPermission},
		"a folder":                  {dir, "", "find the program", nil},
		"no interpreter":            {script, "", "script", nil},
		"no working folder":         {"/bin/sh", filepath.Join(dir, "none"), "none", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gates(t, func(t *testing.T, confined bool) {
				gate := openGate(t, confined)
				p, err := process.Start(t.Context(), process.Options{Program: tc.program, Dir: tc.dir, Marker: newMarker(t), Gate: gate})
				if err == nil {
					t.Fatal("it started: ", p.Stop())
				}
				if !strings.Contains(err.Error(), tc.says) || (tc.is != nil && !errors.Is(err, tc.is)) {
					t.Errorf("says %q", err)
				}
				if confined && gate.Listener() != nil {
					t.Error("the gate has a listener that nobody reaches")
				}
			})
		})
	}
}

func TestAMarkerIsNeeded(t *testing.T) {
	t.Parallel()
	for name, marker := range map[string]string{"none": "", "one that ends early": "a\x00b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := process.Start(t.Context(), process.Options{Program: "true", Marker: marker}); err == nil {
				t.Error("a program is started that cannot be found again")
			}
			if err := process.Sweep(marker); err == nil {
				t.Error("swept")
			}
		})
	}
}

func TestAProgramWithoutAGate(t *testing.T) {
	t.Parallel()
	p := begin(t, process.Options{Program: "echo", Args: []string{"2.1.0 (a version)"}, Marker: newMarker(t)})
	if out, err := io.ReadAll(p.Stdout()); err != nil || string(out) != "2.1.0 (a version)\n" {
		t.Errorf("%q, %v", out, err)
	}
}
