package dsl

// condition checks a predicate of a loop or an escalation, which a judge may answer too.
func (c *checker) condition(node *Object, key string, at *place, judged bool) {
	inner := at.at("." + key)
	value, _ := node.Get(key)
	p, ok := value.(*Object)
	if !ok {
		c.reportf(inner, "predicate_shape", "%s is %s", key, absentOr(node, key))
		return
	}
	if !c.predicate(p, inner, judged) {
		return
	}
	if text(p, "predicate") == "ask" {
		c.askPredicate(p, inner)
		return
	}
	path := text(p, "path")
	if text(p, "predicate") == "no_new_items" {
		path = text(p, "key")
	}
	if !blank(path) {
		c.readsCondition(inner, path)
	}
}

func absentOr(o *Object, key string) string {
	value, given := o.Get(key)
	if !given {
		return "missing"
	}
	return article(value)
}

// predicate checks what a predicate is in itself, and says whether the rest of it makes sense.
func (c *checker) predicate(p *Object, at *place, judged bool) bool {
	value, given := p.Get("predicate")
	if !given {
		c.reportf(at, "predicate_shape", "it has no predicate, only %s", listed(p.Keys()))
		return false
	}
	name, _ := value.(string)
	spec, found := c.tables.predicates[name]
	if !found || spec.JudgeOnly && !judged {
		c.reportf(at, "predicate_unknown", "predicate is %s%s", quoted(value), suggestion(name, c.tables.predicateNames))
		return false
	}
	switch name {
	case "in":
		c.membership(p, at)
	case "gte", "lt":
		n, _ := p.Get("n")
		if _, ok := n.(float64); !ok || lacks(p, "path") {
			c.reportf(at, "predicate_number", "path is %s and n is %s", absentOr(p, "path"), absentOr(p, "n"))
		}
	case "expr":
		c.expr(p, at)
	}
	return true
}

func (c *checker) membership(p *Object, at *place) {
	if lacks(p, "path") {
		c.report(at, "predicate_in_path", "in has no path")
	}
	values := list(p, "values")
	if len(values) == 0 {
		c.report(at, "predicate_in_values", "in has no values")
	}
	for _, value := range values {
		switch value.(type) {
		case string, float64, bool:
		default:
			c.reportf(at, "predicate_in_values", "values has %s", article(value))
			return
		}
	}
}

func (c *checker) askPredicate(p *Object, at *place) {
	if lacks(p, "instructions") {
		c.report(at, "ask_instructions", "ask has no instructions")
	}
	c.within(p, "gte", at, "ask_gte", func(n float64) bool { return n > 0.5 && n <= 1 })
	state, ok := object(p, "state")
	if !ok && p.Has("state") {
		c.reportf(at, "ask_state", "state is %s", absentOr(p, "state"))
		return
	}
	c.fills(at, "state", state)
}
