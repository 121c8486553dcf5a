package process

import (
	"errors"
	"syscall"
	"time"
)

const (
	// grace is how long a program has to end after SIGTERM.
	grace = 300 * time.Millisecond
	// stopWait is how long a killed program may take to end.
	stopWait = time.Second
)

// Stop ends the program and everything it started: its input is closed and its group gets SIGTERM, after 300 ms SIGKILL,
// then whatever has its marker is killed. It returns nil only when nothing is left, which is checked, within 5 seconds;
// else a *LeftError. It may be called again, also at once from several goroutines.
func (p *Process) Stop() error { return p.end(grace) }

func (p *Process) end(grace time.Duration) error {
	p.stopping.Lock()
	defer p.stopping.Unlock()
	if p.stopped {
		return nil
	}
	_ = p.stdin.Close()
	if grace > 0 {
		p.signal(syscall.SIGTERM)
		within(grace, p.done)
	}
	p.signal(syscall.SIGKILL)
	ended := within(stopWait, p.done)
	err := Sweep(p.marker)
	closeAll(p.ours()) // whoever still reads is told that it is over
	within(lastWords, p.told)
	if !ended && !within(0, p.done) {
		left := &LeftError{}
		if !errors.As(err, &left) || !left.has(p.pid) {
			err = errors.Join(err, &LeftError{Left: []Stray{{PID: p.pid, Program: p.name}}})
		}
	}
	p.stopped = err == nil
	return err
}

// signal signals the program's process group for as long as the group's number cannot be another's.
func (p *Process) signal(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.reaped {
		_ = syscall.Kill(-p.pid, signal)
	}
}
