// Package clitest finds the real command-line agents for tests that drive them. A test that finds none is skipped, and
// says how to get it.
//
// It must not install anything, nor fall back on a program of the PATH: a test says which version it has seen.
package clitest

import (
	"os"
	"path/filepath"
	"testing"
)

// The programs, below the folder that `make test-harness` installs them in.
const (
	claudePath = "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
	codexPath  = "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
)

// Claude is the path of the real Claude Code: AGENTRUN_TEST_CLAUDE, else the one in .harness at the repository's root.
func Claude(t testing.TB) string {
	t.Helper()
	return find(t, "Claude Code", "AGENTRUN_TEST_CLAUDE", claudePath)
}

// Codex is the path of the real Codex: AGENTRUN_TEST_CODEX, else the one in .harness at the repository's root.
func Codex(t testing.TB) string {
	t.Helper()
	return find(t, "Codex", "AGENTRUN_TEST_CODEX", codexPath)
}

// find skips the test where the program is not there. A variable that is set must name a program: a run that was told
// which one to use must not pass by skipping it.
func find(t testing.TB, name, variable, path string) string {
	t.Helper()
	if named := os.Getenv(variable); named != "" {
		if !program(named) {
			t.Fatalf("%s=%s is not a program", variable, named)
		}
		return named
	}
	if root := root(t); root != "" {
		if installed := filepath.Join(root, ".harness", filepath.FromSlash(path)); program(installed) {
			return installed
		}
	}
	t.Skipf("needs the real %s: run `make test-harness`, or name the program in %s", name, variable)
	return ""
}

// root is the nearest folder above the test's that has a go.mod, "" for none.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatalf("find the repository: %v", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}

// program tells whether the path is a file that may be run.
func program(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
