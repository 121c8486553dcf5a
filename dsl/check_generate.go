package dsl

func (c *checker) generate(node *Object, kind Kind, at *place, inside Kind) {
	if lacks(node, "instructions") {
		c.report(at, "instructions_missing", "it has no instructions")
	}
	c.stateMap(node, at, false)
	c.modelFields(node, at)
	if kind == KindReport {
		c.reports = true
		c.product(at, inside)
		c.know.add("report_markdown", known{})
		return
	}
	schema := c.out(node, at)
	if kind == KindAgent {
		c.within(node, "budget_usd", at, "budget_invalid", func(n float64) bool { return n > 0 })
		c.oneOf(node, "context", at, "context_invalid", "fresh", "fork")
	} else {
		c.writers = append(c.writers, writer{at, text(node, "out")})
	}
	key := writes(node)
	c.verify(node, at, key)
	c.know.add(key, known{schema: schema})
}

// writes is the key of a node's value.
func writes(node *Object) string {
	if as := text(node, "as"); as != "" {
		return as
	}
	return text(node, "label")
}

func (c *checker) modelFields(node *Object, at *place) {
	c.oneOf(node, "thinking", at, "thinking_invalid", "low", "medium", "high")
	c.oneOf(node, "tier", at, "tier_invalid", "fast", "default", "strong")
	for _, item := range list(node, "tools") {
		if name, ok := item.(string); !ok || blank(name) {
			c.reportf(at, "tools_invalid", "tools has %s", quoted(item))
		}
	}
}

func (c *checker) verify(node *Object, at *place, key string) {
	verify, given := object(node, "verify")
	if !given {
		return
	}
	inner := at.at(".verify")
	if lacks(verify, "out") {
		c.report(inner, "verify_out_missing", "verify has no out")
	} else if set := c.questionsOf(verify, inner); set != nil && !set.yesNo {
		c.report(inner, "verify_no_boolean", "none of its questions is a yes/no question")
	}
	c.count(verify, "maxDrives", inner, "verify_max_drives")
	if override, ok := object(verify, "override"); ok {
		c.within(override, "below", inner, "verify_override", func(n float64) bool { return n > 0 && n < 1 })
	}
	// The judge sees the submission too, so the state may already read its key.
	own := c.know
	c.know = c.know.branch()
	c.know.add(key, known{})
	state, _ := object(verify, "state")
	c.fills(inner, "state", state)
	c.know = own
	c.know.add(key+"$verify", known{})
}
