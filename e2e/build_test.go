package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var binaries struct {
	dir  string
	once map[string]*sync.Once
	err  map[string]error
	mu   sync.Mutex
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "agentrun-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries.dir, binaries.once, binaries.err = dir, map[string]*sync.Once{}, map[string]error{}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// binary builds the program once for a set of build tags ("" is the program as people run it) and gives its path.
func binary(t *testing.T, tags string) string {
	t.Helper()
	binaries.mu.Lock()
	once := binaries.once[tags]
	if once == nil {
		once = new(sync.Once)
		binaries.once[tags] = once
	}
	binaries.mu.Unlock()
	path := filepath.Join(binaries.dir, "agentrun"+tags)
	once.Do(func() {
		build := exec.Command("go", "build", "-tags", tags, "-o", path, "../cmd/agentrun")
		if output, err := build.CombinedOutput(); err != nil {
			binaries.err[tags] = fmt.Errorf("build: %w\n%s", err, output)
		}
	})
	if err := binaries.err[tags]; err != nil {
		t.Fatal(err)
	}
	return path
}
