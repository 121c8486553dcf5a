package workflows

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
	"github.com/agentrun/agentrun/store"
)

// bench is a real store and door with a scripted model, and drives runs as the workflow does, without Temporal.
type bench struct {
	t     *testing.T
	store *store.Store
	hub   *door.Hub
	model *scriptedModel
	dir   string
	door  door.Door
	next  int
	// cli speaks for the runs of claude-agent, within bounds.
	cli    *fakeCLI
	bounds activities.HarnessBounds
}

func newBench(t *testing.T, model *scriptedModel) *bench {
	t.Helper()
	b := &bench{t: t, hub: door.NewHub(time.Hour), model: model, dir: t.TempDir()}
	var err error
	b.store, err = store.Open(t.Context(), store.Options{Dir: b.dir, Alive: b.hub.Alive})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.store.Close() })
	b.door = &door.Local{
		Record: b.store, Hub: b.hub, Feed: door.NewFeed(), WorkDir: b.workDir,
		Endpoint: func(run.Model) (door.Endpoint, error) { return door.Endpoint{BaseURL: "http://model"}, nil },
		Reveal:   func(string) (string, error) { return "", errors.New("no secrets here") },
	}
	if _, err := b.store.CreateAgent(t.Context(), run.Definition{ID: "a", Name: "A", Instructions: "x"}, nil); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) workDir(runID string) string { return filepath.Join(b.dir, "runs", runID, "work") }

func (b *bench) config() run.Config {
	return run.Config{
		Harness: "pi", Instructions: "x", Tools: []string{"read", "write", "edit"}, MaxSteps: 50,
		Model: run.Model{
			ID: "faux/m", Name: "m", Provider: "faux", API: "responses", MaxOutput: 1000, ContextWindow: 200_000,
			Price: &run.Price{Input: 1_000_000, Output: 1_000_000},
		},
	}
}

