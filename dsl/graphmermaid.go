package dsl

import "strings"

// Mermaid is the graph as a Mermaid flowchart.
func (g Graph) Mermaid() string {
	p := newPicture(g)
	p.line(0, "flowchart TD")
	p.mermaidNodes("", 1)
	for _, edge := range g.Edges {
		if edge.Label == "" {
			p.line(1, "%s --> %s", p.names[edge.From], p.names[edge.To])
			continue
		}
		p.line(1, "%s -->|%s| %s", p.names[edge.From], mermaidText(visible(edge.Label)), p.names[edge.To])
	}
	return p.text.String()
}

func (p *picture) mermaidNodes(box string, depth int) {
	for _, node := range p.inside[box] {
		name, text := p.names[node.ID], mermaidText(caption(node)...)
		if p.boxes[node.ID] {
			p.line(depth, "subgraph %s[%s]", name, text)
			p.mermaidNodes(node.ID, depth+1)
			p.line(depth, "end")
			continue
		}
		open, end := mermaidShape(node.Kind)
		p.line(depth, "%s%s%s%s", name, open, text, end)
	}
}

// mermaidShape is how a kind looks: who decides is a hexagon, what has effects outside leans, code is a box within a
// box, what ends the run is round.
func mermaidShape(kind Kind) (open, end string) {
	switch kind {
	case KindRoute, KindJudge, KindPick, KindSift:
		return "{{", "}}"
	case KindCall:
		return "[/", "/]"
	case KindCode:
		return "[[", "]]"
	case KindEscalate, KindReport, KindArtifact:
		return "([", "])"
	default:
		return "[", "]"
	}
}

// mermaidText is a quoted text of lines: every character that Mermaid, its directives, Markdown or HTML would read is an
// entity.
func mermaidText(lines ...string) string {
	escape := strings.NewReplacer("#", "#35;", "&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;",
		`\`, "#92;", "%", "#37;")
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = escape.Replace(line)
	}
	return `"` + strings.Join(escaped, "<br/>") + `"`
}
