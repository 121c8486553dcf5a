package dsl_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
)

// inspectedText is a document that has every relation between nodes and every need of a host.
const inspectedText = `{"v": 2, "name": "outer",
	"schemas": {
		"Any": {"type": "object"},
		"In": {"type": "object", "properties": {"notes": {"type": "array"}}},
		"Q": {"type": "object", "properties": {"ok": {"type": "boolean", "description": "Is it ok?"}}}
	},
	"input": {"schemaId": "In"}, "output": {"schemaId": "Any", "path": "all"},
	"root": {"node": "chain", "steps": [
		{"node": "map", "label": "each", "itemsPath": "notes", "as": "all", "resultPath": "one", "body":
			{"node": "agent", "label": "one", "instructions": "i", "sopSection": ["Tone", "Facts"], "out": "Any",
			 "tools": ["search", "read"], "verify": {"out": "Q"}}},
		{"node": "parallel", "label": "both", "branches": [
			{"node": "call", "label": "fetch", "via": "tool", "tool": "search", "args": {}, "out": "Any", "as": "found", "deadline_s": 1},
			{"node": "call", "label": "run", "via": "shell", "command": "ls", "as": "listing", "deadline_s": 1}]},
		{"node": "loop", "label": "again", "maxIters": 3, "until": {"predicate": "field_true", "path": "j.ok"}, "body":
			{"node": "judge", "label": "ask", "state": {"a": "b"}, "out": "Q", "as": "j"}},
		{"node": "route", "label": "way", "valuePath": "listing.stdout", "otherwise": "a/b", "as": "taken", "branches": {
			"a/b": {"body": {"node": "code", "label": "sum", "expr": "1", "as": "n"}},
			"c": {"body": {"node": "call", "label": "js", "via": "executor", "code": "return {}", "out": "Any", "as": "e", "deadline_s": 1}}}},
		{"node": "workflow", "label": "sub", "input": {}, "out": "Any", "as": "sub", "workflow":
			{"v": 2, "name": "inner", "schemas": {"Any": {"type": "object"}}, "input": {"schemaId": "Any"}, "output": {"schemaId": "Any"}, "root":
				{"node": "agent", "label": "deep", "instructions": "i", "out": "Any", "as": "deep", "tools": ["write"]}}},
		{"node": "artifact", "label": "end", "type": "report", "instructions": "i"}
	]}}`

func builtText(t *testing.T, text string) *dsl.Workflow {
	t.Helper()
	doc := parsed(t, text)
	if issues := dsl.Validate(doc, dsl.Check{}); len(issues) > 0 {
		t.Fatalf("the test's own document: %v", issues)
	}
	workflow, err := dsl.Build(doc)
	if err != nil {
		t.Fatal(err)
	}
	return workflow
}

