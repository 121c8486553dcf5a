package claudeagent

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/models/faux"
	"github.com/agentrun/agentrun/run"
)

// patient is how long a test waits for what should happen at once on a machine that does other things as well.
const patient = time.Minute

// moment is a model request as a journal sees it: what was on record before it, what people said, and what was asked.
type moment struct {
	history []models.Message
	say     string
	ask     cli.Ask
	body    []byte
}

// journal plays the part of a run's worker: it has every answer from the scripted gateway, keeps it, and answers calls of
// tools with answerCall.
type journal struct {
	t          *testing.T
	client     *models.Client
	gateway    *faux.Gateway
	address    string
	model      run.Model
	answerCall func(ctx context.Context, call cli.Call) (cli.Result, error)
	// before is asked first about each request; nil: nothing stands against it.
	before func(ctx context.Context, ask cli.Ask) error
	ended  chan string

	mu      sync.Mutex
	said    []models.Message
	say     string
	results map[string]cli.Result
	calls   []cli.Call
	moments []moment
	others  []cli.Ask
}

// newJournal starts a gateway with the script's rules.
func newJournal(t *testing.T, rules string) *journal {
	t.Helper()
	script, err := faux.Parse([]byte("models:\n  - {id: m, context_window: 200000, max_output: 32000, api: messages, " +
		"reasoning: true, efforts: [low, medium, high, max], prices: {input: 1, output: 5}}\nrules:\n" + rules))
	if err != nil {
		t.Fatalf("parse the script: %v", err)
	}
	gateway, err := faux.New(script, faux.Options{})
	if err != nil {
		t.Fatalf("make the gateway: %v", err)
	}
	server := httptest.NewServer(gateway)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		_ = gateway.Close()
	})
	return &journal{
		t: t, client: models.New(models.Options{}), gateway: gateway, address: server.URL, model: gateway.Models()[0],
		answerCall: func(_ context.Context, call cli.Call) (cli.Result, error) {
			return cli.Result{Text: "did " + string(call.Args)}, nil
		},
		ended: make(chan string, 16), results: map[string]cli.Result{},
	}
}

