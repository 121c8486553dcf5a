package dsl

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// detailOf says how a node runs what is in it, or whom it asks.
func detailOf(node Node) string {
	switch n := node.(type) {
	case *Map:
		return fmt.Sprintf("each of %s, %d at once", n.ItemsPath, n.MaxConcurrency)
	case *Loop:
		return fmt.Sprintf("up to %d times, until %s", n.MaxIters, conditionOf(n.Until))
	case *Parallel:
		return fmt.Sprintf("%d branches at once", len(n.Branches))
	case *Route:
		if n.ValuePath != "" {
			return "by " + n.ValuePath
		}
		return "a judge decides"
	case *Escalate:
		return n.Reason + " when " + conditionOf(n.When)
	case *Child:
		return n.Workflow.Name
	case *Call:
		if n.Via == "tool" {
			return "tool " + n.Tool
		}
		return n.Via
	case *Pick:
		return "one of " + n.ItemsPath
	case *Sift:
		return "some of " + n.ItemsPath
	case *Artifact:
		return n.Type + " " + n.Path
	default:
		return ""
	}
}

// conditionOf is a condition in a few words.
func conditionOf(p *Predicate) string {
	if p == nil {
		return "never"
	}
	switch p.Name {
	case "field_true":
		return p.Path + " is true"
	case "field_equals":
		return p.Path + " is " + JSON(p.Value)
	case "in":
		return p.Path + " is one of " + JSON(p.Values)
	case "count_gte":
		return "there are " + number64(p.N) + " of " + p.Path
	case "gte":
		return p.Path + " ≥ " + number64(p.N)
	case "lt":
		return p.Path + " < " + number64(p.N)
	case "empty":
		return p.Path + " is empty"
	case "no_new_items":
		return p.Key + " is empty"
	case "expr":
		return p.Expr
	case "ask":
		return "a judge finds: " + p.Ask.Instructions
	default:
		return p.Name
	}
}

func number64(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

const maxDrawn = 100

// visible is a text on one line that shows what it holds: control characters, line ends and the characters that turn the
// direction of writing are spelled out, and a long text is cut.
func visible(s string) string {
	var out strings.Builder
	drawn := 0
	for _, r := range s {
		if drawn++; drawn > maxDrawn {
			out.WriteRune('…')
			break
		}
		if hidden(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// hidden tells whether a character does something other than stand where it is written. All of them have four digits.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Bidi_Control, unicode.Zl, unicode.Zp) || r == unicode.ReplacementChar
}

// caption is what a picture writes on a node: its label, kind and detail.
func caption(node GraphNode) []string {
	lines := make([]string, 0, 3)
	if node.Label != "" {
		lines = append(lines, visible(node.Label))
	}
	lines = append(lines, string(node.Kind))
	if node.Detail != "" {
		lines = append(lines, visible(node.Detail))
	}
	return lines
}

// boxed tells whether a picture draws a node as a box around what is in it.
func boxed(kind Kind) bool {
	switch kind {
	case KindMap, KindLoop, KindParallel, KindWorkflow:
		return true
	default:
		return false
	}
}
