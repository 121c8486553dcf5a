package api

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

func TestPrepareLeavesNothingWhereAFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := NewRunFiles(func(id string) string { return filepath.Join(dir, id, "work") },
		places.Options{NoSync: true, MaxFileBytes: 10})
	_, _, err := files.Prepare(t.Context(), "r", []File{{Path: "a", Content: []byte("fits")}, {Path: "b", Content: make([]byte, 11)}})
	if run.CodeOf(err) != run.ErrTooLarge {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "r", "work")); !os.IsNotExist(err) {
		t.Errorf("left: %v", err)
	}
	manifest, names, err := files.Prepare(t.Context(), "r", nil)
	if manifest != "" || names != nil || err != nil {
		t.Errorf("%q %v %v", manifest, names, err)
	}
}

func TestAFullDiskIsSaid(t *testing.T) {
	t.Parallel()
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if err := full(fmt.Errorf("write a: %w", errno)); run.CodeOf(err) != run.ErrStoreFull {
			t.Errorf("%v: %v", errno, err)
		}
	}
	if err := full(syscall.EIO); run.CodeOf(err) != "" {
		t.Errorf("%v", err)
	}
}
