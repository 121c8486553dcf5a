package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
)

// smallDisk mounts a file system of its own, of so many MiB, at a new directory.
func smallDisk(t *testing.T, mib int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%dm", mib)); err != nil {
		t.Skipf("a small file system cannot be mounted here (root is needed): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// fill takes all the space that is left and answers the file that holds it.
func fill(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "ballast")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for err == nil {
		_, err = file.Write(make([]byte, 64<<10))
	}
	return path
}

// TestAFullDiskStopsNewRunsAndLosesNothing fills the disk under a server in the middle of a run.
func TestAFullDiskStopsNewRunsAndLosesNothing(t *testing.T) {
	t.Parallel()
	data := smallDisk(t, 96)
	dir := filepath.Dir(data)
	file := filepath.Join(dir, "go")
	g := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules:
  - when: {user: Go.}
    replies:
      - hold_until_file: `+file+`
        tool_calls: [{name: write, args: {path: a.txt, content: alpha}}]
      - text: Done.
  - reply: {text: Hello.}
`)
	s := start(t, setup{dir: dir, env: g.env()})
	s.agent("a", map[string]any{"tools": []string{"read", "write"}})
	id := s.ask("a", "Go.", "")
	s.requestUnderWay(id)
	ballast := fill(t, data)
	body := map[string]any{"input": map[string]any{"content": "Hello"}}
	eventually(t, 30*time.Second, func() string { return "new runs are refused" }, func() bool {
		refused := s.call(http.MethodPost, "/v2/agents/a/runs", body)
		return refused.status == http.StatusServiceUnavailable && refused.object(t)["code"] == "storage_full"
	})
	s.call(http.MethodGet, "/v2/health", nil).want(t, http.StatusServiceUnavailable)
	s.call(http.MethodGet, "/v2/runs/"+id, nil).want(t, http.StatusOK)
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, func() string { return "the model has answered" }, func() bool {
		requests := g.Requests()
		return len(requests) == 1 && requests[0].DurationMS > 0
	})
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if r := s.completes(id); r.Result.FinalAnswer != "Done." || r.Usage.ToolCalls != 1 {
		t.Errorf("after the disk had space again: %+v, %+v", r.Result, r.Usage)
	}
	if asked := g.asked(id); asked[0] != 1 || asked[1] != 1 {
		t.Errorf("asked by turn: %v", asked)
	}
	if r := s.completes(s.ask("a", "Hello", "")); r.Status != run.Completed {
		t.Errorf("a new run: %+v", r)
	}
	s.call(http.MethodGet, "/v2/health", nil).want(t, http.StatusOK)
}
