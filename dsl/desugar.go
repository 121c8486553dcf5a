package dsl

import "slices"

// proseTypes are the artifact types that are text the model writes: such an artifact is a report.
func proseType(kind string) bool { return slices.Contains([]string{"markdown", "report"}, kind) }

// desugarNode reads a prose artifact as the report it stands for, without its type and path.
func desugarNode(node *Object) *Object {
	if text(node, "node") != string(KindArtifact) || !proseType(text(node, "type")) {
		return node
	}
	return node.Without("type", "path").With("node", string(KindReport))
}
