package dsl

import "strings"

// DOT is the graph in the language of Graphviz.
func (g Graph) DOT() string {
	p := newPicture(g)
	p.line(0, "digraph %s {", dotText(visible(g.Name)))
	p.line(1, "compound=true;")
	p.line(1, `node [shape=box, fontname="sans-serif"];`)
	p.line(1, `edge [fontname="sans-serif"];`)
	p.dotNodes("", 1)
	for _, edge := range g.Edges {
		p.line(1, "%s -> %s%s;", p.names[p.firstIn(edge.From)], p.names[p.firstIn(edge.To)], p.dotEdge(edge))
	}
	p.line(0, "}")
	return p.text.String()
}

func (p *picture) dotNodes(box string, depth int) {
	for _, node := range p.inside[box] {
		name, text := p.names[node.ID], dotText(caption(node)...)
		if p.boxes[node.ID] && len(p.inside[node.ID]) > 0 {
			p.line(depth, "subgraph cluster_%s {", name)
			p.line(depth+1, "label=%s;", text)
			p.dotNodes(node.ID, depth+1)
			p.line(depth, "}")
			continue
		}
		p.line(depth, "%s [label=%s%s];", name, text, dotShape(node.Kind))
	}
}

// dotEdge are the attributes of an edge. One that begins or ends at a box is drawn to its border, though Graphviz knows
// only edges between nodes.
func (p *picture) dotEdge(edge GraphEdge) string {
	var attributes []string
	if p.boxes[edge.From] {
		attributes = append(attributes, "ltail=cluster_"+p.names[edge.From])
	}
	if p.boxes[edge.To] {
		attributes = append(attributes, "lhead=cluster_"+p.names[edge.To])
	}
	if edge.Label != "" {
		attributes = append(attributes, "label="+dotText(visible(edge.Label)))
	}
	if len(attributes) == 0 {
		return ""
	}
	return " [" + strings.Join(attributes, ", ") + "]"
}

func dotShape(kind Kind) string {
	switch kind {
	case KindRoute, KindJudge, KindPick, KindSift:
		return ", shape=hexagon"
	case KindCall:
		return ", shape=parallelogram"
	case KindCode:
		return ", peripheries=2"
	case KindEscalate, KindReport, KindArtifact:
		return ", style=rounded"
	default:
		return ""
	}
}

func dotText(lines ...string) string {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escape.Replace(line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
