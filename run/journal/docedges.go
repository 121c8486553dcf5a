package journal

import (
	"slices"
	"strconv"
	"strings"
)

// Finish sets each node's parent and returns the edges: in a chain from each step to the next, in a loop from each round
// to the next, into and out of what runs beside each other.
func (g *DocumentGraph) Finish() []Edge {
	root := &branch{children: map[string]*branch{}}
	for _, node := range g.Nodes {
		at := root
		for part := range strings.SplitSeq(strings.TrimPrefix(node.ID, "/"), "/") {
			at = at.child(part)
		}
		at.node = node
	}
	root.adopt("")
	var edges []Edge
	root.flow(&edges)
	return edges
}

// branch is a part of the execution's paths.
type branch struct {
	node     *Node
	names    []string
	children map[string]*branch
}

func (b *branch) child(name string) *branch {
	next := b.children[name]
	if next == nil {
		next = &branch{children: map[string]*branch{}}
		b.children[name] = next
		b.names = append(b.names, name)
	}
	return next
}

// adopt tells each node which one it is in.
func (b *branch) adopt(parent string) {
	if b.node != nil {
		b.node.Parent, parent = parent, b.node.ID
	}
	for _, child := range b.children {
		child.adopt(parent)
	}
}

// flow adds the edges within a branch, and gives the nodes it begins and ends with.
func (b *branch) flow(edges *[]Edge) (entries, exits []string) {
	for _, name := range b.names {
		child := b.children[name]
		var in, out []string
		if name == "steps" || name == "iterations" {
			in, out = child.sequence(edges)
		} else {
			in, out = child.flow(edges)
		}
		entries, exits = append(entries, in...), append(exits, out...)
	}
	if b.node == nil {
		return entries, exits
	}
	for _, to := range entries {
		*edges = append(*edges, Edge{b.node.ID, to})
	}
	if len(exits) == 0 {
		exits = []string{b.node.ID}
	}
	return []string{b.node.ID}, exits
}

// sequence is the flow of parts that run one after another.
func (b *branch) sequence(edges *[]Edge) (entries, exits []string) {
	names := slices.Clone(b.names)
	slices.SortFunc(names, func(a, c string) int { return ordinal(a) - ordinal(c) })
	for _, name := range names {
		in, out := b.children[name].flow(edges)
		if len(in) == 0 {
			continue
		}
		for _, from := range exits {
			for _, to := range in {
				*edges = append(*edges, Edge{from, to})
			}
		}
		if entries == nil {
			entries = in
		}
		exits = out
	}
	return entries, exits
}

// ordinal orders steps by number; the folded rest comes last.
func ordinal(name string) int {
	n, err := strconv.Atoi(name)
	if err != nil {
		return foldFrom
	}
	return n
}
