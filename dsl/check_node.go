package dsl

import "strings"

// node checks one node and what is below it. inside is the nearest node around it in which a report has no place.
func (c *checker) node(raw *Object, at *place, inside Kind) {
	node := desugarNode(raw)
	kind := Kind(text(node, "node"))
	at.label = clip(text(node, "label"))
	table, known := c.tables.kinds[kind]
	if !known {
		value, _ := node.Get("node")
		c.reportf(at, "node_kind_unknown", "node is %s%s", quoted(value), suggestion(string(kind), c.tables.kindNames))
		return
	}
	c.keys(node, table, at)
	c.names(node, kind, at)
	c.requires(node, at)
	switch kind {
	case KindAgent, KindDecide, KindExtract, KindReport:
		c.generate(node, kind, at, inside)
	case KindCode:
		c.code(node, at)
	case KindArtifact:
		c.artifact(node, at, inside)
	case KindEscalate:
		c.escalate(node, at)
	case KindCall:
		c.call(node, at)
	case KindJudge, KindPick, KindSift:
		c.ask(node, kind, at)
	default:
		c.parent(node, kind, at, inside)
	}
}

// parent checks the nodes that have other nodes below them.
func (c *checker) parent(node *Object, kind Kind, at *place, inside Kind) {
	switch kind {
	case KindChain:
		c.chain(node, at, inside)
	case KindMap:
		c.mapping(node, at)
	case KindParallel:
		c.parallel(node, at)
	case KindLoop:
		c.loop(node, at)
	case KindRoute:
		c.route(node, at)
	default:
		c.child(node, at)
	}
}

func (c *checker) keys(node *Object, table kindTable, at *place) {
	var unknown []string
	for _, key := range node.Keys() {
		if !table.known[key] {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) > 0 {
		known := make([]string, 0, len(table.fields))
		for _, field := range table.fields {
			known = append(known, field.Name)
		}
		c.reportf(at, "node_key_unknown", "it has %s%s; a node of kind %s may have %s", listed(unknown),
			suggestion(unknown[0], known), text(node, "node"), strings.Join(known, ", "))
	}
}

// names checks the keys that the node writes.
func (c *checker) names(node *Object, kind Kind, at *place) {
	as := text(node, "as")
	if strings.HasPrefix(as, "$") {
		c.reportf(at, "as_dollar", "as is %q", clip(as))
	}
	if kind == KindCode || generative(kind) {
		if label := text(node, "label"); as == "" && strings.HasPrefix(label, "$") {
			c.reportf(at, "label_dollar", "the label %q is also the key of the value", clip(label))
		}
	}
	if as == protoKey || as == "" && text(node, "label") == protoKey {
		c.report(at, "doc_key", "the node writes the key "+protoKey)
	}
}

// generative tells whether a node of the kind writes a submission under its label where it has no as.
func generative(kind Kind) bool {
	return kind == KindAgent || kind == KindDecide || kind == KindExtract
}

func (c *checker) requires(node *Object, at *place) {
	for _, item := range list(node, "requires") {
		path, _ := item.(string)
		if blank(path) {
			c.reportf(at, "requires_invalid", "requires has %s", quoted(item))
			continue
		}
		c.reads(at, "requires_unreachable", "requires", path)
	}
}

// stateMap checks the placeholders of a map that is shown to a model or a judge.
func (c *checker) stateMap(node *Object, at *place, needed bool) {
	state, given := object(node, "state")
	if needed && state.Len() == 0 {
		c.report(at, "state_map_invalid", "the judge would see nothing: state is "+emptiness(given))
	}
	c.fills(at, "state", state)
}

func emptiness(given bool) string {
	if given {
		return "empty"
	}
	return "missing"
}

// out checks that the node's out names a schema, and gives the schema.
func (c *checker) out(node *Object, at *place) *Object {
	const code = "out_schema_unknown"
	id := text(node, "out")
	if !c.schemas.Has(id) {
		if !node.Has("out") {
			c.reportf(at, code, "it has no out; schemas has %s", listed(c.schemas.Keys()))
		} else {
			c.reportf(at, code, "out names %q; schemas has %s%s", clip(id), listed(c.schemas.Keys()), suggestion(id, c.schemas.Keys()))
		}
		return nil
	}
	schema, _ := object(c.schemas, id)
	return schema
}

func (c *checker) asMissing(node *Object, at *place) {
	if lacks(node, "as") {
		c.report(at, "as_missing", "it has no as, so its value would be lost")
	}
}

func (c *checker) itemsPath(node *Object, at *place) {
	path := text(node, "itemsPath")
	if blank(path) {
		c.report(at, "items_path_missing", "it has no itemsPath")
		return
	}
	c.reads(at, "items_path_unreachable", "itemsPath", path)
}

func (c *checker) code(node *Object, at *place) {
	_, hasCode := node.Get("code")
	_, hasExpr := node.Get("expr")
	switch {
	case hasCode && hasExpr:
		c.report(at, "code_expr_both", "it has code and expr")
	case hasExpr:
		c.expr(node, at)
	default:
		if err := compileCode(text(node, "code")); err != nil {
			c.report(at, "code_compile", clip("the code cannot be used: "+err.Error()))
		}
	}
	c.know.lose()
}

func (c *checker) expr(o *Object, at *place) {
	if err := compileExpr(text(o, "expr")); err != nil {
		c.report(at, "expr_compile", clip("the expression cannot be used: "+err.Error()))
	}
}
