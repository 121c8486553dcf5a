package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// workflow is a document of one node, with a closed input.
const workflow = `{"v":2,"name":"w","schemas":{
	"In":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},
	"Out":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}},
	"input":{"schemaId":"In"},"output":{"schemaId":"Out","path":"out"},
	"root":{"node":"extract","label":"one","instructions":"Do it.","state":{"t":"{text}"},"out":"Out","as":"out"}}`

func TestAWorkflowAgentTakesItsDocumentsInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.send(http.MethodPost, "/v2/agents", `{"definition":{"id":"w","name":"W","workflow":`+workflow+`}}`).want(http.StatusCreated)
	var got, created map[string]any
	b.send(http.MethodGet, "/v2/agents/w", "").want(http.StatusOK, &got)
	if got["kind"] != run.KindWorkflow {
		t.Errorf("the agent's kind is %v", got["kind"])
	}
	b.send(http.MethodPost, "/v2/agents/w/runs", `{"input":{"text":"hello"}}`).want(http.StatusCreated, &created)
	if created["kind"] != run.KindWorkflow {
		t.Errorf("the run's kind is %v", created["kind"])
	}
	if diff := cmp.Diff(map[string]any{"text": "hello"}, created["input"]); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
}

func TestAWorkflowsInputIsCheckedAgainstItsSchema(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.send(http.MethodPost, "/v2/agents", `{"definition":{"id":"w","name":"W","workflow":`+workflow+`}}`).want(http.StatusCreated)
	for name, c := range map[string]struct{ body, path, code string }{
		"not the schema's": {`{"input":{"text":7}}`, "input", "input_schema"},
		"a list":           {`{"input":[]}`, "input", ""},
		"a key twice":      {`{"input":{"text":"a","text":"b"}}`, "input.text", "duplicate_field"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := b.send(http.MethodPost, "/v2/agents/w/runs", c.body).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
			if len(got.Errors) == 0 || c.code != "" && got.Errors[0].Code != c.code {
				t.Errorf("%+v", got.Errors)
			}
		})
	}
}

func TestWorkflowRoutesSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var found validityView
	b.send(http.MethodPost, "/v2/workflows/validate", `{"workflow":`+workflow+`}`).want(http.StatusOK, &found)
	if !found.Valid || len(found.Issues) != 0 {
		t.Errorf("%+v", found)
	}
	for name, c := range map[string]struct{ body, code string }{
		"a kind that is none":        {`{"workflow":` + strings.Replace(workflow, `"extract"`, `"extrakt"`, 1) + `}`, "node_kind_unknown"},
		"a key twice":                {`{"workflow":{"v":2,"v":2}}`, "doc_duplicate_key"},
		"not an object":              {`{"workflow":7}`, "shape_type"},
		"a key the input lacks":      {`{"workflow":` + strings.Replace(workflow, "{text}", "{txt}", 1) + `,"input":{"text":"a"}}`, "interpolation_unreachable"},
		"an input unlike its schema": {`{"workflow":` + workflow + `,"input":{"text":1}}`, "input_schema"},
	} {
		found = validityView{}
		b.send(http.MethodPost, "/v2/workflows/validate", c.body).want(http.StatusOK, &found)
		if found.Valid || len(found.Issues) == 0 || found.Issues[0].Code != c.code || found.Issues[0].Hint == "" {
			t.Errorf("%s: %+v, want %s", name, found, c.code)
		}
	}
	b.send(http.MethodPost, "/v2/workflows/validate", `{"workflow":`+workflow+`,"x":1}`).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
	b.send(http.MethodPost, "/v2/workflows/graph", `{"workflow":{"v":2}}`).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
	b.send(http.MethodPost, "/v2/workflows/dry-run", `{"workflow":`+workflow+`,"answers":{"gem":{}}}`).
		problem(http.StatusUnprocessableEntity, run.ErrInvalid)
}

func TestADryRunShowsItsSteps(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var made, scripted, failed dryRunView
	b.send(http.MethodPost, "/v2/workflows/dry-run", `{"workflow":`+workflow+`}`).want(http.StatusOK, &made)
	if !made.OK || len(made.Steps) == 0 || made.Output == nil {
		t.Errorf("%+v", made)
	}
	body := `{"workflow":` + workflow + `,"input":{"text":"x"},"answers":{"gen":{"/root":{"submission":{"a":"%s"}}}}}`
	b.send(http.MethodPost, "/v2/workflows/dry-run", fmt.Sprintf(body, "done")).want(http.StatusOK, &scripted)
	if diff := cmp.Diff(map[string]any{"a": "done"}, scripted.Output); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	wrong := strings.Replace(fmt.Sprintf(body, "done"), `"a":"done"`, `"b":1`, 1)
	b.send(http.MethodPost, "/v2/workflows/dry-run", wrong).want(http.StatusOK, &failed)
	if failed.OK || failed.Stage != "one" || len(failed.Problems) == 0 {
		t.Errorf("%+v", failed)
	}
}

func TestADocumentIsDrawn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var graph staticGraphView
	b.send(http.MethodPost, "/v2/workflows/graph", `{"workflow":`+workflow+`}`).want(http.StatusOK, &graph)
	if len(graph.Nodes) != 1 || graph.Nodes[0].Label != "one" {
		t.Errorf("%+v", graph)
	}
}

func TestWhatADocumentNeedsAndThisServerLacks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	document := `{"v":2,"name":"w","schemas":{"Out":{"type":"object"}},"output":{"schemaId":"Out"},
		"root":{"node":"call","label":"list","via":"shell","command":"ls","as":"files","deadline_s":5}}`
	var agent map[string]any
	b.send(http.MethodPost, "/v2/agents", `{"definition":{"id":"w","name":"W","workflow":`+document+`}}`).want(http.StatusCreated, &agent)
	warnings, _ := agent["warnings"].([]any)
	if len(warnings) != 1 {
		t.Fatalf("warnings %v", agent["warnings"])
	}
	got := b.send(http.MethodPost, "/v2/agents/w/runs", `{"input":{}}`).problem(http.StatusConflict, run.ErrAgentNotRunnable)
	if !strings.Contains(got.Detail, "shell") || !strings.Contains(got.Detail, "list") {
		t.Errorf("%q names neither the call nor its way", got.Detail)
	}
	forks := strings.Replace(workflow, `"node":"extract"`, `"node":"agent","context":"fork"`, 1)
	b.send(http.MethodPost, "/v2/agents", `{"definition":{"id":"f","name":"F","workflow":`+forks+`}}`).want(http.StatusCreated, &agent)
	got = b.send(http.MethodPost, "/v2/agents/f/runs", `{"input":{"text":"a"}}`).problem(http.StatusConflict, run.ErrAgentNotRunnable)
	if !strings.Contains(got.Detail, "transcript") {
		t.Errorf("%q does not say what a fork lacks", got.Detail)
	}
	unknown := strings.Replace(document, `"via":"shell","command":"ls"`, `"via":"tool","tool":"fly","args":{},"out":"Out"`, 1)
	refused := b.send(http.MethodPost, "/v2/agents", `{"definition":{"id":"v","name":"V","workflow":`+unknown+`}}`).
		problem(http.StatusUnprocessableEntity, run.ErrInvalid)
	if diff := cmp.Diff([]string{"definition.workflow.root.tool unknown_tool"}, refused.faults()); diff != "" {
		t.Error(diff)
	}
}
