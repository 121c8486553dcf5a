package dsl

// runCode computes on the state. An object without an `as` is a patch of the state, everything else one value.
func (in *interpreter) runCode(at scope, node *Code, state *Object) (*Object, error) {
	value, err := in.compute(at, node, state)
	if err != nil {
		return nil, codeFailed(at, at.label(node), err)
	}
	patch, isPatch := value.(*Object)
	if node.As != "" || !isPatch {
		patch = ObjectOf(keyOf(node), value)
	}
	if patch.Has(hostKey) {
		return nil, stateInvalid(at, at.label(node), hostKey, "reserved_state_key", "code may not write "+hostKey)
	}
	in.emit(at, node, "code.patch", ObjectOf("patch", patch))
	return merged(state, patch), nil
}

func (in *interpreter) compute(at scope, node *Code, state *Object) (any, error) {
	if state.Has(hostKey) {
		state = state.Without(hostKey)
	}
	if program, ok := in.plan.expr[node]; ok {
		return in.sandbox.evaluate(program, state)
	}
	return in.sandbox.call(at.ctx, in.plan.code[node], state, in.options.SOP)
}
