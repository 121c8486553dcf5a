package dsl

import "strings"

// runArtifact declares the file that is the product. The disk is the host's to look at.
func (in *interpreter) runArtifact(at scope, node *Artifact, state *Object) (*Object, error) {
	name := node.Path[strings.LastIndex(node.Path, "/")+1:]
	declared := ObjectOf("path", node.Path, "filename", name, "type", node.Type)
	in.emit(at, node, "artifact.declared", declared)
	return state.With("artifact", declared), nil
}
