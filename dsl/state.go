package dsl

import "errors"

// merged is a state with a patch's keys set.
func merged(state, patch *Object) *Object {
	next := NewObject(state.Len() + patch.Len())
	for key, value := range state.All() {
		next.Set(key, value)
	}
	for key, value := range patch.All() {
		next.Set(key, value)
	}
	return next
}

// promptState is what a model or judge sees of a state where the node says nothing: all of it but the host's own part
// and the reference files.
func promptState(state *Object) *Object {
	if state.Has(hostKey) {
		state = state.Without(hostKey)
	}
	context, ok := object(state, "context")
	if !ok || !context.Has("references") && !context.Has("references_parsed") {
		return state
	}
	return state.With("context", context.Without("references", "references_parsed"))
}

func hostOf(state *Object) *Object {
	host, ok := object(state, hostKey)
	if !ok || host.Len() == 0 {
		return nil
	}
	return host
}

// keyOf is where a node's value goes: its `as`, else its label.
func keyOf(node Node) string {
	base := node.base()
	if base.As != "" {
		return base.As
	}
	return base.Label
}

// missing makes the failure of a node whose template names a path that the state lacks.
func missing(at scope, node Node, err error) error {
	if path, ok := errors.AsType[*missingPath](err); ok {
		return stateInvalid(at, at.label(node), path.path, "missing_interpolation", path.Error())
	}
	return err
}
