package process

import (
	"errors"
	"syscall"
	"time"
)

// stopWait is how long a killed program may take to end.
const stopWait = time.Second

// Stop ends the program and everything it started: its group is killed, then whatever else has its marker. Nothing of a
// session is kept, so no program is given time to put its things in order. It returns nil only when nothing is left,
// which is checked, within 5 seconds; else a *LeftError. It may be called again, also at once from several goroutines.
func (p *Process) Stop() error {
	p.stopping.Lock()
	defer p.stopping.Unlock()
	if p.stopped {
		return nil
	}
	_ = p.stdin.Close()
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
