package workflows

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/dsl/cases"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
)

// performance is one case played on the durable host: the sessions' answers, the judge's and the effects come from its
// script, everything between is the product.
type performance struct {
	c      cases.Case
	script *cases.Script

	mu      sync.Mutex
	results map[string]dsl.Submission // by the path of a session
	ended   bool
	outcome cases.Outcome
}

// Do answers a session or the judge from the script.
func (p *performance) Do(ctx context.Context, request models.Request, _ func(models.Delta)) (models.Answer, error) {
	answer := models.Answer{Stop: models.StopEnd, Usage: run.Usage{InputTokens: 10, OutputTokens: 1, Requests: 1}}
	const runIDLength = len("run_") + 26
	path, purpose, judged := strings.Cut(request.CacheKey[runIDLength:], "!")
	var err error
	if judged {
		answer.Text, err = p.judge(ctx, path, purpose, request)
	} else {
		answer.Text, err = p.generate(ctx, path, request)
	}
	if err != nil {
		return answer, &models.Error{Provider: "script", Code: "no_answer", Message: err.Error(), Spend: models.SpendUnsent}
	}
	return answer, nil
}

// generate hands in the drafts of a fake, one each time the session is sent back, and then its submission.
func (p *performance) generate(ctx context.Context, path string, request models.Request) (string, error) {
	turn := 0
	for _, message := range request.Messages {
		if message.Role == models.RoleAssistant {
			turn++
		}
	}
	p.mu.Lock()
	submission, known := p.results[path]
	p.mu.Unlock()
	if !known {
		var err error
		if submission, err = p.script.Generate(ctx, dsl.Generation{Place: dsl.Place{Path: path}}); err != nil {
			return "", err
		}
		p.mu.Lock()
		p.results[path] = submission
		p.mu.Unlock()
	}
	if answers := p.c.Fakes.Generate[path]; len(answers.List) > 0 {
		drafts, _ := answers.List[0].Get("drafts")
		if list, _ := drafts.([]any); turn < len(list) {
			return dsl.JSON(list[turn]), nil
		}
	}
	if submission.Markdown != "" {
		return submission.Markdown, nil
	}
	return dsl.JSON(submission.Value), nil
}

// judge answers as Jev does: the questions' raw answers.
func (p *performance) judge(ctx context.Context, path, purpose string, request models.Request) (string, error) {
	asked, err := dsl.Decode([]byte(request.Messages[0].Text))
	if err != nil {
		return "", err
	}
	object, _ := asked.(*dsl.Object)
	state, _ := object.Get("state")
	questions, _ := object.Get("questions")
	ask := dsl.Judgment{Place: dsl.Place{Path: path}, Purpose: strings.TrimRight(purpose, "0123456789"), State: state}
	fields, _ := questions.(*dsl.Object)
	for id, question := range fields.All() {
		one := dsl.Question{ID: id}
		if q, ok := question.(*dsl.Object); ok {
			kind, _ := q.Get("type")
			one.Type, _ = kind.(string)
		}
		ask.Questions = append(ask.Questions, one)
	}
	judged, err := p.script.Judge(ctx, ask)
	if err != nil {
		return "", err
	}
	return dsl.JSON(judged.Answers), nil
}

func (p *performance) document(_ string, options *dsl.Options) {
	tasks := options.Tasks
	*options = p.c.Options(p.script)
	options.Tasks = tasks
}

func (p *performance) tell(_ string, result dsl.Result, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || errors.Is(err, context.Canceled) {
		return
	}
	p.ended = true
	p.outcome = cases.Outcome{Result: result, Err: err, Script: p.script}
}

// TestTheCasesComeOutAlikeOnTheDurableHost plays every conformance case that runs on the real sessions, journal and
// workflow: outputs, states, escalations and errors must be those that the case expects, as on the scripted host.
func TestTheCasesComeOutAlikeOnTheDurableHost(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("AGENTRUN_CONFORMANCE")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "conformance")
	}
	paths, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	if len(paths) == 0 {
		t.Skip("there are no conformance cases here: name their folder in AGENTRUN_CONFORMANCE")
	}
	b := newBench(t, nil)
	for _, path := range paths {
		c, err := cases.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		_, differs := c.Differs()
		if document, ok := c.Document.(*dsl.Object); !ok || c.Expect.Outcome == "" || differs || len(dsl.Validate(document, c.Check)) > 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			own := *b
			own.t = t
			own.play(c)
		})
	}
}

