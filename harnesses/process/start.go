package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// startWait bounds a start for which the context has no earlier end, and what a start still takes once it is not
	// wanted any more.
	startWait = 20 * time.Second
	// lastWords is how long the end of a program waits for the rest of its standard error.
	lastWords = 200 * time.Millisecond
)

// start starts the program at path, or only what confines one where path is empty.
func start(ctx context.Context, o Options, path string) (*Process, error) {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if o.Gate != nil {
		if ready := o.Gate.taken(); ready != nil {
			if p, did, err := ready.become(ctx, o, path); did || err != nil {
				return p, err
			}
		}
	}
	p, call, err := fork(ctx, o, path)
	if err != nil {
		return nil, err
	}
	go p.tell(o.Stderr)
	if call != nil {
		defer call.close()
		if err := call.finish(ctx, o.Gate); err != nil {
			return nil, errors.Join(err, p.Stop())
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(err, p.Stop())
	}
	return p, nil
}

// fork starts the program at path, or what confines it; call is how that one is heard from.
func fork(ctx context.Context, o Options, path string) (started *Process, call *handover, err error) {
	p := &Process{name: o.Program, marker: o.Marker, told: make(chan struct{}), done: make(chan struct{})}
	command := &exec.Cmd{Path: path, Args: append([]string{path}, o.Args...), Env: environment(o), Dir: o.Dir}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	theirs, err := p.pipes(command, o.Stderr != nil)
	if err != nil {
		return nil, nil, err
	}
	if o.Gate != nil && o.Gate.confined {
		if call, err = o.Gate.confine(command, path); err != nil {
			closeAll(append(theirs, p.ours()...))
			return nil, nil, err
		}
		theirs = append(theirs, call.theirs)
	}
	alive := make(chan error, 1)
	go p.live(command, theirs, alive)
	if err := p.launched(ctx, alive); err != nil {
		if call != nil {
			call.close()
		}
		return nil, nil, err
	}
	return p, call, nil
}

// pipes gives the command its three standard streams and answers the ends that are to be closed once it has them. They
// are pipes of ours, not the command's: nothing but the program itself is then waited for at its end.
func (p *Process) pipes(command *exec.Cmd, stderr bool) ([]*os.File, error) {
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		closeAll([]*os.File{inRead, inWrite})
		return nil, err
	}
	p.stdin, p.stdout = inWrite, &output{outRead}
	command.Stdin, command.Stdout = inRead, outWrite
	theirs := []*os.File{inRead, outWrite}
	if stderr {
		errRead, errWrite, err := os.Pipe()
		if err != nil {
			closeAll(append(theirs, p.ours()...))
			return nil, err
		}
		p.stderr, command.Stderr = errRead, errWrite
		theirs = append(theirs, errWrite)
	}
	return theirs, nil
}

// ours are the ends of the pipes that this process keeps.
func (p *Process) ours() []*os.File {
	files := []*os.File{p.stdin, p.stdout.file}
	if p.stderr != nil {
		files = append(files, p.stderr)
	}
	return files
}

func closeAll(files []*os.File) {
	for _, file := range files {
		_ = file.Close()
	}
}

// live starts the program and sees it to its end. The kernel sends the death signal when the thread that forked ends, so
// one thread is kept for as long as the program lives.
func (p *Process) live(command *exec.Cmd, theirs []*os.File, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := command.Start()
	closeAll(theirs)
	if err != nil {
		closeAll(p.ours())
		started <- err
		return
	}
	p.mu.Lock()
	p.pid = command.Process.Pid
	if p.unwanted {
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
	p.mu.Unlock()
	started <- nil

	ended := awaitEnd(p.pid)
	p.mu.Lock()
	if ended {
		// The program is not reaped yet, so the number of its group is nobody else's: what it left in there goes too.
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
	err = command.Wait()
	p.reaped, p.exit = true, ending(command.ProcessState, err)
	p.mu.Unlock()
	within(lastWords, p.told)
	close(p.done)
}

// launched waits for the system to start the program. Where the context ends first and the system does not come back
// in time, the program is killed as soon as it does.
func (p *Process) launched(ctx context.Context, started <-chan error) error {
	select {
	case err := <-started:
		return err
	case <-ctx.Done():
	}
	p.mu.Lock()
	p.unwanted = true
	if p.pid != 0 && !p.reaped {
		_ = syscall.Kill(-p.pid, syscall.SIGKILL)
	}
	p.mu.Unlock()
	timer := time.NewTimer(stopWait)
	defer timer.Stop()
	select {
	case err := <-started:
		if err != nil {
			return err
		}
		close(p.told)
		return errors.Join(ctx.Err(), p.Stop())
	case <-timer.C:
		return errors.Join(ctx.Err(), &LeftError{Left: []Stray{{Program: p.name + " (the system has not started it yet)"}}})
	}
}

// awaitEnd waits until a child has ended and leaves it to be reaped. It tells whether that is so.
func awaitEnd(pid int) bool {
	for {
		const byPID = 1
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, byPID, uintptr(pid), 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if errno != syscall.EINTR {
			return errno == 0
		}
	}
}

// ending says how a program ended.
func ending(state *os.ProcessState, err error) string {
	if state == nil {
		return fmt.Sprint("unknown: ", err)
	}
	return strings.TrimPrefix(state.String(), "signal: ")
}
