package dsl

import (
	"strings"
	"testing"
)

// TestTheLastPassSeesWhatNoRuleNames checks values that only the table of fields refuses, and the pointer to each.
func TestTheLastPassSeesWhatNoRuleNames(t *testing.T) {
	t.Parallel()
	loopWith := func(until string) string {
		return `{"node": "loop", "label": "l", "maxIters": 2, "body": ` + code + `, "until": ` + until + `}`
	}
	cases := map[string]struct{ root, path, says string }{
		"an effort":                     {agent(`, "effort": "huge"`), "workflow/root/effort", "minimal"},
		"no label":                      {`{"node": "code", "code": "s => 1"}`, "workflow/root", "has no label"},
		"a section that is no text":     {agent(`, "sopSection": ["One", 2]`), "workflow/root/sopSection/1", "must be a text"},
		"an unknown field of a part":    {tool(`, "retry": {"attempts": 1, "wait": 2}`), "workflow/root/retry", `"wait"`},
		"an unknown field of a branch":  {`{"node": "route", "label": "r", "valuePath": "q", "branches": {"a/b": {"body": ` + code + `, "x": 1}, "y": {"body": ` + code + `}}}`, "workflow/root/branches/a~1b", `"x"`},
		"a condition with a field over": {loopWith(`{"predicate": "empty", "path": "q", "n": 1}`), "workflow/root/until", `"n"`},
		"a condition without its value": {loopWith(`{"predicate": "field_equals", "path": "q"}`), "workflow/root/until", "has no value"},
		"a count that is no number":     {loopWith(`{"predicate": "count_gte", "path": "q", "n": "2"}`), "workflow/root/until/n", "must be a number"},
		"a path that is no text":        {loopWith(`{"predicate": "empty", "path": 3}`), "workflow/root/until/path", "must be a text"},
		"a criterion that is no text":   {loopWith(`{"predicate": "ask", "instructions": "i", "criteria": {"true": 1}}`), "workflow/root/until/criteria/true", "must be a text"},
		"within a list":                 {steps(code, agent(`, "effort": "huge"`)), "workflow/root/steps/1/effort", "huge"},
		"within a map":                  {mapOver("")[:len(mapOver(""))-1] + `, "metadata": {}}`, "", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issues := Validate(decodeText(t, documentText(tc.root)), Check{})
			if tc.path == "" {
				if issues != nil {
					t.Errorf("issues %v", issues)
				}
				return
			}
			if len(issues) != 1 || issues[0].Code != "schema_document" || issues[0].Path != tc.path || !strings.Contains(issues[0].Message, tc.says) {
				t.Errorf("issues %+v", issues)
			}
		})
	}
}

func TestTheLastPassStopsAtEight(t *testing.T) {
	t.Parallel()
	bad := strings.TrimSuffix(strings.Repeat(agent(`, "effort": "huge"`)+", ", 20), ", ")
	if issues := Validate(decodeText(t, documentText(steps(bad))), Check{}); len(issues) != maxConformIssues {
		t.Errorf("%d issues", len(issues))
	}
}
