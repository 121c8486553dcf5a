package dsl

// Graph is a document as a picture shows it: what runs, inside what, and what comes after what. A chain is no node of
// it: its steps follow each other.
type Graph struct {
	Name  string      `json:"name"`
	Nodes []GraphNode `json:"nodes"`
	Edges []GraphEdge `json:"edges"`
}

// GraphNode is a node of a document. A body that runs many times is one node.
type GraphNode struct {
	// ID is where it runs (`/root/steps/0/body`), Parent the ID of the node that it is in; "" at the top.
	ID     string `json:"id"`
	Label  string `json:"label"`
	Kind   Kind   `json:"kind"`
	Parent string `json:"parent"`
	// Detail says in words how it runs what is in it, or whom a call asks; "" where the label says all.
	Detail string `json:"detail,omitempty"`
}

// GraphEdge leads from a node to one that comes after it. Label is the way of a route.
type GraphEdge struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Label string `json:"label,omitempty"`
}

// GraphOf draws a workflow, its child workflows included.
func GraphOf(w *Workflow) Graph {
	d := drawing{graph: Graph{Name: w.Name, Nodes: []GraphNode{}, Edges: []GraphEdge{}}}
	d.node(w.Root, "/root", "")
	return d.graph
}

type drawing struct{ graph Graph }

// ends are where a part of a graph is entered, and the edges by which it is left, their To still open.
type ends struct {
	entries []string
	exits   []GraphEdge
}

// node draws a node and what is in it.
func (d *drawing) node(node Node, path, parent string) ends {
	if chain, ok := node.(*Chain); ok {
		return d.chain(chain, path, parent)
	}
	base := node.base()
	d.graph.Nodes = append(d.graph.Nodes, GraphNode{
		ID: path, Label: base.Label, Kind: base.Kind, Parent: parent, Detail: detailOf(node),
	})
	if route, ok := node.(*Route); ok {
		return d.route(route, path)
	}
	for _, inner := range innerOf(node) {
		d.node(inner.node, path+inner.path, path)
	}
	return ends{entries: []string{path}, exits: []GraphEdge{{From: path}}}
}

// chain draws the steps, each entered from where the one before is left.
func (d *drawing) chain(chain *Chain, path, parent string) ends {
	var whole ends
	for i, inner := range innerOf(chain) {
		step := d.node(inner.node, path+inner.path, parent)
		if i == 0 {
			whole.entries = step.entries
		}
		d.join(whole.exits, step.entries)
		whole.exits = step.exits
	}
	return whole
}

func (d *drawing) join(exits []GraphEdge, entries []string) {
	for _, edge := range exits {
		for _, to := range entries {
			edge.To = to
			d.graph.Edges = append(d.graph.Edges, edge)
		}
	}
}

// route draws the ways, each with its name; whichever was taken, what follows the route follows it.
func (d *drawing) route(route *Route, path string) ends {
	var exits []GraphEdge
	for i, inner := range innerOf(route) {
		branch := d.node(inner.node, path+inner.path, path)
		d.join([]GraphEdge{{From: path, Label: wayOf(route, route.Branches[i].Name)}}, branch.entries)
		exits = append(exits, branch.exits...)
	}
	return ends{entries: []string{path}, exits: exits}
}

// wayOf is the name of a way, and when it is taken without being named.
func wayOf(route *Route, name string) string {
	switch name {
	case route.Unsure:
		return name + " (or unsure)"
	case route.Otherwise:
		return name + " (or otherwise)"
	default:
		return name
	}
}
