package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/models/faux"
	"github.com/agentrun/agentrun/run"
)

// patience is how long a test waits for something that should happen soon.
const patience = 60 * time.Second

var testModel = run.Model{
	ID: "faux/m", Name: "m", Provider: "faux", API: models.APIResponses, ContextWindow: 200_000, MaxOutput: 32_000,
	Reasoning: true, Efforts: []string{"none", "low", "medium", "high"},
}

var testTools = []models.Tool{
	{Name: "write", Description: "Writes a file.", Schema: json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`)},
	{Name: "read", Description: "Reads a file.", Schema: json.RawMessage(
		`{"type":"object","required":["path"],"properties":{"path":{"type":"string"}},"additionalProperties":false}`)},
}

// asked is one request and the conversation it came in.
type asked struct {
	cli.Ask
	body    string
	history []models.Message
	say     string
	answer  cli.Answer
}

// journal is a host that answers from a scripted gateway and keeps a conversation, as a run does.
type journal struct {
	t       *testing.T
	client  *models.Client
	url     string
	model   run.Model
	tool    func(ctx context.Context, call cli.Call) (cli.Result, error)
	before  func(ctx context.Context, ask cli.Ask) error
	turns   chan string
	arrived chan struct{}

	mu           sync.Mutex
	conversation []models.Message
	results      map[string]cli.Result
	asks         []asked
	events       []string
}

// newJournal is a host whose model says what the script says.
func newJournal(t *testing.T, script string) (*journal, *faux.Gateway) {
	t.Helper()
	parsed, err := faux.Parse([]byte(script))
	if err != nil {
		t.Fatalf("parse the script: %v", err)
	}
	gateway, err := faux.New(parsed, faux.Options{})
	if err != nil {
		t.Fatalf("make the gateway: %v", err)
	}
	server := httptest.NewServer(gateway)
	t.Cleanup(server.Close)
	return &journal{
		t: t, client: models.New(models.Options{}), url: server.URL + "/v1", model: testModel,
		turns: make(chan string, 100), arrived: make(chan struct{}, 100), results: map[string]cli.Result{},
		tool: func(_ context.Context, call cli.Call) (cli.Result, error) {
			return cli.Result{Text: "result of " + call.Name}, nil
		},
	}, gateway
}

// people puts on record what people say.
func (j *journal) people(text string) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.conversation = append(j.conversation, models.Message{Role: models.RoleUser, Text: text})
	return text
}

// Ask answers from the record, or asks the gateway and puts the answer on record.
func (j *journal) Ask(ctx context.Context, ask cli.Ask) (cli.Answer, error) {
	select {
	case j.arrived <- struct{}{}:
	default:
	}
	if j.before != nil {
		if err := j.before(ctx, ask); err != nil {
			return cli.Answer{}, err
		}
	}
	body, err := ask.Wire.Body(1000)
	if err != nil {
		return cli.Answer{}, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.close(); err != nil {
		j.t.Error(err)
	}
	for _, old := range j.asks {
		if old.Wire.Digest == ask.Wire.Digest {
			j.events = append(j.events, "again")
			return old.answer, nil
		}
	}
	j.events = append(j.events, fmt.Sprintf("ask %d", ask.Place))
	answer, err := j.client.Do(ctx, models.Request{
		Model: j.model, BaseURL: j.url, APIKey: "any", MaxOutput: 1000, Wire: &ask.Wire,
	}, nil)
	if err != nil {
		return cli.Answer{}, &cli.Refused{Code: "model", Message: err.Error()}
	}
	a := asked{
		Ask: ask, body: string(body), history: slices.Clone(j.conversation),
		answer: cli.Answer{ID: fmt.Sprintf("a%d", len(j.asks)), Answer: answer},
	}
	if last := len(a.history) - 1; last >= 0 && a.history[last].Role == models.RoleUser {
		a.say, a.history = a.history[last].Text, a.history[:last]
	}
	j.asks = append(j.asks, a)
	j.conversation = append(j.conversation, models.Message{
		Role: models.RoleAssistant, Text: answer.Text, Calls: answer.Calls, Native: answer.Native, NativeAPI: j.model.API,
	})
	return a.answer, nil
}

// close puts the results of the last answer's calls into the conversation, in the order of the calls.
func (j *journal) close() error {
	if len(j.conversation) == 0 {
		return nil
	}
	for _, call := range j.conversation[len(j.conversation)-1].Calls {
		result, ok := j.results[call.ID]
		if !ok {
			return fmt.Errorf("a request came before the result of the call %s of %s", call.ID, call.Name)
		}
		j.conversation = append(j.conversation, models.Message{
			Role: models.RoleTool, CallID: call.ID, Text: result.Text, IsError: result.IsError,
		})
	}
	return nil
}

// Call has the test's tool answer.
func (j *journal) Call(ctx context.Context, call cli.Call) (cli.Result, error) {
	j.mu.Lock()
	j.events = append(j.events, "call "+call.Name)
	j.mu.Unlock()
	result, err := j.tool(ctx, call)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, "result "+call.Name)
	j.results[call.ID] = result
	return result, err
}

// TurnEnded tells the test.
func (j *journal) TurnEnded(fault string) {
	j.mu.Lock()
	if err := j.close(); err != nil {
		j.t.Error(err)
	}
	j.mu.Unlock()
	j.turns <- fault
}

// turn waits for the end of a turn.
func (j *journal) turn(session cli.Session) string {
	j.t.Helper()
	select {
	case fault := <-j.turns:
		return fault
	case <-session.Done():
		j.t.Fatalf("the session ended: %v", session.Err())
	case <-time.After(patience):
		j.t.Fatal("the turn does not end")
	}
	return ""
}

// arrival waits for a request.
func (j *journal) arrival(session cli.Session) {
	j.t.Helper()
	select {
	case <-j.arrived:
	case <-session.Done():
		j.t.Fatalf("the session ended: %v", session.Err())
	case <-time.After(patience):
		j.t.Fatal("no request comes")
	}
}

func (j *journal) list() []asked {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.asks)
}

func (j *journal) story() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.events, ", ")
}

// testSpec is what the sessions of tests are opened with.
func testSpec(t *testing.T, program string) cli.Spec {
	t.Helper()
	return cli.Spec{
		Program: program, Dir: t.TempDir(), Marker: "run_1/" + cli.NewSecret(), Confine: true, Model: testModel,
		Instructions: "You are a tester.\n\nKeep to \"the\" <script>.\n", Tools: testTools,
	}
}

// open opens a session that is closed with the test.
func open(t *testing.T, spec cli.Spec, host cli.Host) cli.Session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	session, err := New(slog.New(slog.DiscardHandler)).Open(ctx, spec, host)
	if err != nil {
		t.Fatalf("open a session: %v", err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Errorf("close the session: %v", err)
		}
	})
	return session
}

// silent answers nothing: for sessions in which nothing is asked.
type nobody struct{}

func (nobody) Ask(context.Context, cli.Ask) (cli.Answer, error) {
	return cli.Answer{}, errors.New("nobody answers")
}

func (nobody) Call(context.Context, cli.Call) (cli.Result, error) {
	return cli.Result{}, errors.New("nobody answers")
}
func (nobody) TurnEnded(string) {}
