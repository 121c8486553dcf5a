package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sight is what a look at a process shows of a marker.
type sight int

const (
	without sight = iota // it has another marker or none, it has ended, or it is another user's
	with
	unsure // it is becoming another program just now
)

// look looks for the marker in a process's environment. A process has none at all for the moment in which it becomes
// another program, and that must not pass for the end of it.
func look(pid int, marker string) sight {
	want := []byte(MarkerName + "=" + marker)
	for range 3 { // a file opened before that moment is empty too, though the new program's environment is there
		environ, err := os.ReadFile(ofProcess(pid, "environ"))
		if err != nil {
			return without
		}
		for entry := range bytes.SplitSeq(environ, []byte{0}) {
			if bytes.Equal(entry, want) {
				return with
			}
		}
		if len(environ) > 0 {
			return without
		}
		stat, err := os.ReadFile(ofProcess(pid, "stat"))
		if err != nil {
			return without
		}
		if seen := lookAtStat(string(stat)); seen != with {
			return seen
		}
	}
	return without
}

// lookAtStat judges a process whose environment is empty by /proc/PID/stat (proc(5)): without where it has no memory any
// more or never had, unsure where its environment has no place yet, and with where an environment is there.
func lookAtStat(stat string) sight {
	const (
		exiting      = 0x00000004 // PF_EXITING
		kernelThread = 0x00200000 // PF_KTHREAD
	)
	_, rest, _ := strings.Cut(stat[strings.LastIndexByte(stat, ')')+1:], " ")
	fields := strings.Fields(rest) // from the third on, the state
	if len(fields) < 49 {
		return without
	}
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	switch {
	case err != nil, fields[0] == "Z", fields[0] == "X", flags&(exiting|kernelThread) != 0:
		return without
	case fields[48] == "0": // env_end
		return unsure
	default:
		return with
	}
}

// programOf is a process's name, for people.
func programOf(pid int) string {
	name, err := os.ReadFile(ofProcess(pid, "comm"))
	if err != nil {
		return "gone"
	}
	return strings.TrimSpace(string(name))
}

func ofProcess(pid int, file string) string {
	return filepath.Join("/proc", strconv.Itoa(pid), file)
}
