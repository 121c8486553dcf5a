package process

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentrun/agentrun/harnesses/process/confine"
)

const (
	// gateAgain is how long after a gate was opened the next one is made: not while the program itself comes up.
	gateAgain = time.Second
	// gateKept is how long a gate is kept that nobody wants.
	gateKept = 10 * time.Minute
	// longestStart bounds what a place that is ready is told of a program (bytes); a longer one gets a place of its own.
	longestStart = 64 << 10
)

// Gates opens gates, and keeps one that is confined ready: to make a network takes tens of milliseconds of a start. Nothing
// is made before the first is opened. The zero value is ready to use; nil opens gates that are made as they are needed.
type Gates struct {
	mu     sync.Mutex
	ready  *place
	next   *time.Timer
	kept   *time.Timer
	making sync.WaitGroup
	closed bool
}

// place is a process in a network of its own that waits to become a program.
type place struct {
	process  *Process
	call     *handover
	listener net.Listener
}

// Open opens a gate as OpenGate does.
func (g *Gates) Open(confined bool) (*Gate, error) {
	gate, err := OpenGate(confined)
	if err != nil || g == nil || !gate.confined {
		return gate, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return gate, nil
	}
	gate.place, g.ready = g.ready, nil
	if g.kept != nil {
		g.kept.Stop()
	}
	if g.next == nil {
		g.next = time.AfterFunc(gateAgain, g.prepare)
	} else {
		g.next.Reset(gateAgain)
	}
	return gate, nil
}

// prepare makes the place that the next gate takes.
func (g *Gates) prepare() {
	g.mu.Lock()
	if g.closed || g.ready != nil {
		g.mu.Unlock()
		return
	}
	g.making.Add(1)
	g.mu.Unlock()
	defer g.making.Done()
	made, err := newPlace()
	if err != nil {
		return // a gate that is opened then makes its own, and says what is wrong
	}
	g.mu.Lock()
	taken := !g.closed && g.ready == nil
	if taken {
		g.ready = made
		g.kept = time.AfterFunc(gateKept, func() { g.leave(made) })
	}
	g.mu.Unlock()
	if !taken {
		_ = made.end()
	}
}

// leave gives up a place that nobody wanted.
func (g *Gates) leave(old *place) {
	g.mu.Lock()
	mine := g.ready == old
	if mine {
		g.ready = nil
	}
	g.mu.Unlock()
	if mine {
		_ = old.end()
	}
}

// Close gives up what is ready. Gates that are open stay, and more can be opened.
func (g *Gates) Close() error {
	g.mu.Lock()
	old := g.ready
	g.ready, g.closed = nil, true
	for _, timer := range []*time.Timer{g.next, g.kept} {
		if timer != nil {
			timer.Stop()
		}
	}
	g.mu.Unlock()
	g.making.Wait()
	return old.end()
}

func newPlace() (*place, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startWait)
	defer cancel()
	gate, o := confinedGate(), Options{Program: confine.Name, Args: []string{confine.Waits}, Marker: newMarker(), Stderr: func(string) {}}
	o.Gate = gate
	p, call, err := fork(ctx, o, "")
	if err != nil {
		return nil, err
	}
	listener, err := call.receive(ctx)
	made := &place{process: p, call: call, listener: listener}
	if err != nil {
		return nil, errors.Join(err, made.end())
	}
	return made, nil
}

// end ends a place that became no program.
func (l *place) end() error {
	if l == nil {
		return nil
	}
	go l.process.tell(func(string) {})
	l.call.close()
	if l.listener != nil {
		_ = l.listener.Close()
	}
	return l.process.Stop()
}

// become makes the place a program. did is false where it cannot be: it is given up then, and the program needs another.
func (l *place) become(ctx context.Context, o Options, path string) (p *Process, did bool, err error) {
	dir := o.Dir
	if dir == "" {
		dir = "."
	}
	deadline, _ := ctx.Deadline()
	_ = l.call.ours.SetWriteDeadline(deadline) // it may be stopped, and read nothing
	env := (&exec.Cmd{Env: environment(o)}).Environ()
	for _, said := range [][]string{{dir}, append([]string{path}, o.Args...), env} {
		message := told(said)
		if message == nil {
			return nil, false, l.end()
		}
		if _, err := l.call.ours.Write(message); err != nil {
			return nil, false, l.end() // it has ended meanwhile, or does not go on
		}
	}
	p = l.process
	p.name, p.marker = o.Program, o.Marker
	defer l.call.close()
	stderr := o.Stderr
	if stderr == nil {
		stderr = func(string) {}
	}
	go p.tell(stderr)
	if err := o.Gate.put(l.listener); err != nil {
		return nil, true, errors.Join(err, p.Stop())
	}
	if err := l.call.started(ctx); err != nil {
		o.Gate.drop(l.listener)
		return nil, true, errors.Join(err, p.Stop())
	}
	return p, true, nil
}

// told is a list of texts as package confine reads it, nil where it cannot be told.
func told(texts []string) []byte {
	if slices.ContainsFunc(texts, func(text string) bool { return strings.ContainsRune(text, 0) }) {
		return nil
	}
	var message bytes.Buffer
	for _, text := range texts {
		message.WriteString(text)
		message.WriteByte(0)
	}
	if message.Len() > longestStart || message.Len() == 0 {
		return nil
	}
	return message.Bytes()
}
