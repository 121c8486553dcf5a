package dsl

import (
	"encoding/json"
	"fmt"
	"strings"
)

// JSON is the graph as indented JSON text. Characters that a terminal would obey are escaped.
func (g Graph) JSON() string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(g) //nolint:errchkjson // texts and lists of them
	return escapedJSON(text.String())
}

// escapedJSON spells out what is hidden in the texts of JSON; the line ends between them stay.
func escapedJSON(text string) string {
	var out strings.Builder
	for _, r := range text {
		if r != '\n' && hidden(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// picture is a graph while it is drawn: each node by a short name, as IDs may hold anything.
type picture struct {
	graph  Graph
	names  map[string]string
	inside map[string][]GraphNode
	boxes  map[string]bool
	text   strings.Builder
}

func newPicture(g Graph) *picture {
	p := &picture{graph: g, names: map[string]string{}, inside: map[string][]GraphNode{}, boxes: map[string]bool{}}
	box := map[string]string{} // the box that each node is drawn in
	for i, node := range g.Nodes {
		p.names[node.ID] = fmt.Sprintf("n%d", i)
		p.boxes[node.ID] = boxed(node.Kind)
		around := node.Parent
		if around != "" && !p.boxes[around] {
			around = box[around]
		}
		box[node.ID] = around
		p.inside[around] = append(p.inside[around], node)
	}
	return p
}

func (p *picture) line(depth int, format string, args ...any) {
	p.text.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(&p.text, format+"\n", args...)
}

// firstIn is a node in a box that is none itself.
func (p *picture) firstIn(id string) string {
	for p.boxes[id] && len(p.inside[id]) > 0 {
		id = p.inside[id][0].ID
	}
	return id
}
