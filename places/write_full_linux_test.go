package places_test

import (
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// TestAFullDiskIsSaidAndChangesNothing needs a small file system of its own, which not every machine lets a test mount.
func TestAFullDiskIsSaidAndChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := syscall.Mount("agentrun-test", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	workspace := openAt(t, dir, places.Options{})
	if _, err := workspace.Write("x", []byte("as it was"), 0); err != nil {
		t.Fatal(err)
	}
	before := everything(t, workspace)
	_, err := workspace.Write("x", make([]byte, 1<<20), 0)
	wantCode(t, "write", err, run.ErrStoreFull)
	if diff := cmp.Diff(before, everything(t, workspace)); diff != "" {
		t.Errorf("the workspace changed (-before +after):\n%s", diff)
	}
	if _, err := workspace.Write("x", []byte("small enough"), 0); err != nil {
		t.Errorf("after the full disk: %v", err)
	}
}
