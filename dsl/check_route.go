package dsl

const maxBranches = 240

func (c *checker) route(node *Object, at *place) {
	branches, _ := object(node, "branches")
	if branches.Len() < 2 {
		c.reportf(at, "route_branches_min", "it has %d", branches.Len())
	}
	byValue := node.Has("valuePath")
	if byValue {
		c.routeByValue(node, branches, at)
	} else {
		c.routeJudged(node, branches, at)
	}
	if node.Has("as") && lacks(node, "as") {
		c.report(at, "route_as", "as is blank")
	}
	c.know.lose()
	for name, value := range branches.All() {
		branch, _ := value.(*Object)
		c.branch(name, branch, byValue, at)
	}
}

func (c *checker) routeJudged(node, branches *Object, at *place) {
	c.stateMap(node, at, true)
	if lacks(node, "instructions") {
		c.report(at, "route_instructions", "it has no instructions")
	}
	if branches.Len() > maxBranches {
		c.reportf(at, "route_branches_max", "it has %d", branches.Len())
	}
	if node.Has("otherwise") {
		c.report(at, "route_otherwise_judged", "it has otherwise, but no valuePath")
	}
	unsure, given := object(node, "unsure")
	if !given {
		return
	}
	inner := at.at(".unsure")
	if name := text(unsure, "branch"); !branches.Has(name) {
		c.reportf(inner, "route_unsure_branch", "branch is %q; the branches are %s", clip(name), listed(branches.Keys()))
	}
	c.within(unsure, "gte", inner, "route_unsure_gte", func(n float64) bool { return n > 0 && n <= 1 })
	if !unsure.Has("gte") {
		c.report(inner, "route_unsure_gte", "it has no gte")
	}
}

func (c *checker) routeByValue(node, branches *Object, at *place) {
	if lacks(node, "valuePath") {
		c.report(at, "route_value_path", "valuePath is blank")
	} else {
		c.reads(at, "route_value_unreachable", "valuePath", text(node, "valuePath"))
	}
	for _, key := range []string{"state", "instructions", "unsure"} {
		if node.Has(key) {
			c.reportf(at, "route_value_mixed", "it has valuePath and %s", key)
		}
	}
	if name := text(node, "otherwise"); node.Has("otherwise") && !branches.Has(name) {
		c.reportf(at, "route_otherwise", "otherwise is %q; the branches are %s", clip(name), listed(branches.Keys()))
	}
}

func (c *checker) branch(name string, branch *Object, byValue bool, at *place) {
	inner := at.at(".branches" + named(name))
	if blank(name) {
		c.report(inner, "route_branch_name", "a branch has a blank name")
	}
	if criteria, given := branch.Get("criteria"); given {
		if byValue {
			c.report(inner, "route_value_criteria", "it has criteria")
		} else if _, ok := criteria.(string); !ok {
			c.reportf(inner, "route_criteria", "criteria is %s", article(criteria))
		}
	}
	body, ok := object(branch, "body")
	if !ok {
		c.reportf(inner, "route_branch_body", "body is %s", absentOr(branch, "body"))
		return
	}
	c.node(body, inner.at(".body"), KindRoute)
}