// Ask answers the next request of the conversation from the gateway.
func (j *journal) Ask(ctx context.Context, ask cli.Ask) (cli.Answer, error) {
	if j.before != nil {
		if err := j.before(ctx, ask); err != nil {
			return cli.Answer{}, err
		}
	}
	body, err := ask.Wire.Body(0)
	if err != nil {
		return cli.Answer{}, err
	}
	j.mu.Lock()
	if !ask.Main {
		j.others = append(j.others, ask)
		j.mu.Unlock()
		return cli.Answer{}, &cli.Refused{Code: "other", Message: "this journal keeps one conversation only"}
	}
	j.settle(ask.Calls)
	j.moments = append(j.moments, moment{history: slices.Clone(j.said), say: j.say, ask: ask, body: body})
	j.mu.Unlock()
	answer, err := j.client.Do(ctx, models.Request{Model: j.model, BaseURL: j.address, APIKey: "k", Wire: &ask.Wire}, nil)
	if err != nil {
		j.t.Errorf("the gateway did not answer: %v", err)
		return cli.Answer{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.say != "" {
		j.said = append(j.said, models.Message{Role: models.RoleUser, Text: j.say})
		j.say = ""
	}
	j.said = append(j.said, models.Message{
		Role: models.RoleAssistant, Text: answer.Text, Calls: answer.Calls, Native: answer.Native, NativeAPI: models.APIMessages,
	})
	return cli.Answer{ID: uuid.NewSHA1(uuid.Nil, []byte(ask.Wire.Digest)).String(), Answer: answer}, nil
}

// settle puts the results of the last answer's calls on record, in the order of the calls.
func (j *journal) settle(calls []string) {
	if j.say != "" {
		return
	}
	for _, id := range calls {
		result, ok := j.results[id]
		if !ok {
			j.t.Errorf("the call %s was never made", id)
		}
		j.said = append(j.said, models.Message{
			Role: models.RoleTool, CallID: id, Text: result.Text, IsError: result.IsError,
		})
	}
}

// Call answers a call and keeps what it came to.
func (j *journal) Call(ctx context.Context, call cli.Call) (cli.Result, error) {
	j.mu.Lock()
	j.calls = append(j.calls, call)
	j.mu.Unlock()
	result, err := j.answerCall(ctx, call)
	if err == nil {
		j.mu.Lock()
		j.results[call.ID] = result
		j.mu.Unlock()
	}
	return result, err
}

// TurnEnded passes it on.
func (j *journal) TurnEnded(fault string) { j.ended <- fault }

// turn waits for the end of a turn.
func (j *journal) turn(session cli.Session) string {
	j.t.Helper()
	select {
	case fault := <-j.ended:
		return fault
	case <-session.Done():
		j.t.Fatalf("the session ended in the middle of a turn: %v", session.Err())
	case <-time.After(patient):
		j.t.Fatal("the turn did not end")
	}
	return ""
}

// spec is a session of the journal's for a program.
func (j *journal) spec(program string) cli.Spec {
	object := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	return cli.Spec{
		Program: program, Dir: j.t.TempDir(), Marker: "test-" + uuid.NewString(), Model: j.model,
		Instructions: "You are a careful clerk.\n\nÜber alles: write things down.  ",
		Tools: []models.Tool{
			{Name: "read", Description: "Read a file.", Schema: object},
			{Name: "write", Description: "Write a file.", Schema: object},
		},
	}
}

// open opens a session and closes it with the test; a process that is left over fails it.
func (j *journal) open(spec cli.Spec, host cli.Host) cli.Session {
	j.t.Helper()
	j.mu.Lock()
	j.say = spec.Say
	j.mu.Unlock()
	ctx, cancel := context.WithTimeout(j.t.Context(), patient)
	defer cancel()
	session, err := New(slog.New(slog.DiscardHandler)).Open(ctx, spec, host)
	if err != nil {
		j.t.Fatalf("open a session: %v", err)
	}
	j.t.Cleanup(func() { j.closed(spec, session) })
	return session
}

// closed closes a session and makes sure that nothing is left of it.
func (j *journal) closed(spec cli.Spec, session cli.Session) {
	j.t.Helper()
	began := time.Now()
	if err := session.Close(); err != nil {
		j.t.Errorf("close the session: %v", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		j.t.Errorf("closing took %s", took)
	}
	if left := marked(j.t, spec.Marker); len(left) > 0 {
		j.t.Errorf("after Close these processes are left: %v", left)
	}
}

// again is what a new session asks about the same conversation.
func (j *journal) again(spec cli.Spec, m moment) (cli.Ask, []byte) {
	j.t.Helper()
	spec.Dir, spec.Marker = j.t.TempDir(), "test-"+uuid.NewString()
	spec.History, spec.Say = m.history, m.say
	host := &asked{asks: make(chan cli.Ask, 1)}
	ctx, cancel := context.WithTimeout(j.t.Context(), patient)
	defer cancel()
	session, err := New(slog.New(slog.DiscardHandler)).Open(ctx, spec, host)
	if err != nil {
		j.t.Fatalf("open a session anew: %v", err)
	}
	defer j.closed(spec, session)
	select {
	case ask := <-host.asks:
		body, err := ask.Wire.Body(0)
		if err != nil {
			j.t.Fatal(err)
		}
		return ask, body
	case <-session.Done():
		j.t.Fatalf("the new session ended: %v", session.Err())
	case <-ctx.Done():
		j.t.Fatal("the new session asked nothing")
	}
	return cli.Ask{}, nil
}

// asked is a host that is asked once, and leaves it at that.
type asked struct{ asks chan cli.Ask }

func (a *asked) Ask(ctx context.Context, ask cli.Ask) (cli.Answer, error) {
	select {
	case a.asks <- ask:
	default:
	}
	<-ctx.Done()
	return cli.Answer{}, ctx.Err()
}

func (a *asked) Call(context.Context, cli.Call) (cli.Result, error) {
	return cli.Result{}, errors.New("nobody asked for a call")
}
func (a *asked) TurnEnded(string) {}

// marked are the processes that have a marker in their environment.
func marked(t *testing.T, marker string) []string {
	t.Helper()
	return environs(t, process.MarkerName+"="+marker)
}