func TestInspectNamesEveryNode(t *testing.T) {
	t.Parallel()
	found := dsl.Inspect(builtText(t, inspectedText))
	lines := make([]string, 0, len(found.Nodes))
	for _, node := range found.Nodes {
		lines = append(lines, strings.Join([]string{
			node.Path, node.Parent, node.Place, node.Relation, string(node.Kind), node.Label, node.Workflow,
			strings.Join(node.Writes, "+"), node.OutputSchema, node.ResultPath, node.ChildWorkflow,
		}, " | "))
	}
	want := []string{
		"/root |  | root | root | chain |  | outer |  |  |  | ",
		"/root/steps/0 | /root | root.steps[0] | step 1 | map | each | outer | all |  | one | ",
		"/root/steps/0/body | /root/steps/0 | root.steps[0].body | each notes | agent | one | outer | one+one$verify | Any |  | ",
		"/root/steps/1 | /root | root.steps[1] | step 2 | parallel | both | outer |  |  |  | ",
		"/root/steps/1/branches/0 | /root/steps/1 | root.steps[1].branches[0] | parallel 1 | call | fetch | outer | found | Any |  | ",
		"/root/steps/1/branches/1 | /root/steps/1 | root.steps[1].branches[1] | parallel 2 | call | run | outer | listing |  |  | ",
		"/root/steps/2 | /root | root.steps[2] | step 3 | loop | again | outer |  |  |  | ",
		"/root/steps/2/body | /root/steps/2 | root.steps[2].body | up to 3 iterations | judge | ask | outer | j+j$answers | Q |  | ",
		"/root/steps/3 | /root | root.steps[3] | step 4 | route | way | outer | taken |  |  | ",
		"/root/steps/3/branches/a~1b/body | /root/steps/3 | root.steps[3].branches.a/b.body | route a/b | code | sum | outer | n |  |  | ",
		"/root/steps/3/branches/c/body | /root/steps/3 | root.steps[3].branches.c.body | route c | call | js | outer | e | Any |  | ",
		"/root/steps/4 | /root | root.steps[4] | step 5 | workflow | sub | outer | sub | Any |  | inner",
		"/root/steps/4/workflow/root | /root/steps/4 | root.steps[4].workflow.root | workflow inner | agent | deep | inner | deep | Any |  | ",
		"/root/steps/5 | /root | root.steps[5] | step 6 | report | end | outer | report_markdown |  |  | ",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

func TestInspectNamesWhatAHostMustHave(t *testing.T) {
	t.Parallel()
	workflow := builtText(t, inspectedText)
	found := dsl.Inspect(workflow)
	want := dsl.Requires{
		Adapters: []string{"runEffect", "runJudge", "runNode"}, Tools: []string{"read", "search", "write"},
		SOPSections: []string{"Facts", "Tone"}, ExecutableCode: true,
		ToolUses: []dsl.ToolUse{
			{Tool: "search", Path: "root.steps[0].body.tools[0]", Label: "one"},
			{Tool: "read", Path: "root.steps[0].body.tools[1]", Label: "one"},
			{Tool: "search", Path: "root.steps[1].branches[0].tool", Label: "fetch", Call: true},
			{Tool: "write", Path: "root.steps[4].workflow.root.tools[0]", Label: "deep"},
		},
		BoxCalls: []dsl.BoxCall{
			{Via: "shell", Path: "root.steps[1].branches[1].via", Label: "run"},
			{Via: "executor", Path: "root.steps[3].branches.c.body.via", Label: "js"},
		},
	}
	if diff := cmp.Diff(want, found.Requires); diff != "" {
		t.Errorf("requires (-want +got):\n%s", diff)
	}
	if found.SHA256 != workflow.Digest() || found.Checked != "structure-only" || found.Version != 2 {
		t.Errorf("the head is %s %s %d", found.SHA256, found.Checked, found.Version)
	}
	if found.InputSchema != "In" || found.OutputSchema != "Any" || found.OutputPath != "all" {
		t.Errorf("input %s, output %s at %s", found.InputSchema, found.OutputSchema, found.OutputPath)
	}
}

func TestInspectOfADocumentThatNeedsNothing(t *testing.T) {
	t.Parallel()
	found := dsl.Inspect(builtText(t, `{"v": 2, "name": "w", "schemas": {"Any": {"type": "object"}}, "output": {"schemaId": "Any"},
		"root": {"node": "code", "label": "n", "expr": "1", "as": "n"}}`))
	text, err := json.Marshal(found.Requires)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"adapters":[],"tools":[],"sopSections":[],"executableCode":false,"toolUses":[],"boxCalls":[]}`
	if string(text) != want {
		t.Errorf("requires %s", text)
	}
}

// TestInspectKnowsWhoAsksAJudge: each document needs a judge for one reason.
func TestInspectKnowsWhoAsksAJudge(t *testing.T) {
	t.Parallel()
	const code = `{"node": "code", "label": "c", "expr": "1", "as": "n"}`
	for name, tc := range map[string]struct {
		root string
		asks bool
	}{
		"a loop until ask":       {`{"node": "loop", "label": "l", "maxIters": 1, "until": {"predicate": "ask", "instructions": "i"}, "body": ` + code + `}`, true},
		"an escalation when ask": {`{"node": "escalate", "label": "l", "kind": "k", "stage": "s", "summary": "s", "when": {"predicate": "ask", "instructions": "i"}}`, true},
		"a judged route":         {`{"node": "route", "label": "l", "state": {"a": "b"}, "instructions": "i", "branches": {"a": {"body": ` + code + `}, "b": {"body": ` + code + `}}}`, true},
		"a route by value":       {`{"node": "route", "label": "l", "valuePath": "v", "branches": {"a": {"body": ` + code + `}, "b": {"body": ` + code + `}}}`, false},
		"plain code":             {code, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := dsl.Inspect(builtText(t, `{"v": 2, "name": "w", "schemas": {"Any": {"type": "object"}}, "output": {"schemaId": "Any"}, "root": `+tc.root+`}`))
			if asks := len(found.Requires.Adapters) == 1 && found.Requires.Adapters[0] == "runJudge"; asks != tc.asks {
				t.Errorf("adapters %v", found.Requires.Adapters)
			}
		})
	}
}
