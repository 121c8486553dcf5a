package places

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAFailedWriteLeavesNoTemporaryFile fails at the rename, which a directory that came meanwhile refuses.
func TestAFailedWriteLeavesNoTemporaryFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	workspace, err := OpenWorkspace(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer workspace.Close()
	if err := os.MkdirAll(filepath.Join(dir, "x", "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	err = workspace.put("x", []byte("content"), DefaultMode)
	if err == nil || !strings.HasPrefix(err.Error(), `write "x": `) || strings.Contains(err.Error(), dir) {
		t.Errorf("error %v, want one that names x and nothing of the server's disk", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func TestASweepLeavesThisProcessAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	own := filepath.Join(dir, ownTemp+"1")
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	workspace, err := OpenWorkspace(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer workspace.Close()
	if _, err := os.Lstat(own); err != nil {
		t.Errorf("a write under way lost its file: %v", err)
	}
}
