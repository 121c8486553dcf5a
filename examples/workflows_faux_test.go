package examples_test

import (
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/testsuite"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/dsl/cases"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/models/faux"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/store"
	"github.com/agentrun/agentrun/workflows"
)

// TestWorkflowExamplesRunOnTheirScriptedModel runs each document as the server does: store, door, activities, Temporal's
// test environment, and a real model client that talks to the example's scripted gateway. What comes out is what the
// case of the same input expects, and the script has no rule that nothing needs.
func TestWorkflowExamplesRunOnTheirScriptedModel(t *testing.T) {
	t.Parallel()
	for _, name := range workflowExamples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inputs, err := filepath.Glob(filepath.Join("workflows", name, "input*.json"))
			if err != nil {
				t.Fatal(err)
			}
			unused := rulesOf(t, name)
			for _, input := range inputs {
				got, gateway := runExample(t, name, filepath.Base(input))
				asExpected(t, strings.Replace(input, "input", "case", 1), got)
				if got.Cost.USD == nil || got.Cost.USD.String() == "0" {
					t.Errorf("%s: the run cost %+v, though the script's model has prices", input, got.Cost)
				}
				if repeats := gateway.Repeats(); len(repeats) > 0 {
					t.Errorf("%s: asked twice: %+v", input, repeats)
				}
				for _, record := range gateway.Requests() {
					delete(unused, record.Rule)
				}
			}
			if len(unused) > 0 {
				t.Errorf("rules that no request needs: %v", slices.Sorted(maps.Keys(unused)))
			}
		})
	}
}

// asExpected compares a run on the server with what the case on the same input expects.
func asExpected(t *testing.T, file string, got run.Run) {
	t.Helper()
	c, err := cases.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if c.Expect.Outcome == "escalated" {
		want, _ := c.Expect.Escalation.Value.(*dsl.Object)
		if got.Error == nil || got.Error.Code != "escalated" {
			t.Fatalf("%s: the run is %s: %+v", file, got.Status, got.Error)
		}
		for key, value := range want.All() {
			if diff := cmp.Diff(value, got.Error.Details[key]); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", file, key, diff)
			}
		}
		return
	}
	if got.Status != run.Completed || got.Result == nil {
		t.Fatalf("%s: the run is %s: %+v", file, got.Status, got.Error)
	}
	output, err := dsl.Decode(got.Result.Output)
	if err != nil {
		t.Fatal(err)
	}
	if want := c.Expect.Output.Value; !dsl.Equal(want, output) {
		t.Errorf("%s: output (-want +got):\n%s", file, cmp.Diff(dsl.JSON(want), dsl.JSON(output)))
	}
}

// rulesOf are the names of the rules of an example's script.
func rulesOf(t *testing.T, name string) map[string]bool {
	t.Helper()
	script, err := faux.Parse(readFile(t, "workflows", name, "faux.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]bool{}
	for _, rule := range script.Rules {
		rules[rule.Name] = true
	}
	return rules
}

// runExample runs an example's document on an input, under a cap of one dollar.
func runExample(t *testing.T, name, input string) (run.Run, *faux.Gateway) {
	t.Helper()
	gateway, url := exampleGateway(t, name)
	hub := door.NewHub(time.Hour)
	dir := t.TempDir()
	record, err := store.Open(t.Context(), store.Options{Dir: dir, Alive: hub.Alive})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = record.Close() })
	holder := run.Holder{Worker: "w", PID: 1}
	if err := hub.Hello(t.Context(), holder); err != nil {
		t.Fatal(err)
	}
	id := newExampleRun(t, record, gateway.Models()[0], name, input)
	steps := activities.New(activities.Options{
		Model: models.New(models.Options{}), Holder: holder, Attempts: 1,
		Door: &door.Local{
			Record: record, Hub: hub, Feed: door.NewFeed(),
			WorkDir:  func(runID string) string { return filepath.Join(dir, "runs", runID, "work") },
			Endpoint: func(run.Model) (door.Endpoint, error) { return door.Endpoint{BaseURL: url}, nil },
			Reveal:   func(string) (string, error) { return "", errors.New("no secrets here") },
		},
	})
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	environment := suite.NewTestWorkflowEnvironment()
	environment.SetTestTimeout(time.Minute)
	workflows.Register(environment, steps)
	environment.ExecuteWorkflow(workflows.RunName, workflows.Input{RunID: id, Kind: run.KindWorkflow, MaxSteps: 20})
	if err := environment.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	got, err := record.Run(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return got, gateway
}

func exampleGateway(t *testing.T, name string) (*faux.Gateway, string) {
	t.Helper()
	script, err := faux.Parse(readFile(t, "workflows", name, "faux.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	gateway, err := faux.New(script, faux.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gateway)
	t.Cleanup(server.Close)
	return gateway, server.URL + "/v1"
}

func newExampleRun(t *testing.T, record *store.Store, model run.Model, name, input string) string {
	t.Helper()
	object := readFile(t, "workflows", name, input)
	definition := run.Definition{ID: "example", Name: name, Instructions: "none"}
	if _, err := record.CreateAgent(t.Context(), definition, nil); err != nil {
		t.Fatal(err)
	}
	limit, err := run.ParseUSD("1")
	if err != nil {
		t.Fatal(err)
	}
	created, _, err := record.CreateRun(t.Context(), store.NewRun{
		ID: run.NewID(time.Now()), AgentID: "example", Revision: 1, Kind: run.KindWorkflow,
		Config: run.Config{
			Harness: "pi", MaxSteps: 20, Model: model, Tools: []string{"read", "write", "edit"},
			Workflow: json.RawMessage(readFile(t, "workflows", name, "workflow.json")),
		},
		Input: run.Input{Content: string(object), Object: object}, FirstMessage: string(object), MaxCostUSD: &limit, Source: "api",
	})
	if err != nil {
		t.Fatal(err)
	}
	return created.ID
}
