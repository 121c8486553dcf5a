package dsl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// validRoots are roots that keep every rule, by what they show.
func validRoots() map[string]string {
	judge := `{"node": "judge", "label": "j", "state": {"a": "{q}"}, "out": "Q", "as": "j"}`
	two := `, "branches": {"x": {"body": ` + code + `}, "y": {"body": ` + code + `}}`
	return map[string]string{
		"code alone":                         code,
		"an expression":                      `{"node": "code", "label": "n", "expr": "len(items) > 3", "as": "n"}`,
		"an expression as condition":         escalate(`{"predicate": "expr", "expr": "q == nil"}`),
		"a step that reads an earlier one":   steps(agent(""), agent(`, "state": {"x": "{a.v}", "y": "{state.a.v}"}`)),
		"a label read as key":                steps(`{"node": "extract", "label": "facts", "instructions": "i", "out": "V"}`, agent(`, "requires": ["facts.v"]`)),
		"a sidecar read":                     steps(judge, escalate(`{"predicate": "lt", "path": "j$answers.min_confidence", "n": 0.5}`)),
		"a verify record read":               steps(agent(`, "verify": {"out": "Q", "state": {"x": "{a.v}"}}`), escalate(`{"predicate": "empty", "path": "a$verify.drives"}`)),
		"anything read after code":           steps(code, agent(`, "requires": ["made.by.code"]`)),
		"anything read in a map":             `{"node": "map", "label": "m", "itemsPath": "items", "as": "m", "body": ` + agent(`, "state": {"x": "{item.title} {item_index}"}`) + `}`,
		"a loop until its own body's key":    `{"node": "loop", "label": "l", "maxIters": 2, "body": ` + agent("") + `, "until": {"predicate": "empty", "path": "a.v"}}`,
		"a loop until its own sidecar":       `{"node": "loop", "label": "l", "maxIters": 2, "body": ` + judge + `, "until": {"predicate": "gte", "path": "j$answers.min_confidence", "n": 0.9}}`,
		"a loop until what its code makes":   loop(`{"predicate": "field_true", "path": "done"}`),
		"a list item by its number":          steps(`{"node": "agent", "label": "a", "instructions": "i", "out": "Closed", "as": "a"}`, agent(`, "requires": ["a.list.0.n"]`)),
		"an open schema":                     steps(agent(""), agent(`, "requires": ["a.whatever.deep"]`)),
		"a pick and what it chose":           steps(`{"node": "pick", "label": "p", "itemsPath": "items", "describe": "{item.x}", "instructions": "i", "as": "p", "allowNone": true}`, escalate(`{"predicate": "field_true", "path": "p.none"}`)),
		"a sift and what it kept":            steps(`{"node": "sift", "label": "s", "itemsPath": "items", "out": "C", "as": "s", "keep": {"path": "k.confidence", "gte": 0.5}}`, escalate(`{"predicate": "empty", "path": "s.items"}`)),
		"a route by value":                   `{"node": "route", "label": "r", "valuePath": "q", "otherwise": "x"` + two + `}`,
		"a judged route":                     `{"node": "route", "label": "r", "state": {"a": 1}, "instructions": "i", "unsure": {"branch": "x", "gte": 1}, "as": "r"` + two + `}`,
		"the same key in a route's branches": `{"node": "route", "label": "r", "valuePath": "q", "branches": {"x": {"body": ` + agent("") + `}, "y": {"body": ` + agent("") + `}}}`,
		"a report at the end":                steps(code, `{"node": "report", "label": "r", "instructions": "i", "effort": "low"}`),
		"a prose artifact":                   steps(code, `{"node": "artifact", "label": "r", "type": "report", "path": "x", "instructions": "i"}`),
		"a file artifact":                    steps(shell(`, "produces": ["a.pdf"]`), `{"node": "artifact", "label": "f", "type": "pdf", "path": "a.pdf"}`),
		"fields that older documents have":   `{"node": "decide", "label": "d", "instructions": "i", "out": "V", "as": "d", "samples": 3, "voteField": "v"}`,
		"a poll":                             poll(`"until": {"predicate": "in", "path": "v", "values": ["done", 1, true]}, "fail_when": {"predicate": "expr", "expr": "v == 'bad'"}, "interval_s": 0.1, "deadline_s": 5`),
		"a retry on a code":                  tool(`, "retry": {"attempts": 50, "backoff_s": 0, "on": ["exit", "effect_path_escape"]}`),
		"sections of a procedure":            agent(`, "sopSection": ["One", "Two"]`),
		"no tools":                           agent(`, "tools": []`),
		"prototype names as data":            steps(agent(`, "metadata": {"constructor": 1, "toString": {}}`), `{"node": "judge", "label": "constructor", "state": {"toString": "{q}"}, "out": "Q", "as": "hasOwnProperty"}`),
		"a nullable choice":                  question(`{"type": ["string", "null"], "enum": ["a", "b", null], "description": "d"}`),
	}
}

