package dsl

import "errors"

// runChild runs a whole document as one step: its input is all that it knows, its output all that is left of it.
func (in *interpreter) runChild(at scope, node *Child, state *Object) (*Object, error) {
	input, err := filled(at, node, node.Input, state)
	if err != nil {
		return nil, err
	}
	label := at.label(node)
	if id := node.Workflow.InputSchema; id != "" {
		if problems := in.problems(node.Workflow, id, input); len(problems) > 0 {
			return nil, outputInvalid(at, label, problems)
		}
	}
	child := at.at("/workflow/root")
	child.workflow, child.prefix, child.top = node.Workflow, label+"/", false
	after, err := in.run(child, node.Workflow.Root, input)
	if err != nil {
		return nil, fromChild(err, state)
	}
	output, err := in.outputOf(scope{ctx: at.ctx, workflow: node.Workflow, path: at.path}, label+"/output", after)
	if err != nil {
		return nil, err
	}
	if problems := in.problems(at.workflow, node.Out, output); len(problems) > 0 {
		return nil, outputInvalid(at, label, problems)
	}
	return state.With(node.As, output), nil
}

// fromChild is a child's error in its parent: an escalation has the parent's state.
func fromChild(err error, state *Object) error {
	var found *escalated
	if isUnknown(err) || !errors.As(err, &found) {
		return err
	}
	raised := found.Escalation
	raised.State = state
	return &escalated{raised}
}
