package run_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// whole is a definition that uses every field.
const whole = `{
  "id": "notes-writer", "name": "Notes writer", "description": "Writes notes.", "instructions": "Write notes.",
  "harness": "pi", "model": "openai/gpt-5.6-luna", "tools": ["read", "write"], "effort": "low",
  "max_cost_usd": 0.0004, "max_steps": 20, "place": {"mode": "sandbox", "box": "docker"},
  "output": {"type": "object", "required": ["title"]}, "labels": {"team": "docs"}
}`

func TestDecodeDefinitionReadsEveryField(t *testing.T) {
	t.Parallel()
	got, issues := run.DecodeDefinition([]byte(whole))
	if len(issues) > 0 {
		t.Fatalf("issues: %v", issues)
	}
	budget := run.Dollar / 2500
	want := run.Definition{
		ID: "notes-writer", Name: "Notes writer", Description: "Writes notes.", Instructions: "Write notes.",
		Harness: "pi", Model: "openai/gpt-5.6-luna", Tools: []string{"read", "write"}, Effort: "low",
		MaxCostUSD: &budget, MaxSteps: 20, Place: &run.Place{Mode: "sandbox", Box: "docker"},
		Output: json.RawMessage(`{"type": "object", "required": ["title"]}`), Labels: map[string]string{"team": "docs"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeDefinitionTakesNullForWhatIsOptional(t *testing.T) {
	t.Parallel()
	got, issues := run.DecodeDefinition([]byte(`{"id":"a","name":"A","instructions":"Do.","description":null,"harness":null,
		"model":null,"effort":null,"max_cost_usd":null,"max_steps":null,"place":null,"output":null,"labels":null}`))
	if len(issues) > 0 {
		t.Fatalf("issues: %v", issues)
	}
	want := run.Definition{ID: "a", Name: "A", Instructions: "Do.", Tools: []string{}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.HarnessID() != run.DefaultHarness || got.PlaceOrDefault().Mode != run.PlaceRunner {
		t.Errorf("defaults: harness %q, place %+v", got.HarnessID(), got.PlaceOrDefault())
	}
}

// fault names one issue as "path code".
func faults(issues []run.Issue) []string {
	list := make([]string, len(issues))
	for i, issue := range issues {
		list[i] = issue.Path + " " + issue.Code
	}
	return list
}

// workflow is a document of one node.
const workflow = `{"v":2,"name":"w","schemas":{
	"In":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},
	"Out":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}},
	"input":{"schemaId":"In"},"output":{"schemaId":"Out","path":"out"},
	"root":{"node":"extract","label":"one","instructions":"Do it.","state":{"t":"{text}"},"out":"Out","as":"out"}}`

func TestAWorkflowIsKeptAsItWasWritten(t *testing.T) {
	t.Parallel()
	def, issues := run.DecodeDefinition([]byte(`{"id":"a","name":"A","workflow":` + workflow + `}`))
	if len(issues) > 0 {
		t.Fatal(issues)
	}
	if string(def.Workflow) != workflow || def.Kind() != run.KindWorkflow {
		t.Errorf("kind %s, workflow %s", def.Kind(), def.Workflow)
	}
}

func TestDecodeDefinitionNamesEachFaultAtItsPath(t *testing.T) {
	t.Parallel()
	const rest = `"id":"a","name":"A","instructions":"Do."`
	manyTools := strings.TrimSuffix(strings.Repeat(`"t",`, run.MaxTools+1), ",")
	manyLabels := make([]string, 0, run.MaxLabels+1)
	for i := range run.MaxLabels + 1 {
		manyLabels = append(manyLabels, fmt.Sprintf(`"k%d":"v"`, i))
	}
	for name, test := range map[string]struct {
		data string
		want []string
	}{
		"not JSON":              {`{`, []string{"definition malformed_json"}},
		"two documents":         {`{} {}`, []string{"definition malformed_json"}},
		"not an object":         {`[]`, []string{"definition wrong_type", "definition.id required", "definition.name required", "definition.instructions required"}},
		"nothing":               {`{}`, []string{"definition.id required", "definition.name required", "definition.instructions required"}},
		"unknown field":         {`{` + rest + `,"oddity":"x"}`, []string{"definition.oddity unknown_field"}},
		"another case":          {`{` + rest + `,"Tools":[]}`, []string{"definition.Tools unknown_field"}},
		"field given twice":     {`{` + rest + `,"id":"b"}`, []string{"definition.id duplicate_field"}},
		"id with capitals":      {`{"id":"Notes","name":"A","instructions":"Do."}`, []string{"definition.id invalid_format"}},
		"id too long":           {`{"id":"` + strings.Repeat("a", 65) + `","name":"A","instructions":"Do."}`, []string{"definition.id too_long"}},
		"id a number":           {`{"id":7,"name":"A","instructions":"Do."}`, []string{"definition.id wrong_type"}},
		"id null":               {`{"id":null,"name":"A","instructions":"Do."}`, []string{"definition.id wrong_type"}},
		"name of two lines":     {`{"id":"a","name":"A\nB","instructions":"Do."}`, []string{"definition.name invalid_text"}},
		"blank instructions":    {`{"id":"a","name":"A","instructions":"  "}`, []string{"definition.instructions too_short"}},
		"NUL in instructions":   {`{"id":"a","name":"A","instructions":"a\u0000b"}`, []string{"definition.instructions invalid_text"}},
		"long instructions":     {`{"id":"a","name":"A","instructions":"` + strings.Repeat("x", run.MaxInstructions+1) + `"}`, []string{"definition.instructions too_long"}},
		"description a list":    {`{` + rest + `,"description":[]}`, []string{"definition.description wrong_type"}},
		"model without slash":   {`{` + rest + `,"model":"luna"}`, []string{"definition.model invalid_format"}},
		"tools a string":        {`{` + rest + `,"tools":"read"}`, []string{"definition.tools wrong_type"}},
		"tool a number":         {`{` + rest + `,"tools":["read",1]}`, []string{"definition.tools[1] wrong_type"}},
		"tool twice":            {`{` + rest + `,"tools":["read","read"]}`, []string{"definition.tools[1] duplicate_item"}},
		"too many tools":        {`{` + rest + `,"tools":[` + manyTools + `]}`, []string{"definition.tools too_long"}},
		"effort unknown":        {`{` + rest + `,"effort":"extreme"}`, []string{"definition.effort not_one_of"}},
		"cap negative":          {`{` + rest + `,"max_cost_usd":-1}`, []string{"definition.max_cost_usd out_of_range"}},
		"cap a string":          {`{` + rest + `,"max_cost_usd":"1"}`, []string{"definition.max_cost_usd wrong_type"}},
		"cap too fine":          {`{` + rest + `,"max_cost_usd":0.00000000001}`, []string{"definition.max_cost_usd invalid_format"}},
		"cap too large":         {`{` + rest + `,"max_cost_usd":1e30}`, []string{"definition.max_cost_usd invalid_format"}},
		"max_steps zero":        {`{` + rest + `,"max_steps":0}`, []string{"definition.max_steps out_of_range"}},
		"max_steps a fraction":  {`{` + rest + `,"max_steps":1.5}`, []string{"definition.max_steps wrong_type"}},
		"place a string":        {`{` + rest + `,"place":"sandbox"}`, []string{"definition.place wrong_type"}},
		"place of no kind":      {`{` + rest + `,"place":{}}`, []string{"definition.place.mode required"}},
		"place elsewhere":       {`{` + rest + `,"place":{"mode":"moon"}}`, []string{"definition.place.mode not_one_of"}},
		"runner with a box":     {`{` + rest + `,"place":{"mode":"runner","box":"docker"}}`, []string{"definition.place.box unknown_field"}},
		"sandbox without a box": {`{` + rest + `,"place":{"mode":"sandbox"}}`, []string{"definition.place.box required"}},
		"place with more":       {`{` + rest + `,"place":{"mode":"runner","os":"linux"}}`, []string{"definition.place.os unknown_field"}},
		"output not an object":  {`{` + rest + `,"output":true}`, []string{"definition.output wrong_type"}},
		"output too large":      {`{` + rest + `,"output":{"$comment":"` + strings.Repeat("x", run.MaxOutputSchema) + `"}}`, []string{"definition.output too_long"}},
		"label a number":        {`{` + rest + `,"labels":{"team":1}}`, []string{"definition.labels.team wrong_type"}},
		"label with a colon":    {`{` + rest + `,"labels":{"a:b":"c"}}`, []string{"definition.labels.a:b invalid_format"}},
		"label value too long":  {`{` + rest + `,"labels":{"a":"` + strings.Repeat("x", 257) + `"}}`, []string{"definition.labels.a too_long"}},
		"too many labels":       {`{` + rest + `,"labels":{` + strings.Join(manyLabels, ",") + `}}`, []string{"definition.labels too_long"}},
		"an empty workflow": {`{"id":"a","name":"A","workflow":{"v":2}}`, []string{
			"definition.workflow name_missing", "definition.workflow schemas_missing",
			"definition.workflow.output output_schema_unknown", "definition.workflow.root node_kind_unknown",
		}},
		"a workflow that is text":      {`{"id":"a","name":"A","workflow":"x"}`, []string{"definition.workflow shape_type"}},
		"a workflow key twice":         {`{"id":"a","name":"A","workflow":{"v":2,"v":2}}`, []string{"definition.workflow doc_duplicate_key"}},
		"a workflow with instructions": {`{` + rest + `,"workflow":` + workflow + `}`, []string{"definition.instructions excluded"}},
		"a workflow with an output":    {`{"id":"a","name":"A","output":{},"workflow":` + workflow + `}`, []string{"definition.output excluded"}},
		"a workflow's unreachable key": {`{"id":"a","name":"A","workflow":` + strings.Replace(workflow, "{text}", "{txt}", 1) + `}`, []string{"definition.workflow.root interpolation_unreachable"}},
		"several at once":              {`{"id":"A","name":1,"instructions":"x","tools":[1]}`, []string{"definition.id invalid_format", "definition.name wrong_type", "definition.tools[0] wrong_type"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, issues := run.DecodeDefinition([]byte(test.data))
			if diff := cmp.Diff(test.want, faults(issues)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeDefinitionListsABoundedNumberOfFaults(t *testing.T) {
	t.Parallel()
	fields := make([]string, 0, 5000)
	for i := range 5000 {
		fields = append(fields, fmt.Sprintf(`"%s%d":1`, strings.Repeat("x", 300), i))
	}
	_, issues := run.DecodeDefinition([]byte("{" + strings.Join(fields, ",") + "}"))
	if len(issues) != 100 {
		t.Errorf("%d issues, want 100", len(issues))
	}
	if n := len(issues[0].Path); n > 200 {
		t.Errorf("a path of %d bytes", n)
	}
}

// What decodes without a fault encodes to something that decodes to the same.
func FuzzDecodeDefinition(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(`{"id":"a","name":"A","instructions":"Do.","tools":[],"place":{"mode":"runner"}}`))
	f.Add([]byte(`{"id":"a","name":"\ud800","instructions":"x","max_cost_usd":1e-10,"output":{}}`))
	f.Add([]byte(`{"labels":{"a":null},"tools":[null],"place":null,"max_steps":9999999999999999999}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		first, issues := run.DecodeDefinition(data)
		if len(issues) > 0 {
			return
		}
		encoded, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		second, issues := run.DecodeDefinition(encoded)
		if len(issues) > 0 {
			t.Fatalf("%s: %v", encoded, issues)
		}
		again, err := json.Marshal(second)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(encoded), string(again)); diff != "" {
			t.Error(diff)
		}
	})
}
