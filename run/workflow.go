package run

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agentrun/agentrun/dsl"
)

// workflowPath is where a definition holds its document.
const workflowPath = "definition.workflow"

// workflow reads a workflow document and lists everything that is wrong with it. Nothing in it is executed.
func (r *reader) workflow(m member) json.RawMessage {
	if len(m.data) > MaxWorkflow {
		r.fault(m.path, "too_long", fmt.Sprintf("must be at most %d bytes", MaxWorkflow))
		return nil
	}
	document, issue := DecodeWorkflow(m.path, m.data)
	if issue != nil {
		r.issues = append(r.issues, *issue)
		return nil
	}
	for _, found := range WorkflowIssues(m.path, dsl.Validate(document, CheckOf(document))) {
		if len(r.issues) < maxIssues {
			r.issues = append(r.issues, found)
		}
	}
	return slices.Clone(m.data)
}

// DecodeWorkflow reads the JSON text of a workflow document; the issue says why it is none. path is where it stood.
func DecodeWorkflow(path string, data []byte) (any, *Issue) {
	document, err := dsl.Decode(data)
	if err == nil {
		return document, nil
	}
	issue := Issue{Path: path, Code: "malformed_json", Message: err.Error()}
	if found, ok := err.(*dsl.Issue); ok { //nolint:errorlint // it is the decoder's own, unwrapped
		issue.Code, issue.Message, issue.Hint = found.Code, found.Message, found.Hint
	}
	return nil, &issue
}

// CheckOf is what a document is checked with before it has an input: where its input schema is closed, only that schema's
// properties can be read.
func CheckOf(document any) dsl.Check {
	object, _ := document.(*dsl.Object)
	input := objectAt(object, "input")
	id, _ := input.Get("schemaId")
	name, _ := id.(string)
	schema := objectAt(objectAt(object, "schemas"), name)
	if closed, given := schema.Get("additionalProperties"); !given || closed != false {
		return dsl.Check{}
	}
	return dsl.Check{InputKeys: append([]string{}, objectAt(schema, "properties").Keys()...)}
}

// objectAt is the object at a key of another; nil, which is empty, where there is none.
func objectAt(object *dsl.Object, key string) *dsl.Object {
	value, _ := object.Get(key)
	inner, _ := value.(*dsl.Object)
	return inner
}

// WorkflowIssues are a document's issues at their paths below where the document stands.
func WorkflowIssues(path string, issues []dsl.Issue) []Issue {
	list := make([]Issue, 0, len(issues))
	for _, issue := range issues {
		message := issue.Message
		if issue.Label != "" {
			message = fmt.Sprintf("(%s) %s", issue.Label, message)
		}
		list = append(list, Issue{Path: below(path, issue.Path), Code: issue.Code, Message: message, Hint: issue.Hint})
	}
	return list
}

// below puts a path of the language under another: `root.steps[0]` or `workflow.name`, `schema "Report"`, `input:`.
func below(path, inner string) string {
	inner = strings.TrimSuffix(inner, ":")
	if rest, ok := strings.CutPrefix(inner, "schema "); ok {
		return path + ".schemas." + strings.Trim(rest, `"`)
	}
	inner = strings.TrimPrefix(strings.TrimPrefix(inner, "workflow."), "workflow/")
	if inner == "" || inner == "workflow" {
		return path
	}
	return path + "." + strings.ReplaceAll(inner, "/", ".")
}

// workflow holds what a document needs against what the server has: tools, a box for commands, procedure texts.
func (c *checker) workflow(d Definition) {
	if len(d.Workflow) == 0 {
		return
	}
	value, err := dsl.Decode(d.Workflow)
	object, ok := value.(*dsl.Object)
	if err != nil || !ok {
		return // reading the definition said so
	}
	document, err := dsl.Build(object)
	if err != nil {
		return
	}
	requires := dsl.Inspect(document).Requires
	for _, use := range requires.ToolUses {
		c.tool(d, workflowPath+"."+use.Path, use.Tool)
	}
	for _, call := range requires.BoxCalls {
		if d.PlaceOrDefault().Mode != PlaceSandbox {
			c.warnings.fault(workflowPath+"."+call.Path, "place_unavailable", fmt.Sprintf("the call %q via %s runs in a box "+
				"only, and the agent's place is a runner", call.Label, call.Via))
		}
	}
	for _, place := range requires.Forks {
		c.warnings.fault(workflowPath+"."+place, "fork_unavailable", "a run begins without a transcript that a node could go on "+
			"from: leave context out, or write fresh")
	}
	if len(requires.SOPSections) > 0 {
		c.warnings.fault(workflowPath, "sop_unavailable", fmt.Sprintf("the document reads the procedure sections %s, and this "+
			"server keeps no procedure text", strings.Join(requires.SOPSections, ", ")))
	}
}
