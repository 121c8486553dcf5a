package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// sweepWait is how long a sweep goes on.
	sweepWait = 3 * time.Second
	// sweepPause is the wait between two looks at the processes, which the kernel needs to end what was killed.
	sweepPause = 5 * time.Millisecond
)

// LeftError says what is left of a program that could not be ended.
type LeftError struct{ Left []Stray }

// Stray is a process that a program left behind.
type Stray struct {
	PID     int
	Program string
}

// Error names the processes.
func (e *LeftError) Error() string {
	names := make([]string, 0, len(e.Left))
	for _, stray := range e.Left {
		names = append(names, fmt.Sprintf("%s (process %d)", stray.Program, stray.PID))
	}
	return "killed, but still there: " + strings.Join(names, ", ")
}

func (e *LeftError) has(pid int) bool {
	for _, stray := range e.Left {
		if stray.PID == pid {
			return true
		}
	}
	return false
}

// Sweep kills every process whose environment has exactly this marker, until none is left. After 3 seconds it gives up
// with a *LeftError. Only processes that were started with the marker and whose environment this user may read are found:
// a process that has forbidden its own inspection is seen by root and, where it is confined, by whoever confined it.
func Sweep(marker string) error {
	if err := checkMarker(marker); err != nil {
		return err
	}
	deadline := time.Now().Add(sweepWait)
	clean := false
	for {
		left, err := marked(marker, deadline)
		if err != nil {
			return err
		}
		if len(left) == 0 {
			if clean {
				return nil
			}
			clean = true // a second look sees what a process forked between the list and its own end
			continue
		}
		clean = false
		var faults []error
		for _, stray := range left {
			if err := kill(stray.PID, marker); err != nil {
				faults = append(faults, fmt.Errorf("kill process %d (%s): %w", stray.PID, stray.Program, err))
			}
		}
		if len(faults) > 0 {
			return errors.Join(append(faults, &LeftError{Left: left})...)
		}
		if time.Now().After(deadline) {
			return &LeftError{Left: left}
		}
		time.Sleep(sweepPause)
	}
}

// marked lists the processes that have the marker, or of which that cannot be told by the deadline.
func marked(marker string, deadline time.Time) ([]Stray, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list the processes: %w", err)
	}
	var found []Stray
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		saw := look(pid, marker)
		for saw == unsure && time.Now().Before(deadline) {
			time.Sleep(sweepPause / 5)
			saw = look(pid, marker)
		}
		if saw != without {
			found = append(found, Stray{PID: pid, Program: programOf(pid)})
		}
	}
	return found, nil
}

// kill kills a process if it still is the one that has the marker. The handle is taken before the environment is read:
// a number that has become another process's meanwhile is never signalled.
func kill(pid int, marker string) error {
	process, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	defer func() { _ = process.Release() }()
	if err := process.WithHandle(func(uintptr) {}); err != nil {
		if errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone) {
			return nil
		}
		return fmt.Errorf("this system has no handles of processes (Linux 5.4 has): %w", err)
	}
	if look(pid, marker) != with {
		return nil
	}
	err = process.Signal(syscall.SIGKILL)
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
