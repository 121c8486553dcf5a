package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/agentrun/agentrun/run"
)

// lock takes the right to open the database, which SQLite itself would share with another process. The kernel gives it
// back when the process goes, however it goes.
func lock(path string) (*os.File, error) {
	name := path + ".lock"
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the store's lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, lockedBy(name, path)
		}
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if err := file.Truncate(0); err == nil {
		// Who holds it is only a hint for people: a full disk must not keep the store from opening.
		_, _ = file.WriteAt([]byte(fmt.Sprintf("%d\n", os.Getpid())), 0)
	}
	return file, nil
}

func lockedBy(name, path string) error {
	holder := "another process"
	if data, err := os.ReadFile(name); err == nil {
		if pid := strings.TrimSpace(string(data)); pid != "" {
			holder = "process " + pid
		}
	}
	return run.Errorf(ErrLocked,
		"the database %s is open in %s: stop that one first, or choose another data directory", path, holder)
}