func (b *bench) newRun(limit *run.USD, change func(*run.Config)) string {
	b.t.Helper()
	config := b.config()
	if change != nil {
		change(&config)
	}
	created, _, err := b.store.CreateRun(b.t.Context(), store.NewRun{
		ID: run.NewID(time.Now()), AgentID: "a", Revision: 1, Kind: run.KindAgent, Config: config,
		Input: run.Input{Content: "go"}, FirstMessage: "go", MaxCostUSD: limit, Source: "api",
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return created.ID
}

// process is one worker process: its activities, and a door that may cut it off.
type process struct {
	id    string
	steps *activities.Activities
	// crashed is closed when the process died.
	crashed chan struct{}
}

// newWorker starts a worker whose door dies at the n-th append, before or after it took effect; 0 never.
func (b *bench) newWorker(crashAt int, after bool) *process {
	b.next++
	w := &process{id: fmt.Sprint("worker", b.next), crashed: make(chan struct{})}
	if err := b.hub.Hello(b.t.Context(), run.Holder{Worker: w.id}); err != nil {
		b.t.Fatal(err)
	}
	options := activities.Options{
		Door:  &mortalDoor{Door: b.door, at: crashAt, after: after, crashed: w.crashed},
		Model: b.model, Holder: run.Holder{Worker: w.id, PID: b.next}, Backoff: time.Millisecond, Attempts: 3,
		Bounds: b.bounds,
	}
	if b.cli != nil {
		options.Harnesses = b.cli.harness()
	}
	w.steps = activities.New(options)
	return w
}

// drive goes on with a run until its execution ends, and tells whether the worker lived.
func (b *bench) drive(w *process, runID string) (lived bool) {
	b.t.Helper()
	return b.lives(w, runID, func() error { return b.execute(w, runID) })
}

// lives tells whether a worker lived through an execution, and fences it where it did not.
func (b *bench) lives(w *process, runID string, execute func() error) bool {
	b.t.Helper()
	done := make(chan error, 1)
	go func() { done <- execute() }()
	select {
	case err := <-done:
		if err != nil {
			b.t.Fatalf("run %s: %v", runID, err)
		}
		return true
	case <-w.crashed:
		b.hub.Fence(w.id, "it crashed")
		if _, err := b.store.FenceWorker(context.Background(), w.id); err != nil {
			b.t.Fatal(err)
		}
		return false
	case <-time.After(30 * time.Second):
		b.t.Fatalf("run %s hangs", runID)
		return false
	}
}

func (b *bench) execute(w *process, runID string) error {
	ctx := context.Background()
	position, err := w.steps.Open(ctx, activities.Step{RunID: runID})
	for err == nil {
		next := decide(position, b.config().MaxSteps)
		if next.activity == "" {
			return nil
		}
		step := activities.Step{RunID: runID, Turn: position.Turn, Outcome: next.outcome}
		switch next.activity {
		case activities.ToolName:
			for _, call := range position.Calls {
				step.Call = call.Index
				var after journal.Position
				if after, err = w.steps.Tool(ctx, step); err != nil {
					return err
				}
				position = after
			}
		case activities.RequestName:
			position, err = w.steps.Request(ctx, step)
		case activities.CompactName:
			position, err = w.steps.Compact(ctx, step)
		case activities.SettleName:
			position, err = w.steps.Settle(ctx, step)
		}
	}
	return err
}

func (b *bench) run(runID string) run.Run {
	b.t.Helper()
	r, err := b.store.Run(b.t.Context(), runID)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) rows(runID string, kind run.RowType) []run.Row {
	b.t.Helper()
	rows, err := b.store.Rows(b.t.Context(), runID, 0, 10_000)
	if err != nil {
		b.t.Fatal(err)
	}
	var found []run.Row
	for _, row := range rows {
		if row.Type == kind || kind == "" {
			found = append(found, row)
		}
	}
	return found
}

func (b *bench) file(runID, name string) string {
	data, err := os.ReadFile(filepath.Join(b.workDir(runID), name))
	if err != nil {
		return ""
	}
	return string(data)
}

// mortalDoor dies at one append: its process is gone, so the call never returns.
type mortalDoor struct {
	door.Door
	at      int
	after   bool
	crashed chan struct{}
	mu      sync.Mutex
	seen    int
}

func (d *mortalDoor) Append(ctx context.Context, rows journal.Append) (journal.Appended, error) {
	d.mu.Lock()
	d.seen++
	dying := d.at > 0 && d.seen >= d.at
	first := d.seen == d.at
	d.mu.Unlock()
	if dying && (!d.after || !first) {
		d.die(first)
	}
	appended, err := d.Door.Append(ctx, rows)
	if dying {
		d.die(first)
	}
	return appended, err
}

func (d *mortalDoor) die(first bool) {
	if first {
		close(d.crashed)
	}
	select {}
}

// scriptedModel answers by how many answers the conversation already has.
type scriptedModel struct {
	answer func(ctx context.Context, turn int, request models.Request) (models.Answer, error)
	mu     sync.Mutex
	asked  map[int]int
}

func (m *scriptedModel) Do(
	ctx context.Context, request models.Request, _ func(models.Delta),
) (models.Answer, error) {
	turn := 1
	if request.Wire != nil {
		body, err := request.Wire.Body(0)
		if err == nil {
			err = json.Unmarshal(body, &request.Messages)
		}
		if err != nil {
			return models.Answer{}, err
		}
	}
	for _, message := range request.Messages {
		if message.Role == models.RoleAssistant {
			turn++
		}
	}
	m.mu.Lock()
	if m.asked == nil {
		m.asked = map[int]int{}
	}
	m.asked[turn]++
	m.mu.Unlock()
	answer, err := m.answer(ctx, turn, request)
	answer.Usage = run.Usage{InputTokens: 100, OutputTokens: 10, Requests: 1}
	if len(answer.Calls) > 0 && answer.Stop == "" {
		answer.Stop = models.StopToolCalls
	}
	return answer, err
}

func (m *scriptedModel) count(turn int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[turn]
}

func call(id, name string, args any) models.Call {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return models.Call{ID: id, Name: name, Args: data}
}
