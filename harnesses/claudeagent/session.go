package claudeagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
)

const (
	// maxQueue is how many lines may wait for the program to read them.
	maxQueue = 256
	// maxCalls is how many calls of tools may be under way at once.
	maxCalls = 64
	// drain is how long the output of a program that has ended is still read, and how long calls may take to notice.
	drain = 500 * time.Millisecond
)

// session is one run of the program.
type session struct {
	host cli.Host
	box  toolbox
	book *ledger
	log  *slog.Logger

	gate    *process.Gate
	process *process.Process
	proxy   *cli.Proxy
	stderr  *tail

	// ctx is that of the host's calls.
	ctx    context.Context //nolint:containedctx // it ends with the session
	cancel context.CancelFunc
	calls  calls

	queue chan []byte
	// initialized and listed are closed when the program has answered the first request and has read the list of tools.
	initialized, listed chan struct{}
	// halt is closed when the session is to end, done when it has.
	halt, done chan struct{}

	mu      sync.Mutex
	closing bool
	// failure is why this side gives the program up.
	failure error
	err     error
	left    error
}

// run serves the program until it ends or is given up, and leaves nothing of it behind.
func (s *session) run() {
	read := make(chan error, 1)
	go func() { read <- readLines(s.process.Stdout(), s.take) }()
	go s.write()
	over := false
	select {
	case err := <-read:
		over = true
		if err != nil {
			s.fail(err)
		}
	case <-s.process.Done():
	case <-s.halt:
	}
	if !over && !s.halted() {
		over = s.finished(read)
	}
	s.cancel()
	proxied := make(chan error, 1)
	go func() { proxied <- s.proxy.Close() }()
	left := s.process.Stop()
	left = errors.Join(left, <-proxied, s.gate.Close())
	if !over {
		s.finished(read)
	}
	s.calls.wait(drain)
	s.end(left)
}

// finished waits a little for the last lines of a program that has ended.
func (s *session) finished(read <-chan error) bool {
	timer := time.NewTimer(drain)
	defer timer.Stop()
	select {
	case err := <-read:
		if err != nil {
			s.fail(err)
		}
		return true
	case <-timer.C:
		return false
	}
}

// end says how the session ended.
func (s *session) end(left error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = left
	switch {
	case s.closing:
	case s.failure != nil:
		s.err = fmt.Errorf("claude was given up: %w%s", s.failure, s.stderr.quote())
	default:
		s.err = fmt.Errorf("claude ended by itself: %s%s", s.process.Exit(), s.stderr.quote())
	}
	close(s.done)
}

// fail gives the program up.
func (s *session) fail(err error) { s.stop(func() { s.failure = err }) }

// stop has the session ended for a first reason.
func (s *session) stop(reason func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.halted() {
		reason()
		close(s.halt)
	}
}

func (s *session) halted() bool {
	select {
	case <-s.halt:
		return true
	default:
		return false
	}
}

// send has a line written. It never blocks: a program that does not read is given up.
func (s *session) send(line any) {
	select {
	case s.queue <- lined(line):
	default:
		s.fail(fmt.Errorf("it left %d lines unread", maxQueue))
	}
}

func (s *session) write() {
	for {
		select {
		case line := <-s.queue:
			if _, err := s.process.Stdin().Write(line); err != nil {
				return // the program has ended, which is noticed elsewhere
			}
		case <-s.done:
			return
		}
	}
}

// take does what a line of the program's asks for.
func (s *session) take(data []byte) error {
	var l line
	if err := json.Unmarshal(data, &l); err != nil {
		return nil //nolint:nilerr // a kind of line that is not known here may have other types in these fields
	}
	switch l.Type {
	case "control_request":
		s.control(l)
	case "control_cancel_request":
		s.calls.cancel(l.RequestID)
	case "control_response":
		if l.Response.RequestID != initializeID {
			return nil
		}
		if l.Response.Subtype != "success" {
			return fmt.Errorf("it refused to start: %s", bounded(l.Response.Error, maxFault))
		}
		once(s.initialized)
	case "result":
		// The host is told before any later line is read, and before Done is closed.
		s.host.TurnEnded(s.stderr.hide(l.fault()))
	}
	return nil
}

// once closes a channel that only the reader of the output closes.
func once(closed chan struct{}) {
	select {
	case <-closed:
	default:
		close(closed)
	}
}

// control answers a request of the program's.
func (s *session) control(l line) {
	var m rpc
	switch {
	case l.Request.Subtype != "mcp_message" || l.Request.ServerName != serverName:
		s.send(refused(l.RequestID, "this host does not serve that"))
	case json.Unmarshal(l.Request.Message, &m) != nil:
		s.send(refused(l.RequestID, "the message is not JSON-RPC"))
	case m.Method == "tools/call":
		s.call(l.RequestID, m)
	default:
		s.respond(l.RequestID, answerRPC(m, s.box))
		if m.Method == "tools/list" {
			once(s.listed)
		}
	}
}

func (s *session) respond(requestID string, answer block) {
	s.send(controlled(requestID, map[string]any{"mcp_response": answer}))
}

// call has a call of a tool answered by the host, beside everything else.
func (s *session) call(requestID string, m rpc) {
	call, err := callOf(m, s.box, s.book)
	if err != nil {
		s.respond(requestID, errorRPC(m, codeInvalid, err.Error()))
		return
	}
	ctx, ok := s.calls.begin(s.ctx, requestID)
	if !ok {
		s.respond(requestID, errorRPC(m, codeInvalid, "too many calls at once"))
		return
	}
	go func() {
		defer s.calls.end(requestID)
		result, err := s.host.Call(ctx, call)
		switch {
		case ctx.Err() != nil: // nobody waits for it any more
		case err != nil:
			s.fail(fmt.Errorf("the call %s of %s was not answered: %w", call.ID, call.Name, err))
		default:
			s.book.settle(call.ID, result)
			s.respond(requestID, resultOf(m, result))
		}
	}()
}

// Say says something to the program.
func (s *session) Say(text string) error {
	if s.halted() {
		return errors.New("the session of claude has ended")
	}
	s.send(prompt(guarded(text)))
	return nil
}

// Done is closed when the program has ended.
func (s *session) Done() <-chan struct{} { return s.done }

// Err says why the program has ended.
func (s *session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// PID is the program's process id.
func (s *session) PID() int { return s.process.PID() }

// Close ends the program.
func (s *session) Close() error {
	s.stop(func() { s.closing = true })
	<-s.done
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}
