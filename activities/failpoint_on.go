//go:build failpoints

package activities

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A build with the tag failpoints stops at the point that the file AGENTRUN_FAILPOINTS names: a line
// "<point> <n> <action>" acts when the point is passed the n-th time, once (the file is renamed first, so that only one
// process acts). The actions: kill (this process), kill-server (the parent, then this process), stall (SIGSTOP),
// kill-program (the run's command-line agents).
var failpoints struct {
	sync.Mutex
	passed map[string]int
}

func failpoint(point, runID string) {
	path := filepath.Join(os.TempDir(), "failpoint")
	data, err := os.ReadFile(path)
	if err != nil {
		return
	}
	fields := strings.Fields(string(data))
	if len(fields) != 3 || fields[0] != point {
		return
	}
	failpoints.Lock()
	defer failpoints.Unlock()
	if failpoints.passed == nil {
		failpoints.passed = map[string]int{}
	}
	failpoints.passed[point]++
	if n, err := strconv.Atoi(fields[1]); err != nil || failpoints.passed[point] != n {
		return
	}
	if os.Rename(path, fmt.Sprintf("%s.hit", path)) != nil {
		return
	}
	failpoints.passed = nil // the next file counts anew
	self := os.Getpid()
	switch fields[2] {
	case "kill-server":
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
		fallthrough
	case "kill":
		_ = syscall.Kill(self, syscall.SIGKILL)
	case "kill-program":
		killPrograms(runID)
		return
	case "stall":
		_ = syscall.Kill(self, syscall.SIGSTOP)
	}
	time.Sleep(time.Second) // the signal is on its way
}

// killPrograms kills every process that bears the run's mark.
func killPrograms(runID string) {
	names, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(data), "AGENTRUN_HARNESS="+runID+"/") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
