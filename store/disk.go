package store

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/agentrun/agentrun/run"
)

const (
	mib = 1 << 20
	// defaultReserve and reserveShare: see Options.ReserveBytes.
	defaultReserve = 64 * mib
	reserveShare   = 20
	// noRoomBytes is the free room below which a failed write is put down to it. SQLite reports some as plain I/O errors.
	noRoomBytes = 128 << 10
)

// diskState knows the room on the data directory's file system and how the last write went.
type diskState struct {
	dir     string
	reserve int64

	mu   sync.Mutex
	last error
}

func newDiskState(options Options) *diskState {
	return &diskState{dir: options.Dir, reserve: options.ReserveBytes}
}

// room is the free and the kept room in bytes; ok is false where the system does not say.
func (d *diskState) room() (free, kept int64, ok bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &stat); err != nil {
		return 0, 0, false
	}
	free = int64(stat.Bavail) * stat.Bsize
	switch {
	case d.reserve > 0:
		kept = d.reserve
	case d.reserve == 0:
		kept = min(defaultReserve, int64(stat.Blocks)*stat.Bsize/reserveShare)
	}
	return free, kept, true
}

// admit refuses new work where only the room kept for running runs is left.
func (d *diskState) admit() error {
	free, kept, ok := d.room()
	if !ok || free >= kept {
		return nil
	}
	return run.Errorf(run.ErrStoreFull, "the disk of %s has %d MiB left, which are kept for the runs under way (%d MiB): "+
		"free some room, then try again", d.dir, free/mib, kept/mib)
}

// explain gives a failed write its code.
func (d *diskState) explain(err error) error {
	if run.CodeOf(err) != "" {
		return err
	}
	code := sqliteCode(err)
	full := code&0xff == sqlite3.SQLITE_FULL || errors.Is(err, syscall.ENOSPC)
	if code&0xff == sqlite3.SQLITE_IOERR || code&0xff == sqlite3.SQLITE_CANTOPEN {
		free, _, ok := d.room()
		full = full || (ok && free < noRoomBytes)
	}
	if full {
		return storeFull(err)
	}
	return fmt.Errorf("write the store: %w", err)
}

func storeFull(cause error) error {
	return run.Errorf(run.ErrStoreFull, "the disk is full, so this was not saved: free some room, then try again (%w)", cause)
}

func (d *diskState) failed(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = err
}

func (d *diskState) wrote() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.last = nil
}

func (d *diskState) lastFailure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}
