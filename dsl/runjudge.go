package dsl

func (in *interpreter) runJudge(at scope, node *Judge, state *Object) (*Object, error) {
	if err := in.needs(at, node, node.Requires, state); err != nil {
		return nil, err
	}
	seen, err := filled(at, node, node.State, state)
	if err != nil {
		return nil, err
	}
	schema, _ := object(at.workflow.Schemas, node.Out)
	ask := Judgment{Place: at.place(node), Purpose: "judge", State: seen, Questions: questionsOf(schema)}
	said, err := in.askJudge(at, ask)
	if err != nil {
		return nil, err
	}
	values := said.values()
	if problems := in.problems(at.workflow, node.Out, values); len(problems) > 0 {
		return nil, outputInvalid(at, at.label(node), problems)
	}
	sidecar := said.sidecar()
	in.emit(at, node, "judge.answered", said.describe(ObjectOf(
		"kind", "judge", "as", node.As, "value", values, "sidecar", sidecar)))
	return merged(state, ObjectOf(node.As, values, node.As+answersSuffix, sidecar)), nil
}

// answersSuffix follows a node's key to make that of its sidecar.
const answersSuffix = "$answers"
