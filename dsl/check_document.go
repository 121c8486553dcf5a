package dsl

// document checks everything of the document but its input's value.
func (c *checker) document() {
	top := &place{step: "workflow"}
	if v, _ := c.doc.Get("v"); v != 2.0 {
		c.reportf(top, "version", "v is %s, not 2", quoted(v))
	}
	if lacks(c.doc, "name") {
		c.report(top, "name_missing", "the document has no name")
	}
	if c.schemas == nil {
		c.report(top, "schemas_missing", "the document has no schemas")
	}
	compiled, issues := CompileSchemas(c.schemas)
	c.compiled = compiled
	for _, issue := range issues {
		c.add(issue)
	}
	c.schemaID("input", "input_schema_unknown")
	c.schemaID("output", "output_schema_unknown")
	c.root()
	c.terminal()
	c.output()
}

// schemaID checks that the input or the output names a schema. Only an input may be left out.
func (c *checker) schemaID(key, code string) {
	given, ok := object(c.doc, key)
	if !ok && key == "input" {
		return
	}
	if id := text(given, "schemaId"); !c.schemas.Has(id) {
		c.reportf(&place{step: key + ":"}, code, "schemaId names %q; schemas has %s%s", clip(id),
			listed(c.schemas.Keys()), suggestion(id, c.schemas.Keys()))
	}
}

func (c *checker) root() {
	at := &place{step: "root"}
	root, ok := object(c.doc, "root")
	if !ok {
		c.report(at, "node_kind_unknown", "the document has no root")
		return
	}
	c.node(root, at, "")
}

// input checks the value that the workflow is to run with.
func (c *checker) input(value any) {
	at := &place{step: "input:"}
	input, ok := value.(*Object)
	if !ok {
		c.report(at, "input_not_object", "the input is "+article(value))
		return
	}
	given, _ := object(c.doc, "input")
	id := text(given, "schemaId")
	if issue := checkBounds(input); issue != nil {
		c.report(at, "input_schema", "the input is too large: "+issue.Message)
		return
	}
	if !c.compiled.Has(id) {
		return
	}
	for _, problem := range c.compiled.Check(id, input) {
		c.report(at, "input_schema", problem)
	}
}
