package dsl

import "iter"

// nodes yields a node and all below it, those of child workflows too.
func nodes(root Node) iter.Seq[Node] {
	return func(yield func(Node) bool) { walk(root, yield) }
}

func walk(node Node, yield func(Node) bool) bool {
	if !yield(node) {
		return false
	}
	for _, below := range inside(node) {
		if !walk(below, yield) {
			return false
		}
	}
	return true
}

// inside are the nodes right below one.
func inside(node Node) []Node {
	switch n := node.(type) {
	case *Chain:
		return n.Steps
	case *Parallel:
		return n.Branches
	case *Map:
		return []Node{n.Body}
	case *Loop:
		return []Node{n.Body}
	case *Child:
		return []Node{n.Workflow.Root}
	case *Route:
		bodies := make([]Node, len(n.Branches))
		for i, branch := range n.Branches {
			bodies[i] = branch.Body
		}
		return bodies
	default:
		return nil
	}
}

// composed tells whether a graph needs the keys that name a path: a child workflow runs more than once or by choice, or
// holds more than plain steps. The keys of all other graphs leave the path out.
func composed(node Node, repeated, inChild bool) bool {
	switch n := node.(type) {
	case *Map, *Loop, *Route:
		repeated = true
	case *Child:
		if repeated || inChild || !plainSteps(n.Workflow.Root) {
			return true
		}
		inChild = true
	}
	for _, below := range inside(node) {
		if composed(below, repeated, inChild) {
			return true
		}
	}
	return false
}

func plainSteps(root Node) bool {
	steps := []Node{root}
	if chain, ok := root.(*Chain); ok {
		steps = chain.Steps
	}
	for _, step := range steps {
		switch step.base().Kind {
		case KindCode, KindCall, KindAgent, KindDecide, KindExtract, KindEscalate, KindJudge, KindPick, KindSift:
		default:
			return false
		}
	}
	return true
}
