package dsl

import "strings"

// ask checks the nodes that ask a judge for their value.
func (c *checker) ask(node *Object, kind Kind, at *place) {
	if kind != KindJudge {
		c.itemsPath(node, at)
	}
	c.asMissing(node, at)
	switch kind {
	case KindJudge:
		c.stateMap(node, at, true)
		schema, _ := object(c.schemas, text(node, "out"))
		c.questionsOf(node, at)
		c.learn(node, known{schema: schema, declared: true}, true)
	case KindPick:
		c.stateMap(node, at, false)
		c.pick(node, at)
		c.learn(node, known{schema: shapeOf("index", "item", "none", "option"), declared: true}, true)
	default:
		c.stateMap(node, at, false)
		c.sift(node, at)
		c.learn(node, known{schema: shapeOf("items", "values", "answers", "kept"), declared: true}, false)
	}
}

// learn adds a node's value, and its sidecar where it has one.
func (c *checker) learn(node *Object, value known, sidecar bool) {
	as := text(node, "as")
	if blank(as) {
		return
	}
	c.know.add(as, value)
	if sidecar {
		c.know.add(as+"$answers", known{})
	}
}

// shapeOf is the schema of a value of which only the fields are known.
func shapeOf(fields ...string) *Object {
	properties := NewObject(len(fields))
	for _, field := range fields {
		properties.Set(field, NewObject(0))
	}
	return ObjectOf("properties", properties)
}

func (c *checker) pick(node *Object, at *place) {
	if lacks(node, "describe") {
		c.report(at, "pick_describe", "it has no describe")
	}
	if lacks(node, "instructions") {
		c.report(at, "pick_instructions", "it has no instructions")
	}
	if none, given := node.Get("allowNone"); given {
		if _, ok := none.(bool); !ok {
			c.reportf(at, "pick_allow_none", "allowNone is %s", quoted(none))
		}
	}
}

func (c *checker) sift(node *Object, at *place) {
	if node.Has("describe") && lacks(node, "describe") {
		c.report(at, "sift_describe", "describe is blank")
	}
	set := c.questionsOf(node, at)
	keep, given := object(node, "keep")
	if !given {
		return
	}
	inner := at.at(".keep")
	c.within(keep, "gte", inner, "sift_keep_gte", func(float64) bool { return true })
	path := text(keep, "path")
	if blank(path) {
		c.report(inner, "sift_keep_path", "keep has no path")
		return
	}
	if set == nil {
		return
	}
	id, byConfidence := strings.CutSuffix(path, ".confidence")
	if set.forms[path] != "" {
		id, byConfidence = path, false
	}
	switch set.forms[id] {
	case "":
		c.reportf(inner, "sift_keep_unknown", "path is %q; the questions are %s", clip(path), listed(set.ids))
	case formChoice:
		if !byConfidence {
			c.reportf(inner, "sift_keep_choice", "%q is a choice, which has no size", clip(id))
		}
	}
}
