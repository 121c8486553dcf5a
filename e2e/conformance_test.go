package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestThePublishedCasesOnTheRealEngine plays them (workflows/conformance_test.go) on a server's own embedded engine.
func TestThePublishedCasesOnTheRealEngine(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("AGENTRUN_CONFORMANCE")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "conformance")
	}
	if paths, err := filepath.Glob(filepath.Join(folder, "*.json")); err != nil || len(paths) == 0 {
		t.Skip("there are no conformance cases here: name their folder in AGENTRUN_CONFORMANCE")
	}
	dir := t.TempDir()
	s := start(t, setup{dir: dir, flags: []string{"--faux", "default", "--engine-token-file", filepath.Join(dir, "engine-token")}})
	play := exec.Command("go", "test", "-count=1", "-run", "ComeOutAlikeOnTheDurableHost", "../workflows")
	play.Env = append(os.Environ(), "AGENTRUN_ENGINE="+s.engineAddress()+" "+s.engineToken())
	if output, err := play.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, tail(string(output)))
	}
}