func TestValidDocuments(t *testing.T) {
	t.Parallel()
	for name, root := range validRoots() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := decodeText(t, documentText(root))
			for _, check := range []Check{{}, {InputKeys: []string{"q", "items"}}} {
				if issues := Validate(doc, check); issues != nil {
					t.Errorf("issues %+v", issues)
				}
			}
			if _, err := Build(doc.(*Object)); err != nil {
				t.Errorf("it is valid, but: %v", err)
			}
		})
	}
}

func TestValidateWithAnInput(t *testing.T) {
	t.Parallel()
	doc := decodeText(t, `{"v": 2, "name": "w", "schemas": {"In": {"type": "object", "properties": {"q": {"type": "string", "minLength": 1}},
		"required": ["q"], "additionalProperties": false}}, "input": {"schemaId": "In"}, "output": {"schemaId": "In"}, "root": `+
		steps(`{"node": "escalate", "label": "e", "kind": "k", "stage": "s", "summary": "m", "when": {"predicate": "empty", "path": "q"}}`)+`}`)
	cases := map[string]struct {
		input any
		codes []string
	}{
		"what it asks for": {ObjectOf("q", "why"), nil},
		"no object":        {"why", []string{"input_not_object", "predicate_unreachable"}},
		"a wrong value":    {ObjectOf("q", ""), []string{"input_schema"}},
		"nothing":          {NewObject(0), []string{"input_schema", "predicate_unreachable"}},
		"a key too many":   {ObjectOf("q", "why", "r", 1.0), []string{"input_schema"}},
		"no JSON value":    {ObjectOf("q", 1), []string{"input_schema"}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issues := Validate(doc, Check{Input: tc.input})
			if diff := cmp.Diff(tc.codes, codesOf(issues), equateEmpty()); diff != "" {
				t.Errorf("codes (-want +got):\n%s\n%v", diff, issues)
			}
		})
	}
}

func TestAnIssueSaysWhereAndWhat(t *testing.T) {
	t.Parallel()
	inChild := child(`, "input": {}, "workflow": {"v": 2, "name": "c", "schemas": {"Any": {}}, "input": {"schemaId": "Any"},
		"output": {"schemaId": "Any"}, "root": {"node": "chain", "steps": [{"node": "agent", "label": "in", "instructions": "i", "out": "Nope"}]}}`)
	cases := map[string]struct {
		root              string
		path, label, says string
	}{
		"a step":               {steps(code, `{"node": "code", "label": "bad", "code": "("}`), "root.steps[1]", "bad", "does not parse"},
		"a branch by number":   {`{"node": "parallel", "label": "p", "branches": [` + code + `, ` + steps() + `]}`, "root.branches[1]", "", "no steps"},
		"a branch by name":     {`{"node": "route", "label": "r", "valuePath": "q", "branches": {"x": {"body": ` + code + `}, "y z": {"body": {"node": "wat", "label": "w"}}}}`, "root.branches.y z.body", "w", `"wat"`},
		"a body":               {`{"node": "map", "label": "m", "itemsPath": "items", "as": "m", "body": {"node": "chain", "steps": []}}`, "root.body", "", "no steps"},
		"a condition":          {escalate(`{"predicate": "nope"}`), "root.when", "e", `"nope"`},
		"a schema's name":      {strings.SplitN(agent(""), `"V"`, 2)[0] + `"Vv"}`, "root", "a", "Any, V, Closed"},
		"a key that is read":   {agent(`, "requires": ["questio"]`), "root", "a", "there is q, items"},
		"a child":              {inChild, "root", "w", `child: root.steps[0] (in): out names "Nope"`},
		"a list for an object": {agent(`, "state": []`), "workflow.root.state", "a", "must be an object and is a list"},
		"an enumeration":       {steps(code, agent(`, "effort": "max"`)), "workflow/root/steps/1/effort", "a", "minimal, low, medium, high"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issues := Validate(decodeText(t, documentText(tc.root)), Check{InputKeys: []string{"q", "items"}})
			if len(issues) != 1 {
				t.Fatalf("issues %+v", issues)
			}
			got := issues[0]
			if got.Path != tc.path || got.Label != tc.label || !strings.Contains(got.Message, tc.says) {
				t.Errorf("path %q, label %q, message %q", got.Path, got.Label, got.Message)
			}
		})
	}
}

func TestTheShapePassStopsAtEight(t *testing.T) {
	t.Parallel()
	bad := strings.Repeat(`{"node": "code", "label": 1, "code": 2}, `, 20)
	issues := Validate(decodeText(t, documentText(`{"node": "chain", "steps": [`+bad+code+`]}`)), Check{})
	if len(issues) != maxShapeIssues {
		t.Errorf("%d issues", len(issues))
	}
	for _, issue := range issues {
		if issue.Code != "shape_type" {
			t.Errorf("issue %+v", issue)
		}
	}
}
