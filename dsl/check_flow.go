package dsl

import "fmt"

func (c *checker) chain(node *Object, at *place, inside Kind) {
	steps := list(node, "steps")
	if len(steps) == 0 {
		c.report(at, "chain_empty", "the chain has no steps")
	}
	for i, step := range steps {
		if step, ok := step.(*Object); ok {
			c.node(step, at.index("steps", i), inside)
		}
	}
}

func (c *checker) mapping(node *Object, at *place) {
	c.itemsPath(node, at)
	c.asMissing(node, at)
	if node.Has("resultPath") && lacks(node, "resultPath") {
		c.report(at, "map_result_path", "resultPath is blank")
	}
	c.count(node, "maxConcurrency", at, "map_concurrency")
	c.know.lose()
	c.body(node, at, KindMap)
}

func (c *checker) body(node *Object, at *place, kind Kind) {
	if body, ok := object(node, "body"); ok {
		c.node(body, at.at(".body"), kind)
	} else {
		c.reportf(at, "node_kind_unknown", "the %s has no body", kind)
	}
}

func (c *checker) parallel(node *Object, at *place) {
	branches := list(node, "branches")
	if len(branches) < 2 {
		c.reportf(at, "parallel_branches", "it has %d", len(branches))
	}
	before := c.know
	owner := map[string]int{}
	for i, branch := range branches {
		branch, ok := branch.(*Object)
		if !ok {
			continue
		}
		c.know = before.branch()
		c.node(branch, at.index("branches", i), KindParallel)
		c.overlap(branch, i, owner, at)
	}
	c.know = before
	c.know.lose()
}

// overlap reports the keys that a branch and an earlier one declare.
func (c *checker) overlap(branch *Object, i int, owner map[string]int, at *place) {
	w := declaring{keys: map[string]bool{}}
	w.collect(branch)
	for _, key := range w.order {
		if first, taken := owner[key]; taken {
			c.reportf(at, "parallel_overlap", "branches %d and %d both write %q", first, i, clip(key))
		} else {
			owner[key] = i
		}
	}
}

func (c *checker) loop(node *Object, at *place) {
	c.count(node, "maxIters", at, "loop_max_iters")
	if !node.Has("maxIters") {
		c.report(at, "loop_max_iters", "it has no maxIters")
	}
	c.count(node, "expect_iters", at, "loop_expect_iters")
	before := c.know.branch()
	c.know.lose()
	c.body(node, at, KindLoop)
	after := c.know
	c.know = before
	if body, ok := object(node, "body"); ok && before.sees() {
		c.knowLoop(body)
	}
	c.condition(node, "until", at, true)
	c.know = after
}

// knowLoop adds what the body of a loop may have written when its condition is read.
func (c *checker) knowLoop(body *Object) {
	w := declaring{keys: map[string]bool{}, labels: true}
	w.collect(body)
	if w.anything {
		c.know.lose()
		return
	}
	for _, key := range w.order {
		c.know.add(key, known{})
		c.know.add(key+"$answers", known{})
		c.know.add(key+"$verify", known{})
	}
}

func (c *checker) escalate(node *Object, at *place) {
	c.escalates = true
	for _, key := range []string{"kind", "stage", "summary"} {
		if lacks(node, key) {
			c.reportf(at, "escalate_fields", "its %s is missing or blank", key)
		}
	}
	c.condition(node, "when", at, true)
}

// declaring collects what a node and those below it say they write.
type declaring struct {
	keys  map[string]bool
	order []string
	// labels says that values under labels count too.
	labels bool
	// anything is set by code that may write any key.
	anything bool
}

func (d *declaring) add(key string) {
	if key != "" && !d.keys[key] {
		d.keys[key] = true
		d.order = append(d.order, key)
	}
}

func (d *declaring) collect(raw *Object) {
	node := desugarNode(raw)
	kind := Kind(text(node, "node"))
	as := text(node, "as")
	d.add(as)
	switch {
	case kind == KindReport:
		d.add("report_markdown")
	case kind == KindArtifact && d.labels:
		d.add("artifact")
	case kind == KindCode && as == "":
		d.anything = true
	case generative(kind) && as == "" && d.labels:
		d.add(text(node, "label"))
	}
	d.below(node, kind)
}

// below collects from inner nodes. A map is left out: what its items write stays in them.
func (d *declaring) below(node *Object, kind Kind) {
	switch kind {
	case KindChain:
		d.all(list(node, "steps"))
	case KindParallel:
		d.all(list(node, "branches"))
	case KindLoop:
		if body, ok := object(node, "body"); ok {
			d.collect(body)
		}
	case KindRoute:
		branches, _ := object(node, "branches")
		for _, branch := range branches.All() {
			if branch, ok := branch.(*Object); ok {
				if body, ok := object(branch, "body"); ok {
					d.collect(body)
				}
			}
		}
	default: // the others have no inner nodes that write here
	}
}

func (d *declaring) all(nodes []any) {
	for _, node := range nodes {
		if node, ok := node.(*Object); ok {
			d.collect(node)
		}
	}
}

func reportCode(inside Kind) string { return fmt.Sprintf("report_in_%s", inside) }
