package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// nextBuild names, in place of build tags, a build whose workflow code is another: it begins with a timer, which no
// recorded history has.
const nextBuild = "next"

// overlay writes what a build of nextBuild puts in place of the workflow's source.
func overlay(t *testing.T, dir string) string {
	t.Helper()
	const first = "\tposition, err := driver.step(stepsContext, activities.OpenName"
	source, err := filepath.Abs("../workflows/run.go")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), first) != 1 {
		t.Fatal("the workflow's first step is not where this test looks for it")
	}
	changed := strings.Replace(string(text), first, "\t_ = workflow.Sleep(stepsContext, time.Millisecond)\n"+first, 1)
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{source: filepath.Join(dir, "run.go")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"run.go": []byte(changed), "overlay.json": list} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "overlay.json")
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
		args := []string{"build", "-tags", tags, "-o", path}
		if tags == nextBuild {
			args = append(args, "-overlay", overlay(t, binaries.dir))
		}
		build := exec.Command("go", append(args, "../cmd/agentrun")...)
		if output, err := build.CombinedOutput(); err != nil {
			binaries.err[tags] = fmt.Errorf("build: %w\n%s", err, output)
		}
	})
	if err := binaries.err[tags]; err != nil {
		t.Fatal(err)
	}
	return path
}
