package dsl

import "fmt"

func (c *checker) child(node *Object, at *place) {
	if lacks(node, "label") || lacks(node, "as") {
		c.reportf(at, "workflow_label_as", "label is %s and as is %s", absentOrQuoted(node, "label"), absentOrQuoted(node, "as"))
	}
	schema := c.out(node, at)
	input, given := object(node, "input")
	if !given {
		c.reportf(at, "workflow_input_map", "input is %s", absentOr(node, "input"))
	}
	if input.Has(hostKey) {
		c.report(at, "workflow_input_host", "input has "+hostKey)
	}
	c.fills(at, "input", input)
	c.childDocument(node, input, at)
	c.learn(node, known{schema: schema}, false)
}

// childDocument checks the child as a document of its own that is given the keys of the invocation.
func (c *checker) childDocument(node, input *Object, at *place) {
	doc, _ := object(node, "workflow")
	if _, ok := object(doc, "root"); !ok {
		c.report(at, "workflow_child_root", "workflow is no document with a root")
		return
	}
	if given, _ := object(doc, "input"); !given.Has("schemaId") {
		c.report(at, "workflow_child_input_schema", "the child has no input.schemaId")
	}
	child := newChecker(c.tables, doc)
	child.know, child.reachable = newKnowledge(), true
	child.knowInput(input.Keys())
	child.document()
	if len(child.terminals) > 0 {
		c.reportf(at, "workflow_child_terminal", "the child has one at %s", child.terminals[0])
	}
	for _, issue := range child.issues {
		c.add(within(issue, at))
	}
}

// within is an issue of a child as its parent reports it.
func within(issue Issue, at *place) Issue {
	where := issue.Path
	if issue.Label != "" {
		where = fmt.Sprintf("%s (%s)", issue.Path, issue.Label)
	}
	return Issue{
		Code: issue.Code, Path: at.String(), Label: at.label, Hint: issue.Hint,
		Message: fmt.Sprintf("child: %s: %s", where, issue.Message),
	}
}
