// Package process owns one program of somebody else's and everything it starts, from the first to the last: it is started
// confined to one address, it dies with this process, and once it is stopped nothing of it is left, which is checked.
// Linux only.
//
// It must not know what the program is or what is said to it.
package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// MarkerName is the environment variable by which everything a program started is found again.
const MarkerName = "AGENTRUN_HARNESS"

// Options say what to start.
type Options struct {
	// Program is a path, or a name to be found on PATH.
	Program string
	Args    []string
	// Env is the whole environment; MarkerName is added to it.
	Env []string
	// Dir is the working folder; empty is this process's own.
	Dir string
	// Marker is unique to this start. It must not be empty.
	Marker string
	// Gate is the one address the program can reach. Nil is none: the program then has the network of this process.
	Gate *Gate
	// Stderr is told the lines of the standard error, in order, cut at 8 KiB. Nil throws them away.
	Stderr func(line string)
}

// Process is a program under way.
type Process struct {
	name, marker string
	stdin        *os.File
	stdout       *output
	stderr       *os.File // nil where nobody is told
	told         chan struct{}
	done         chan struct{}

	// mu keeps the process group's number ours: it may be signalled while the program is not reaped.
	mu     sync.Mutex
	pid    int
	reaped bool
	exit   string
	// unwanted says that whoever asked for the program has gone.
	unwanted bool

	stopping sync.Mutex
	stopped  bool
}

// Start starts a program. The context bounds the start only: where it ends before the program runs, and on every other
// failure, what was started is killed first, and a *LeftError is in the error if that did not succeed.
func Start(ctx context.Context, o Options) (*Process, error) {
	if err := checkMarker(o.Marker); err != nil {
		return nil, err
	}
	path, err := exec.LookPath(o.Program)
	if err == nil {
		path, err = filepath.Abs(path) // the working folder changes, and a path's meaning must not
	}
	if err != nil {
		return nil, fmt.Errorf("find the program %s: %w", o.Program, err)
	}
	p, err := start(ctx, o, path)
	if err != nil {
		return nil, fmt.Errorf("start %s in %q: %w", o.Program, o.Dir, err)
	}
	return p, nil
}

// checkMarker refuses markers that would not find exactly one program's processes.
func checkMarker(marker string) error {
	if marker == "" || strings.ContainsRune(marker, 0) {
		return fmt.Errorf("the marker %q of a program is empty or has a NUL in it", marker)
	}
	return nil
}

// Stdin is the program's standard input; a write to it blocks while the program does not read, until Stop.
func (p *Process) Stdin() io.WriteCloser { return p.stdin }

// Stdout is the program's standard output. It ends when everything that writes to it has gone, and at the latest by Stop.
func (p *Process) Stdout() io.Reader { return p.stdout }

// PID is the program's process id.
func (p *Process) PID() int { return p.pid }

// Done is closed when the program has ended; what it started outside its process group may still run until Stop.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how the program ended ("exit status 1", "killed"), "" while it runs.
func (p *Process) Exit() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// output reads as ended once Stop has closed it.
type output struct{ file *os.File }

// Read reads what the program wrote.
func (o *output) Read(b []byte) (int, error) {
	n, err := o.file.Read(b)
	if errors.Is(err, os.ErrClosed) {
		return n, io.EOF
	}
	return n, err
}

// environment is what the program is given.
func environment(o Options) []string {
	return append(slices.Clone(o.Env), MarkerName+"="+o.Marker)
}

// within waits for a channel to close, but not for longer than d, and tells whether it did.
func within(d time.Duration, closed <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-closed:
		return true
	case <-timer.C:
		return false
	}
}
