package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// smallDisk mounts a file system of its own of so many bytes.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("a small file system cannot be mounted here (root is needed): %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return dir
}

// fill leaves about so many bytes free on a disk.
func fill(t *testing.T, dir string, leave int64) {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(dir, "ballast"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for {
		var stat syscall.Statfs_t
		if err := syscall.Statfs(dir, &stat); err != nil {
			t.Fatal(err)
		}
		if int64(stat.Bavail)*stat.Bsize <= leave {
			return
		}
		if _, err := file.Write(make([]byte, pageBytes)); err != nil && !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
}

func TestAFullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 8*mib)
	b := setup(t, func(o *Options) { o.Dir = dir })
	const writers = 8
	claims := make([]journal.Claim, writers)
	for i := range claims {
		claims[i], _ = claimed(t, b.Store)
	}
	fill(t, dir, 512<<10)
	kept := make([]int, writers)
	var all sync.WaitGroup
	for i, c := range claims {
		all.Go(func() { kept[i] = appendUntilFull(t, b.Store, c, 0) })
	}
	all.Wait()
	if health := b.Check(b.ctx); !strings.Contains(health.Disk, "free some room") || health.Store != healthy {
		t.Errorf("health of a full disk: %+v", health)
	}
	_, _, err := b.CreateRun(b.ctx, newRun())
	code(t, err, run.ErrStoreFull)
	for i, c := range claims {
		checkKept(t, b.Store, c.RunID, kept[i])
	}

	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}
	for i, c := range claims {
		appended(t, b.Store, journal.Append{Claim: c, Rows: []run.Row{text(fmt.Sprintf("row/%d", kept[i]))}, After: 1 << 20})
		checkKept(t, b.Store, c.RunID, kept[i]+1)
	}
	if health := b.Check(b.ctx); health != (Health{Store: healthy, Disk: healthy}) {
		t.Errorf("health once there is room again: %+v", health)
	}
}

// appendUntilFull appends rows of 8 KiB until one is refused, and returns how many were kept.
func appendUntilFull(t *testing.T, s *Store, c journal.Claim, n int) int {
	for ; ; n++ {
		row := run.NewRow(run.RowWarning, fmt.Sprintf("row/%d", n), run.Warning{Message: strings.Repeat("x", 8<<10)}, nil)
		_, err := s.Append(t.Context(), journal.Append{Claim: c, Rows: []run.Row{row}, After: 1 << 20})
		if run.CodeOf(err) == run.ErrStoreFull {
			return n
		}
		if err != nil {
			t.Errorf("on a full disk: %v", err)
			return n
		}
	}
}

// checkKept checks that a run has the rows that were acknowledged and no other.
func checkKept(t *testing.T, s *Store, id string, want int) {
	t.Helper()
	rows := allRows(t, s, id)
	checkFold(t, s, id, rows)
	var kept int
	for _, row := range rows {
		if row.Type == run.RowWarning {
			kept++
		}
	}
	if kept != want {
		t.Errorf("run %s has %d rows, %d were acknowledged", id, kept, want)
	}
}

func TestAFullDiskAtOpeningIsSaid(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, mib)
	fill(t, dir, 0)
	_, err := Open(t.Context(), Options{Dir: dir})
	code(t, err, run.ErrStoreFull)
}

func TestTheLastRoomIsKeptForRunningRuns(t *testing.T) {
	t.Parallel()
	dir := smallDisk(t, 16*mib)
	b := setup(t, func(o *Options) { o.Dir, o.ReserveBytes = dir, 4*mib })
	c, head := claimed(t, b.Store)
	fill(t, dir, 3*mib)
	_, _, err := b.CreateRun(b.ctx, newRun())
	code(t, err, run.ErrStoreFull)
	if !strings.Contains(err.Error(), "free some room") {
		t.Errorf("the error does not say what to do: %v", err)
	}
	appended(t, b.Store, journal.Append{Claim: c, Rows: []run.Row{text("still goes on")}, After: head})
	if health := b.Check(b.ctx); health.Disk == healthy {
		t.Error("the health check does not report it")
	}
	if err := os.Remove(filepath.Join(dir, "ballast")); err != nil {
		t.Fatal(err)
	}
	created(t, b.Store)
}
