package api

import (
	"net/http"
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
	if diff := cmp.Diff(map[string]any{"content": `{"text":"hello"}`, "object": map[string]any{"text": "hello"}}, created["input"]); diff != "" {
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
		"a key twice":      {`{"input":{"text":"a","text":"b"}}`, "input", "doc_duplicate_key"},
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
