package dsl

import "fmt"

// inner is a node that is right below another one, and where: as a part of an execution path, as a part of a place in
// the document, and in words.
type inner struct {
	node                  Node
	path, place, relation string
	// child is the document that the node is the root of; nil where it is in its parent's.
	child *Workflow
}

// workflow is the document that the node is in, where its parent is in w.
func (b inner) workflow(w *Workflow) *Workflow {
	if b.child != nil {
		return b.child
	}
	return w
}

// innerOf are the nodes right below one, in the document's order. A body that runs many times is one of them.
func innerOf(node Node) []inner {
	switch n := node.(type) {
	case *Chain:
		return numbered(n.Steps, "steps", "step")
	case *Parallel:
		return numbered(n.Branches, "branches", "parallel")
	case *Map:
		return []inner{{node: n.Body, path: "/body", place: ".body", relation: "each " + n.ItemsPath}}
	case *Loop:
		return []inner{{node: n.Body, path: "/body", place: ".body", relation: fmt.Sprintf("up to %d iterations", n.MaxIters)}}
	case *Route:
		found := make([]inner, 0, len(n.Branches))
		for _, branch := range n.Branches {
			found = append(found, inner{
				node: branch.Body, path: "/branches/" + pointerToken(branch.Name) + "/body",
				place: ".branches" + named(branch.Name) + ".body", relation: "route " + branch.Name,
			})
		}
		return found
	case *Child:
		return []inner{{
			node: n.Workflow.Root, path: "/workflow/root", place: ".workflow.root",
			relation: "workflow " + n.Workflow.Name, child: n.Workflow,
		}}
	default:
		return nil
	}
}

func numbered(nodes []Node, field, word string) []inner {
	found := make([]inner, 0, len(nodes))
	for i, node := range nodes {
		found = append(found, inner{
			node: node, path: fmt.Sprintf("/%s/%d", field, i), place: fmt.Sprintf(".%s[%d]", field, i),
			relation: fmt.Sprintf("%s %d", word, i+1),
		})
	}
	return found
}
