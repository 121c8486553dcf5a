package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agentrun/agentrun/run"
)

// dataDir is a server's data directory, locked for this process.
type dataDir struct {
	path string
	lock *os.File
}

// openDataDir makes and locks the directory. One that another server holds is refused with that server's pid.
func openDataDir(path string) (*dataDir, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	name := filepath.Join(path, "serve.lock")
	lock, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		holder, _ := os.ReadFile(name)
		_ = lock.Close()
		return nil, run.Errorf(run.ErrConflict,
			"%s is in use by the server with pid %s; stop that one first, or name another --data directory", path,
			strings.TrimSpace(string(holder)))
	}
	if err := lock.Truncate(0); err == nil {
		_, _ = fmt.Fprintln(lock, os.Getpid()) // for the refusal above; the lock holds without it
	}
	return &dataDir{path: path, lock: lock}, nil
}

func (d *dataDir) join(parts ...string) string {
	return filepath.Join(append([]string{d.path}, parts...)...)
}

// workDir is a run's work folder.
func (d *dataDir) workDir(runID string) string { return d.join("runs", runID, "work") }

// tries is where programs are tried. What is in it is of no later server's use.
func (d *dataDir) tries() string { return d.join("tries") }

func (d *dataDir) close() error { return d.lock.Close() }

// token is what clients send. It is made at the first start, which is when fresh is true.
func (d *dataDir) token() (token string, fresh bool, err error) {
	name := d.join(".token")
	data, err := os.ReadFile(name)
	if err == nil {
		if err := os.Chmod(name, 0o600); err != nil {
			return "", false, fmt.Errorf("token: %w", err)
		}
		if token = strings.TrimSpace(string(data)); token != "" {
			return token, false, nil
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", false, fmt.Errorf("token: %w", err)
	}
	token = "ar_local_" + randomHex()
	if err := os.WriteFile(name, []byte(token+"\n"), 0o600); err != nil {
		return "", false, fmt.Errorf("token: %w", err)
	}
	return token, true, nil
}

// randomHex is 32 random bytes in hex.
func randomHex() string {
	var secret [32]byte
	_, _ = rand.Read(secret[:]) // never fails
	return hex.EncodeToString(secret[:])
}
