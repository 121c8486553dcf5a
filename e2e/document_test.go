package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// example reads a file of a workflow example.
func example(t *testing.T, name, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "examples", "workflows", name, file))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// withExample starts a server on an example's scripted model, with the example as an agent of its name.
func withExample(t *testing.T, name string) *server {
	t.Helper()
	s := start(t, setup{flags: []string{"--faux", filepath.Join("..", "examples", "workflows", name, "faux.yaml")}})
	s.workflow(name, example(t, name, "workflow.json"))
	return s
}

// workflow makes an agent of a document.
func (s *server) workflow(id string, document []byte) {
	s.t.Helper()
	definition := map[string]any{
		"id": id, "name": id, "tools": []string{"read", "write"}, "workflow": json.RawMessage(document), "max_steps": 10_000,
	}
	if _, err := s.client.CreateAgent(s.t.Context(), definition); err != nil {
		s.t.Fatal(err)
	}
}

// give starts a run of a workflow.
func (s *server) give(agent string, input []byte, limit *run.USD) string {
	s.t.Helper()
	created, err := s.client.CreateRun(s.t.Context(), agent, client.NewRun{Object: input, MaxCostUSD: limit})
	if err != nil {
		s.t.Fatal(err)
	}
	return created.ID
}

// graph is what /graph says of a run.
type graph struct {
	Nodes []struct {
		ID, Label, Kind, Status string
		Item                    string
		Count                   int
	} `json:"nodes"`
	Edges  []struct{ From, To string } `json:"edges"`
	Totals struct {
		Requests  int64    `json:"requests"`
		ToolCalls int64    `json:"tool_calls"`
		CostUSD   *run.USD `json:"cost_usd"`
		Tokens    int64    `json:"tokens"`
	} `json:"totals"`
}

func (s *server) graph(id string) graph {
	s.t.Helper()
	var drawn graph
	if err := json.Unmarshal(s.call("GET", "/v2/runs/"+id+"/graph", nil).want(s.t, 200).body, &drawn); err != nil {
		s.t.Fatal(err)
	}
	return drawn
}

// checkTotals: what a run's graph adds up to is what the run itself says.
func (s *server) checkTotals(r run.Run) graph {
	s.t.Helper()
	drawn := s.graph(r.ID)
	totals := drawn.Totals
	if totals.Requests != r.Usage.Requests || totals.ToolCalls != r.Usage.ToolCalls ||
		totals.Tokens != r.Usage.InputTokens+r.Usage.OutputTokens {
		s.t.Errorf("the graph's totals %+v are not the run's %+v", totals, r.Usage)
	}
	if (totals.CostUSD == nil) != (r.Cost.USD == nil) || totals.CostUSD != nil && *totals.CostUSD != *r.Cost.USD {
		s.t.Errorf("the graph costs %v, the run %v", totals.CostUSD, r.Cost.USD)
	}
	return drawn
}

// TestAWorkflowReviewsReleaseNotes is catalogue row 15.
func TestAWorkflowReviewsReleaseNotes(t *testing.T) {
	t.Parallel()
	s := withExample(t, "review-release-notes")
	r := s.completes(s.give("review-release-notes", example(t, "review-release-notes", "input.json"), nil))
	var output struct {
		Summary string `json:"summary"`
		Changes []any  `json:"changes"`
	}
	if err := json.Unmarshal(r.Result.Output, &output); err != nil || len(output.Changes) != 2 || output.Summary == "" {
		t.Errorf("output %s, %v", r.Result.Output, err)
	}
	if r.Cost.USD == nil || *r.Cost.USD == 0 {
		t.Errorf("cost %+v", r.Cost)
	}
	if drawn := s.checkTotals(r); len(drawn.Nodes) != 4 || len(drawn.Edges) == 0 {
		t.Errorf("the graph: %+v", drawn)
	}
	if kind := s.call("GET", "/v2/runs/"+r.ID, nil).object(t)["input"]; fmt.Sprint(kind) == "" {
		t.Error("the run does not show its input")
	}
}

// TestAnEscalationReadsAsOne everywhere: in the run, its rows, its graph and the command line's exit code.
func TestAnEscalationReadsAsOne(t *testing.T) {
	t.Parallel()
	s := withExample(t, "support-answers")
	input := example(t, "support-answers", "input-unsure.json")
	r := s.rests(s.give("support-answers", input, nil))
	if r.Status != run.Failed || r.Error == nil || r.Error.Code != run.CodeEscalated || r.Error.Details["stage"] == "" ||
		r.Error.Details["kind"] == "" || r.Error.Details["summary"] == "" {
		t.Fatalf("the run is %s: %+v", r.Status, r.Error)
	}
	if rows := s.rows(r.ID, run.RowEscalation); len(rows) != 1 || rows[0]["stage"] != r.Error.Details["stage"] {
		t.Errorf("escalation rows: %v", rows)
	}
	s.checkTotals(r)
	command := exec.Command(binary(t, ""), "run", "support-answers", string(input))
	command.Env = []string{"AGENTRUN_BASE_URL=" + s.base, "AGENTRUN_TOKEN=" + s.token, "PATH=" + os.Getenv("PATH")}
	output, err := command.CombinedOutput()
	if code := command.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, %v:\n%s", code, err, output)
	}
	if !strings.Contains(string(output), "escalated") {
		t.Errorf("the command line says: %s", output)
	}
}

