package dsl

import "strings"

// artifact checks a file artifact; a prose one was read as a report.
func (c *checker) artifact(node *Object, at *place, inside Kind) {
	if lacks(node, "type") {
		c.report(at, "artifact_type", "it has no type")
	}
	for _, field := range []string{"state", "instructions", "sopSection", "requires", "tools", "effort", "thinking"} {
		if node.Has(field) {
			c.reportf(at, "artifact_prose_field", "it is a file and has %s", field)
		}
	}
	path := text(node, "path")
	switch {
	case !insidePath(path):
		c.reportf(at, "artifact_path", "path is %s", absentOrQuoted(node, "path"))
	case c.reachable && !c.produced[path]:
		c.reportf(at, "artifact_not_produced", "no earlier call produces %q", clip(path))
	}
	c.product(at, inside)
	c.know.add("artifact", known{})
}

// product notes a report or artifact, and reports one that may run more than once or not at all.
func (c *checker) product(at *place, inside Kind) {
	c.terminals = append(c.terminals, at)
	if inside != "" {
		c.report(at, reportCode(inside), "it is inside of a "+string(inside)+" node")
	}
}

// terminal checks that there is at most one product, and that it comes last.
func (c *checker) terminal() {
	switch {
	case len(c.terminals) > 1:
		c.reportf(c.terminals[1], "terminal_multiple", "there are %d; the first is %s", len(c.terminals), c.terminals[0])
	case len(c.terminals) == 1 && !c.last(c.terminals[0]):
		c.report(c.terminals[0], "terminal_not_last", "something runs after it or around it")
	}
	if !c.reports {
		return
	}
	for _, w := range c.writers {
		schema, _ := object(c.schemas, w.out)
		if properties, _ := object(schema, "properties"); properties.Has("report_markdown") {
			c.reportf(w.at, "report_markdown_smuggled", "the schema %q declares report_markdown", clip(w.out))
		}
	}
}

// last tells whether a product is the root, or the last step of the root chain.
func (c *checker) last(at *place) bool {
	root, _ := object(c.doc, "root")
	if at.outer == nil {
		return true
	}
	steps := list(root, "steps")
	return at.outer.outer == nil && text(root, "node") == string(KindChain) && at.last == len(steps)-1
}

// output checks that there is a value at output.path.
func (c *checker) output() {
	given, _ := object(c.doc, "output")
	path := text(given, "path")
	if !c.know.sees() || blank(path) {
		return
	}
	at := &place{step: "output:"}
	key, rest, _ := strings.Cut(path, ".")
	value, written := c.know.get(key)
	if !written {
		if !c.escalates {
			c.reportf(at, "output_unreachable", "path is %q, but no node writes %q; there is %s", clip(path), clip(key), listed(c.know.names()))
		}
		return
	}
	if segment, ok := value.excludes(rest); !ok {
		c.reportf(at, "typed_path_excluded", "path is %q, but the schema of %q has no %q", clip(path), clip(key), clip(segment))
		return
	}
	if rest == "" {
		c.outputComplete(value, text(given, "schemaId"), at)
	}
}

// outputComplete checks that a value whose properties are known has those that the output requires.
func (c *checker) outputComplete(value known, id string, at *place) {
	properties, has := object(value.schema, "properties")
	if !value.declared || !has || !plainSchema(value.schema) {
		return
	}
	schema, _ := object(c.schemas, id)
	for _, item := range list(schema, "required") {
		if name, ok := item.(string); ok && !properties.Has(name) {
			c.reportf(at, "output_incomplete", "the value has no %q, which the schema %q requires", clip(name), clip(id))
		}
	}
}
