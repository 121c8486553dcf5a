package dsl

import "fmt"

// The adapters of a host, as documents' cases name them.
const (
	adapterNode   = "runNode"
	adapterJudge  = "runJudge"
	adapterEffect = "runEffect"
)

// needs notes what one node asks of a host.
func (in *inspector) needs(w *Workflow, node Node, place string) {
	label := node.base().Label
	switch n := node.(type) {
	case *Generate:
		in.adapters[adapterNode] = true
		for _, section := range n.SOPSections {
			in.sections[section] = true
		}
		for i, tool := range n.Tools {
			in.tool(ToolUse{Tool: tool, Path: fmt.Sprintf("%s.tools[%d]", place, i), Label: label})
		}
		if n.Context == "fork" {
			in.requires.Forks = append(in.requires.Forks, place+".context")
		}
		if n.Verify != nil {
			in.adapters[adapterJudge] = true
		}
	case *Call:
		in.adapters[adapterEffect] = true
		if n.Via == "tool" {
			in.tool(ToolUse{Tool: n.Tool, Path: place + ".tool", Label: label, Call: true})
			return
		}
		in.requires.ExecutableCode = true
		in.requires.BoxCalls = append(in.requires.BoxCalls, BoxCall{Via: n.Via, Path: place + ".via", Label: label})
	case *Code:
		in.requires.ExecutableCode = in.requires.ExecutableCode || n.Expr == ""
	}
	if asks, _ := asksJudge(w, node); asks {
		in.adapters[adapterJudge] = true
	}
}

func (in *inspector) tool(use ToolUse) {
	in.tools[use.Tool] = true
	in.requires.ToolUses = append(in.requires.ToolUses, use)
}

// writesOf are the keys that a node sets in the state, sidecars included. What code without an `as` sets shows only
// when it runs.
func writesOf(node Node) []string {
	base := node.base()
	switch n := node.(type) {
	case *Generate:
		return writesOfGenerate(n)
	case *Artifact:
		return []string{"artifact"}
	case *Judge, *Pick:
		return []string{base.As, base.As + answersSuffix}
	case *Route:
		if base.As != "" && n.ValuePath == "" {
			return []string{base.As, base.As + answersSuffix}
		}
	}
	if base.As == "" {
		return nil
	}
	return []string{base.As}
}

func writesOfGenerate(node *Generate) []string {
	key := node.As
	switch {
	case node.Kind == KindReport:
		return []string{reportKey}
	case key == "":
		key = node.Label
	}
	if node.Verify == nil {
		return []string{key}
	}
	return []string{key, key + verifySuffix}
}

// outOf is the id of the schema that a node declares for its value.
func outOf(node Node) string {
	switch n := node.(type) {
	case *Generate:
		return n.Out
	case *Call:
		return n.Out
	case *Child:
		return n.Out
	case *Judge:
		return n.Out
	case *Sift:
		return n.Out
	default:
		return ""
	}
}
