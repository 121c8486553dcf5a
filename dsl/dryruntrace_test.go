package dsl_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
)

const tracedText = `{"v": 2, "name": "w", "schemas": {
		"Any": {"type": "object"},
		"In": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
		"V": {"type": "object", "properties": {"v": {"type": "string"}}, "required": ["v"]}},
	"input": {"schemaId": "In"}, "output": {"schemaId": "V", "path": "say"},
	"root": {"node": "chain", "steps": [
		{"node": "loop", "label": "again", "maxIters": %d, "until": {"predicate": "field_true", "path": "n"},
			"body": {"node": "code", "label": "count", "expr": "n + 1", "as": "n"}},
		{"node": "decide", "label": "say", "instructions": "i", "out": "V"}]}}`

func TestADryRunShowsWhatHappened(t *testing.T) {
	t.Parallel()
	report, trace := builtText(t, fmt.Sprintf(tracedText, 1)).TraceDryRun(t.Context(), nil)
	if !report.OK || report.Skipped != nil {
		t.Fatalf("%+v", report)
	}
	var lines []string
	for _, step := range trace.Steps {
		lines = append(lines, step.Type+" "+step.Path+" "+step.Label+" "+string(step.Detail))
	}
	want := []string{
		`node.start /root/steps/0/iterations/0/body count {"kind":"code"}`,
		`code.patch /root/steps/0/iterations/0/body count {"patch":{"n":1}}`,
		`node.end /root/steps/0/iterations/0/body count {"kind":"code","status":"ok"}`,
		`loop.exited /root/steps/0 again {"reason":"bound_reached","iterations":1}`,
		`node.start /root/steps/1 say {"kind":"decide"}`,
		`node.end /root/steps/1 say {"kind":"decide","status":"ok"}`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if string(trace.Input) != `{"n":0}` || string(trace.Output) != `{"v":"x"}` {
		t.Errorf("input %s, output %s", trace.Input, trace.Output)
	}
}

func TestADryRunTakesAnInput(t *testing.T) {
	t.Parallel()
	workflow := builtText(t, fmt.Sprintf(tracedText, 1))
	report, trace := workflow.TraceDryRun(t.Context(), parsed(t, `{"n": 7}`))
	if !report.OK || string(trace.Input) != `{"n":7}` {
		t.Errorf("%+v, input %s", report, trace.Input)
	}
	report, trace = workflow.TraceDryRun(t.Context(), parsed(t, `{"n": "seven"}`))
	if report.OK || report.Stage != "input" || len(trace.Steps) != 0 || trace.Output != nil {
		t.Errorf("%+v, %d steps", report, len(trace.Steps))
	}
}

func TestALongTraceIsCut(t *testing.T) {
	t.Parallel()
	_, trace := builtText(t, fmt.Sprintf(tracedText, 500)).TraceDryRun(t.Context(), nil)
	if len(trace.Steps) != 1000 || trace.LeftOut != 503 {
		t.Errorf("%d steps and %d left out", len(trace.Steps), trace.LeftOut)
	}
}

func TestADryRunThatStandsDownShowsNoSteps(t *testing.T) {
	t.Parallel()
	workflow := builtText(t, `{"v": 2, "name": "w", "schemas": {"P": {"type": "object", "properties": {"v": {"type": "string", "pattern": "^a"}}}},
		"output": {"schemaId": "P"}, "root": {"node": "code", "label": "n", "expr": "1", "as": "n"}}`)
	report, trace := workflow.TraceDryRun(t.Context(), nil)
	if diff := cmp.Diff(dsl.DryRunTrace{Steps: []dsl.TraceStep{}}, trace); diff != "" || len(report.Skipped) == 0 {
		t.Errorf("%+v: %s", report, diff)
	}
}
