// Package supervise owns the local worker processes of a server: it starts them, hands them their secrets by pipe, sees
// them die or stall, starts others, and drains them. It does not know what a run is: whoever asked for it is told which
// worker went.
package supervise

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// restartWait is how long a slot waits after a worker that never became ready; one that did is replaced at once.
const restartWait = time.Second

// Options say what to run.
type Options struct {
	// Command is the program and its arguments for a worker.
	Command []string
	// Env is the whole environment of a worker: no secret is ever in it.
	Env []string
	// Setup is what a worker is told through its standard input, given the id made for it.
	Setup func(worker string) any
	// NewID makes the id of a worker process.
	NewID func() string
	// Ready tells whether a worker ever came to work: one that did not is not replaced at once.
	Ready func(worker string) bool
	// Gone is told of every worker that went without being asked to.
	Gone  func(worker string, pid int, why string)
	Log   *slog.Logger
	Count int
	// Stderr takes the workers' log lines.
	Stderr io.Writer
}

// Pool is a server's worker processes.
type Pool struct {
	options Options
	mu      sync.Mutex
	live    map[string]*child
	stopped bool
	group   sync.WaitGroup
	stop    chan struct{}
}

type child struct {
	worker  string
	command *exec.Cmd
	stdin   io.WriteCloser
	exited  chan struct{}
}

// Start starts the workers.
func Start(options Options) (*Pool, error) {
	pool := &Pool{options: options, live: map[string]*child{}, stop: make(chan struct{})}
	for range options.Count {
		first, err := pool.spawn()
		if err != nil {
			_ = pool.Stop(context.Background())
			return nil, err
		}
		pool.group.Go(func() { pool.keep(first) })
	}
	return pool, nil
}

// spawn starts one worker process and gives it its setup. Its standard input stays open: a worker ends when it closes,
// so none outlives this process however that ends.
func (p *Pool) spawn() (*child, error) {
	command := exec.Command(p.options.Command[0], p.options.Command[1:]...) //nolint:noctx // it ends by Stop, which lets it drain
	command.Env = p.options.Env
	command.Stderr = p.options.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's Ctrl-C is the server's to pass on
	stdin, err := command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	worker := p.options.NewID()
	setup, err := json.Marshal(p.options.Setup(worker))
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if _, err := stdin.Write(append(setup, '\n')); err != nil {
		p.options.Log.Warn("a worker did not take its setup", "worker", worker, "error", err)
	}
	c := &child{
		worker: worker, command: command, stdin: stdin, exited: make(chan struct{}),
	}
	p.mu.Lock()
	p.live[worker] = c
	p.mu.Unlock()
	return c, nil
}

// keep waits for a slot's worker and replaces it until the pool stops.
func (p *Pool) keep(c *child) {
	for {
		err := c.command.Wait()
		_ = c.stdin.Close()
		p.mu.Lock()
		delete(p.live, c.worker)
		stopped := p.stopped
		p.mu.Unlock()
		close(c.exited)
		if stopped {
			return
		}
		why := "exit status 0"
		if err != nil {
			why = err.Error()
		}
		ready := p.options.Ready(c.worker)
		p.options.Gone(c.worker, c.command.Process.Pid, why)
		if !ready && !p.wait(restartWait) {
			return
		}
		for {
			next, err := p.spawn()
			if err == nil {
				c = next
				break
			}
			p.options.Log.Error("a worker could not be started; trying again", "error", err)
			if !p.wait(restartWait) {
				return
			}
		}
	}
}

// wait sleeps and tells whether the pool still goes on.
func (p *Pool) wait(d time.Duration) bool {
	select {
	case <-p.stop:
		return false
	case <-time.After(d):
		return true
	}
}

// Kill ends one worker at once, if it is still there.
func (p *Pool) Kill(worker string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.live[worker]; c != nil {
		_ = c.command.Process.Kill()
	}
}

// Stop asks every worker to drain, and kills what is left when the context ends.
func (p *Pool) Stop(ctx context.Context) error {
	p.mu.Lock()
	if !p.stopped {
		p.stopped = true
		close(p.stop)
	}
	children := make([]*child, 0, len(p.live))
	for _, c := range p.live {
		children = append(children, c)
		_ = c.command.Process.Signal(syscall.SIGTERM)
	}
	p.mu.Unlock()
	for _, c := range children {
		select {
		case <-c.exited:
		case <-ctx.Done():
			_ = c.command.Process.Kill()
			<-c.exited
		}
	}
	p.group.Wait()
	return ctx.Err()
}

// Environment keeps of an environment what a worker may have: where programs, temporary files and time zones are, and
// nothing else, so that no key of the server's environment reaches a child.
func Environment() []string {
	var kept []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value, ok := os.LookupEnv(name); ok {
			kept = append(kept, name+"="+value)
		}
	}
	return kept
}
