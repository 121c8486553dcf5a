package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestTheDemoPlaysItself runs `agentrun demo --once` as a newcomer does: it survives a kill, keeps a cap, and ends.
func TestTheDemoPlaysItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	command := exec.Command(binary(t, ""), "demo", "--once")
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}
	began := time.Now()
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for _, said := range []string{
		"kill -9", "another worker goes on from the journal (epoch 2)", "notes.md and upgrade.md are ready",
		"2 changes, 3 requests", "the cap does not buy the next request", "Done in",
	} {
		if !strings.Contains(string(output), said) {
			t.Errorf("the demo does not say %q:\n%s", said, output)
		}
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("the demo took %s", took)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the demo left %v, %v", left, err)
	}
}
