package codex

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
)

const (
	// lastWords is how long a program that has ended may be read, and one that says nothing more may go on.
	lastWords = time.Second
	// maxGarbage is how many lines that are none of the protocol end a session.
	maxGarbage = 20
)

// session is one program under way.
type session struct {
	spec    cli.Spec
	host    cli.Host
	log     *slog.Logger
	secret  string
	ctx     context.Context
	cancel  context.CancelFunc
	gate    *process.Gate
	proxy   *cli.Proxy
	process *process.Process
	peer    *peer
	calls   *calls
	stderr  tail
	calling chan struct{} // a place for each tool call under way

	done    chan struct{}
	closing sync.Once
	left    error

	mu     sync.Mutex
	thread string
	closed bool
	fault  error
	err    error
}

// Done is closed when the program has ended.
func (s *session) Done() <-chan struct{} { return s.done }

// Err says why the program ended; nil before that and after Close.
func (s *session) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// threadID is the program's name for the conversation, "" until it has one.
func (s *session) threadID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.thread
}

// PID is the program's process id.
func (s *session) PID() int { return s.process.PID() }

// Close ends the program and everything it started.
func (s *session) Close() error {
	s.closing.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		s.cancel()
		unserved := make(chan error, 1)
		go func() { unserved <- s.proxy.Close() }()
		s.left = errors.Join(s.process.Stop(), <-unserved, s.gate.Close())
		soon(s.done) // it is closed, unless the program cannot be killed
	})
	return s.left
}

// fail ends the session for a reason of ours.
func (s *session) fail(reason error) {
	s.mu.Lock()
	first := s.fault == nil && !s.closed
	if first {
		s.fault = reason
	}
	s.mu.Unlock()
	if first {
		go func() {
			if err := s.process.Stop(); err != nil {
				s.log.Error("a codex that failed is not all gone", "error", err)
			}
		}()
	}
}

// due ends the session when the context does, unless what is returned is called before: a program that does not do
// something in time is not waited for, since what is written to it may be waiting as well.
func (s *session) due(ctx context.Context, what string) (met func() bool) {
	return context.AfterFunc(ctx, func() { s.fail(fmt.Errorf("codex did not %s in time: %w", what, context.Cause(ctx))) })
}

// live reads what the program says and sees to its end.
func (s *session) live() {
	read := make(chan struct{})
	go func() {
		defer close(read)
		garbage := 0
		err := readLines(s.process.Stdout(), maxLine, func(line []byte) error { return s.take(line, &garbage) })
		if err != nil {
			s.fail(err)
		}
	}()
	select {
	case <-s.process.Done():
		soon(read)
	case <-read:
		if !soon(s.process.Done()) {
			s.fail(errors.New("codex closed its output"))
		}
	}
	<-s.process.Done()
	s.end()
}

// soon waits for a channel to close, but not for long, and tells whether it did.
func soon(closed <-chan struct{}) bool {
	timer := time.NewTimer(lastWords)
	defer timer.Stop()
	select {
	case <-closed:
		return true
	case <-timer.C:
		return false
	}
}

// take takes one line of the program's.
func (s *session) take(line []byte, garbage *int) error {
	var m message
	if err := json.Unmarshal(line, &m); err != nil || (m.Method == "" && m.ID == nil) {
		if len(bytes.TrimSpace(line)) == 0 {
			return nil
		}
		if *garbage++; *garbage >= maxGarbage {
			return fmt.Errorf("codex does not speak its protocol, it says %q", cut(s.hidden(string(line)), maxQuote))
		}
		return nil
	}
	switch {
	case m.Method == "":
		s.peer.answered(m)
	case m.ID == nil:
		s.told(m)
	case m.Method == "item/tool/call":
		s.called(m)
	default:
		s.log.Warn("codex asked for what no host answers", "method", cut(m.Method, maxQuote))
		_ = s.peer.refuse(m.ID, m.Method) // where it does not arrive, the program is at its end
	}
	return nil
}

// quoted is what the program says, short and without the secret.
func (s *session) quoted(text string) string { return cut(s.hidden(text), maxQuote) }

// hidden is a text without the session's secret: the program names its base URL in some faults.
func (s *session) hidden(text string) string { return strings.ReplaceAll(text, s.secret, "…") }

// end says how the program ended.
func (s *session) end() {
	s.mu.Lock()
	if !s.closed {
		s.err = s.fault
		if s.err == nil {
			s.err = fmt.Errorf("codex ended by itself: %s", s.process.Exit())
		}
		if words := s.hidden(s.stderr.String()); words != "" {
			s.err = fmt.Errorf("%w (it said: %s)", s.err, words)
		}
	}
	s.mu.Unlock()
	s.cancel()
	close(s.done)
}
