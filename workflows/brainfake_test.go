package workflows

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// fakeCLI is a command-line agent inside the test: it asks, calls and answers as the real ones do, and misbehaves on
// demand.
type fakeCLI struct {
	// on is asked before each thing a session does, with the number of the session and of the request; what it answers is
	// done instead.
	on func(session int, did string) fault

	mu       sync.Mutex
	sessions []*fakeSession
	open     atomic.Int64
}

// fault is how a session misbehaves.
type fault string

const (
	dies    fault = "dies"
	silent  fault = "says nothing"
	skips   fault = "asks for a later answer"
	invents fault = "calls what nobody asked for"
	repeats fault = "asks twice"
	goesOn  fault = "goes on by itself"
	fails   fault = "does not start"
	aside   fault = "asks something for itself"
)

func (f *fakeCLI) Version(context.Context, string, string) (string, error) { return "1.0.0", nil }

func (f *fakeCLI) ToolName(wire string) string { return strings.TrimPrefix(wire, "host_") }

func (f *fakeCLI) Answers(history []models.Message) int {
	n := 0
	for _, m := range history {
		if m.Role == models.RoleAssistant {
			n++
		}
	}
	return n
}

func (f *fakeCLI) fault(session int, did string) fault {
	if f.on == nil {
		return ""
	}
	return f.on(session, did)
}

func (f *fakeCLI) Open(ctx context.Context, spec cli.Spec, host cli.Host) (cli.Session, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := &fakeSession{cli: f, n: len(f.sessions) + 1, spec: spec, host: host, done: make(chan struct{}), says: make(chan string, 8)}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	f.sessions = append(f.sessions, s)
	if f.fault(s.n, "start") == fails {
		return nil, errors.New("no such program")
	}
	f.open.Add(1)
	s.talk = append(s.talk, spec.History...)
	go s.run()
	return s, nil
}

type fakeSession struct {
	cli    *fakeCLI
	n      int
	spec   cli.Spec
	host   cli.Host
	talk   []models.Message
	says   chan string
	ctx    context.Context //nolint:containedctx // the session's own life
	cancel context.CancelCauseFunc
	done   chan struct{}
	closed sync.Once
}

var (
	errKilled = errors.New("killed")
	errClosed = errors.New("closed")
)

func (s *fakeSession) run() {
	defer close(s.done)
	say := s.spec.Say
	for {
		if say != "" {
			s.talk = append(s.talk, models.Message{Role: models.RoleUser, Text: say})
		}
		s.turn()
		if s.ctx.Err() != nil {
			return
		}
		s.host.TurnEnded("")
		select {
		case say = <-s.says:
		case <-s.ctx.Done():
			return
		}
	}
}

// turn asks and calls until there is an answer without calls.
func (s *fakeSession) turn() {
	for {
		answer, ok := s.ask()
		if !ok {
			return
		}
		s.talk = append(s.talk, models.Message{Role: models.RoleAssistant, Text: answer.Text, Calls: answer.Calls})
		if len(answer.Calls) == 0 {
			if s.cli.fault(s.n, "rest") == goesOn {
				s.talk = append(s.talk, models.Message{Role: models.RoleUser, Text: "Go on."})
				continue
			}
			return
		}
		results := make([]cli.Result, len(answer.Calls))
		var calls sync.WaitGroup
		for i, call := range answer.Calls {
			calls.Go(func() {
				results[i], _ = s.host.Call(s.ctx, cli.Call{ID: call.ID, Name: call.Name, Args: call.Args})
			})
		}
		calls.Wait()
		for i, call := range answer.Calls {
			s.talk = append(s.talk, models.Message{
				Role: models.RoleTool, CallID: call.ID, Text: results[i].Text, IsError: results[i].IsError,
			})
		}
	}
}

func (s *fakeSession) ask() (cli.Answer, bool) {
	place := 0
	for _, m := range s.talk {
		if m.Role == models.RoleAssistant {
			place++
		}
	}
	body, err := json.Marshal(s.talk)
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(body)
	ask := cli.Ask{
		Main: true, Place: place, Words: s.talk[len(s.talk)-1].Text,
		Wire: models.Wire{Digest: hex.EncodeToString(sum[:]), Size: int64(len(body)), Body: func(int64) ([]byte, error) { return body, nil }},
	}
	switch s.cli.fault(s.n, fmt.Sprint("ask ", place)) {
	case dies:
		s.cancel(errKilled)
		return cli.Answer{}, false
	case silent:
		<-s.ctx.Done()
		return cli.Answer{}, false
	case skips:
		ask.Place++
	case invents:
		result, err := s.host.Call(s.ctx, cli.Call{ID: "made-up", Name: "write"})
		if err != nil || !result.IsError {
			panic(fmt.Sprintf("a call nobody asked for: %+v, %v", result, err))
		}
	case aside:
		side := ask
		side.Main = false
		side.Wire.Digest = "aside"
		if _, err := s.host.Ask(s.ctx, side); err != nil {
			s.cancel(err)
			return cli.Answer{}, false
		}
	}
	answer, err := s.host.Ask(s.ctx, ask)
	if err == nil && s.cli.fault(s.n, fmt.Sprint("answered ", place)) == repeats {
		again, err2 := s.host.Ask(s.ctx, ask)
		first, _ := json.Marshal(answer)
		if second, _ := json.Marshal(again); err2 != nil || string(first) != string(second) {
			panic(fmt.Sprintf("answered again as %s, %v; first as %s", second, err2, first))
		}
	}
	if err == nil && s.cli.fault(s.n, fmt.Sprint("have ", place)) == dies {
		s.cancel(errKilled)
		return cli.Answer{}, false
	}
	if err != nil {
		if s.ctx.Err() == nil {
			s.cancel(err)
		}
		return cli.Answer{}, false
	}
	return answer, true
}

func (s *fakeSession) Say(text string) error { s.says <- text; return nil }
func (s *fakeSession) PID() int              { return 0 }

func (s *fakeSession) Done() <-chan struct{} { return s.done }

func (s *fakeSession) Err() error {
	if err := context.Cause(s.ctx); !errors.Is(err, errClosed) {
		return err
	}
	return nil
}

func (s *fakeSession) Close() error {
	s.cancel(errClosed)
	<-s.done
	s.closed.Do(func() { s.cli.open.Add(-1) })
	return nil
}

// withCLI is an option of newWorker's activities.
func (f *fakeCLI) harness() map[string]activities.Harness {
	return map[string]activities.Harness{"claude-agent": {
		Driver: f, Find: func() (string, string) { return "fake", "" }, Confine: func() bool { return false },
	}}
}
