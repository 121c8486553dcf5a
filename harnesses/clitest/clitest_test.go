package clitest

import (
	"os"
	"path/filepath"
	"testing"
)

// told is a test that notes how it was ended instead of ending.
type told struct {
	testing.TB

	skipped, failed bool
}

func (t *told) Helper()               {}
func (t *told) Skipf(string, ...any)  { t.skipped = true }
func (t *told) Fatalf(string, ...any) { t.failed = true }

// repository makes a checkout with or without the program, and makes a folder deep in it the working folder.
func repository(t *testing.T, mode os.FileMode) string {
	t.Helper()
	root := t.TempDir()
	deep := filepath.Join(root, "harnesses", "deep")
	installed := filepath.Join(root, ".harness", filepath.FromSlash(claudePath))
	for _, folder := range []string{deep, filepath.Dir(installed)} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if mode != 0 {
		if err := os.WriteFile(installed, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(deep)
	return installed
}

func TestTheProgramOfTheCheckoutIsFoundFromAnyFolder(t *testing.T) {
	t.Setenv("AGENTRUN_TEST_CLAUDE", "")
	installed := repository(t, 0o700)
	if got := Claude(t); got != installed {
		t.Errorf("found %q, want %q", got, installed)
	}
}

func TestWithoutAProgramTheTestIsSkipped(t *testing.T) {
	t.Setenv("AGENTRUN_TEST_CLAUDE", "")
	for name, mode := range map[string]os.FileMode{"no file": 0, "a file that is no program": 0o600} {
		t.Run(name, func(t *testing.T) {
			repository(t, mode)
			test := told{TB: t}
			if got := Claude(&test); got != "" || !test.skipped || test.failed {
				t.Errorf("found %q, skipped %v, failed %v", got, test.skipped, test.failed)
			}
		})
	}
}

func TestAVariableNamesTheProgram(t *testing.T) {
	program := filepath.Join(t.TempDir(), "codex")
	t.Setenv("AGENTRUN_TEST_CODEX", program)
	test := told{TB: t}
	if Codex(&test); !test.failed || test.skipped {
		t.Errorf("a variable that names nothing: failed %v, skipped %v", test.failed, test.skipped)
	}
	if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	if got := Codex(t); got != program {
		t.Errorf("found %q, want %q", got, program)
	}
}