func (b *bench) play(c cases.Case) {
	b.t.Helper()
	p := &performance{c: c, script: cases.NewScript(c.Fakes), results: map[string]dsl.Submission{}}
	defer p.script.Close()
	w := b.actor(p)
	input := dsl.JSON(c.Input)
	config := b.config()
	config.Workflow = json.RawMessage(dsl.JSON(c.Document))
	config.Judge = &run.Model{ID: "jev/test", Name: "test", Provider: "jev", API: "jev"}
	created, _, err := b.store.CreateRun(b.t.Context(), store.NewRun{
		ID: run.NewID(time.Now()), AgentID: "a", Revision: 1, Kind: run.KindWorkflow, Config: config,
		Input: run.Input{Content: input, Object: []byte(input)}, FirstMessage: input, Source: "api",
	})
	if err != nil {
		b.t.Fatal(err)
	}
	if engine := os.Getenv("AGENTRUN_ENGINE"); engine != "" {
		b.driveOn(engine, w, created.ID)
	} else if !b.driveDocument(w, created.ID) {
		b.t.Fatal("the worker died")
	}
	if !p.ended {
		got := b.run(created.ID)
		b.t.Fatalf("the document did not end: the run is %s, %+v", got.Status, got.Error)
	}
	p.outcome.Events = b.events(created.ID)
	var wrong []cases.Problem
	for _, problem := range c.Compare(p.outcome) {
		// What a fake expects of how it is asked is for the scripted host, which is asked in the language's own terms.
		if !strings.HasPrefix(problem.What, "expect_") {
			wrong = append(wrong, problem)
		}
	}
	if len(wrong) > 0 {
		b.t.Errorf("it comes out otherwise:\n%s", cases.Report(wrong))
	}
}

// actor is a worker whose models and effects are a case's.
func (b *bench) actor(p *performance) *process {
	b.next++
	w := &process{id: run.NewID(time.Now()), crashed: make(chan struct{})}
	if err := b.hub.Hello(b.t.Context(), run.Holder{Worker: w.id}); err != nil {
		b.t.Fatal(err)
	}
	w.steps = activities.New(activities.Options{
		Door: b.door, Model: p, Holder: run.Holder{Worker: w.id, PID: 1}, Backoff: time.Millisecond, Attempts: 1,
		Document: p.document, Ended: p.tell,
		Effects: func(ctx context.Context, _ string, ask dsl.Attempt) (any, error) { return p.script.Effect(ctx, ask) },
	})
	return w
}

// events are those that the journal has of a run's nodes.
func (b *bench) events(id string) []dsl.Event {
	b.t.Helper()
	var events []dsl.Event
	for _, row := range b.rows(id, "") {
		if !strings.Contains(row.Key, "#") || row.Type == run.RowToolUse || row.Type == run.RowToolResult || row.Type == run.RowWaitStarted {
			continue
		}
		var event run.NodeEvent
		if err := row.Decode(&event); err != nil {
			b.t.Fatal(err)
		}
		found := dsl.Event{Type: event.Event, Place: dsl.Place{Path: event.Node, Label: event.Label, Kind: dsl.Kind(event.Kind)}}
		if detail, err := dsl.Decode(event.Detail); err == nil {
			found.Detail, _ = detail.(*dsl.Object)
		}
		events = append(events, found)
	}
	return events
}

// bearer gives each call the token of a server's embedded engine.
type bearer string

// GetHeaders implements client.HeadersProvider.
func (b bearer) GetHeaders(context.Context) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

// driveOn goes on with a document's run on a real engine, at "host:port token": that of `serve --engine-token-file`.
func (b *bench) driveOn(engine string, w *process, runID string) {
	b.t.Helper()
	address, token, _ := strings.Cut(engine, " ")
	connection, err := client.Dial(client.Options{
		HostPort: address, Namespace: "agentrun", HeadersProvider: bearer(token), Logger: quiet(),
		ConnectionOptions: client.ConnectionOptions{TLSDisabled: true},
	})
	if err != nil {
		b.t.Fatal(err)
	}
	defer connection.Close()
	queue := "conformance/" + runID
	hands := worker.New(connection, queue, worker.Options{})
	Register(hands, w.steps)
	if err := hands.Start(); err != nil {
		b.t.Fatal(err)
	}
	defer hands.Stop()
	execution, err := connection.ExecuteWorkflow(b.t.Context(), client.StartWorkflowOptions{ID: queue, TaskQueue: queue}, RunName,
		Input{RunID: runID, Kind: run.KindWorkflow, MaxSteps: b.config().MaxSteps})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := execution.Get(b.t.Context(), nil); err != nil {
		b.t.Fatal(err)
	}
}