// mapDocument maps an extraction over items.
func mapDocument(concurrency int) []byte {
	return fmt.Appendf(nil, `{"v":2,"name":"many","schemas":{
	"In":{"type":"object","properties":{"items":{"type":"array"}},"required":["items"],"additionalProperties":false},
	"N":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false},"Out":{"type":"array"}},
	"input":{"schemaId":"In"},"output":{"schemaId":"Out","path":"all"},
	"root":{"node":"map","label":"each","itemsPath":"items","as":"all","maxConcurrency":%d,
	"body":{"node":"extract","label":"one","instructions":"Count.","state":{"i":"{item}"},"out":"N","as":"n"}}}`, concurrency)
}

func items(n int) []byte {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	data, _ := json.Marshal(map[string]any{"items": list})
	return data
}

const countScript = `
models: [{id: faux-1, max_output: 1000, min_output: 1000, context_window: 200000, prices: {input: 1, output: 2}}]
rules: [{reply: {delay: 20ms, output: {n: 1}}}]
`

// TestACapInTheMiddleOfAMap pauses the run with nothing held, and a raise completes it without asking anything twice.
func TestACapInTheMiddleOfAMap(t *testing.T) {
	t.Parallel()
	g := newGateway(t, countScript)
	s := start(t, setup{env: g.env()})
	s.price()
	s = s.restarted()
	s.workflow("many", mapDocument(8))
	limit, err := run.ParseUSD("0.02")
	if err != nil {
		t.Fatal(err)
	}
	id := s.give("many", items(200), &limit)
	r := s.rests(id)
	if r.Status != run.InputRequired || r.Pending == nil || r.Pending.Kind != run.PendingBudget || r.Usage.Requests == 0 {
		t.Fatalf("the run is %s: %+v, %+v after %d requests", r.Status, r.Pending, r.Error, r.Usage.Requests)
	}
	if r.Cost.HeldUSD != 0 || *r.Cost.USD > limit {
		t.Errorf("paused with cost %+v", r.Cost)
	}
	raised := run.Dollar
	if _, err := s.client.SetCap(t.Context(), id, raised); err != nil {
		t.Fatal(err)
	}
	s.checkTotals(s.completes(id))
	if requests := len(g.Requests()); requests != 200 {
		t.Errorf("%d requests for 200 items", requests)
	}
}

// TestAWorkflowSurvivesKills kills the worker again and again in the middle of a map: the output is whole, and only
// requests that a kill cut were asked again.
func TestAWorkflowSurvivesKills(t *testing.T) {
	t.Parallel()
	g := newGateway(t, strings.Replace(countScript, "20ms", "60ms", 1))
	s := start(t, setup{env: g.env()})
	s.workflow("many", mapDocument(4))
	id := s.give("many", items(200), nil)
	kills := 0
	for kills < 5 {
		r := s.until(id, "a worker holds the run", func(r run.Run) bool { return r.Claim.Holder != nil || r.Status.Terminal() })
		if r.Status.Terminal() {
			break
		}
		time.Sleep(time.Duration(300+rand.IntN(300)) * time.Millisecond)
		if syscall.Kill(r.Claim.Holder.PID, syscall.SIGKILL) == nil {
			kills++
			s.until(id, "another worker has it", func(now run.Run) bool { return now.Claim.Epoch > r.Claim.Epoch || now.Status.Terminal() })
		}
	}
	r := s.completes(id)
	var output []any
	if err := json.Unmarshal(r.Result.Output, &output); err != nil || len(output) != 200 {
		t.Errorf("%d results, %v", len(output), err)
	}
	if again := len(g.Requests()) - 200; again < 0 || again > kills*4 {
		t.Errorf("%d requests asked again after %d kills of 4 at once", again, kills)
	}
	if results := s.rows(id, run.RowAnswer); len(results) != 200 {
		t.Errorf("%d answers", len(results))
	}
}

// TestALongDocumentStaysSmall maps over many items and loops many times: all complete, and no history passes 10,000
// events.
func TestALongDocumentStaysSmall(t *testing.T) {
	many, rounds := 10_000, 5_000
	if os.Getenv("CI") != "" {
		many, rounds = 2_000, 500 // the machine's other tests run beside this one
	}
	dir := t.TempDir()
	s := start(t, setup{
		dir:   dir,
		flags: []string{"--faux", script(t, dir, strings.Replace(countScript, "delay: 20ms, ", "", 1)), "--engine-token-file", filepath.Join(dir, "engine-token")},
	})
	s.workflow("many", mapDocument(16))
	s.workflow("again", fmt.Appendf(nil, `{"v":2,"name":"again","schemas":{"In":{"type":"object"},
	"N":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}},
	"input":{"schemaId":"In"},"output":{"schemaId":"N","path":"n"},
	"root":{"node":"loop","label":"again","maxIters":%d,"until":{"predicate":"gte","path":"n.n","n":5},
	"body":{"node":"extract","label":"one","instructions":"Count.","state":{"x":"{x}"},"out":"N","as":"n"}}}`, rounds))
	for id, want := range map[string]int{s.give("many", items(many), nil): many, s.give("again", []byte(`{"x":1}`), nil): rounds} {
		var r run.Run
		eventually(t, 5*time.Minute, func() string { return fmt.Sprintf("the run ends: %+v", r) }, func() bool {
			r = s.run(id)
			return r.Status.Terminal()
		})
		if r.Status != run.Completed || r.Usage.Requests != int64(want) {
			t.Errorf("%s after %d of %d requests: %+v", r.Status, r.Usage.Requests, want, r.Error)
		}
		if drawn := s.checkTotals(r); len(drawn.Nodes) > 60 {
			t.Errorf("the graph has %d nodes", len(drawn.Nodes))
		}
		s.checkHistories(id)
	}
}

// script writes a script for the scripted gateway.
func script(t *testing.T, dir, text string) string {
	t.Helper()
	path := filepath.Join(dir, "script.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
