package dsl

// calling is one run of a call: its attempts share the key and count on.
type calling struct {
	in      *interpreter
	at      scope
	node    *Call
	ask     Attempt
	elapsed float64 // seconds since the first attempt began, by the host's clock
	clock   clock
}

// runCall has an effect, as often as its retry and poll rules say.
func (in *interpreter) runCall(at scope, node *Call, state *Object) (*Object, error) {
	if err := in.needs(at, node, node.Requires, state); err != nil {
		return nil, err
	}
	call, err := in.newCalling(at, node, state)
	if err != nil {
		return nil, err
	}
	run := call.once
	if node.Poll != nil && !in.options.dry {
		run = call.poll
	}
	result, err := run()
	if err != nil {
		return nil, err
	}
	return state.With(node.As, result), nil
}

func (in *interpreter) newCalling(at scope, node *Call, state *Object) (*calling, error) {
	ask := Attempt{
		Place: at.place(node), Via: node.Via, Tool: node.Tool, Source: node.Source, Command: node.Command,
		DeadlineSeconds: node.DeadlineSeconds,
	}
	var keyed any
	var err error
	switch node.Via {
	case "shell":
		keyed, ask.Env, err = shellInput(at, node, state)
	case "tool":
		keyed, err = filled(at, node, node.Args, state)
	default:
		keyed, err = filled(at, node, node.Input, state)
	}
	if err != nil {
		return nil, err
	}
	ask.Input = keyed
	if node.Out != "" {
		ask.Out, _ = object(at.workflow.Schemas, node.Out)
	}
	if ask.Produces, err = produced(at, node, state); err != nil {
		return nil, err
	}
	ask.IdempotencyKey = in.idempotencyKey(ask, keyed)
	return &calling{in: in, at: at, node: node, ask: ask}, nil
}

// shellInput is the command as it is written and its environment, whose values are texts.
func shellInput(at scope, node *Call, state *Object) (input, env *Object, err error) {
	input = ObjectOf("command", node.Command)
	if node.Env == nil {
		return input, nil, nil
	}
	values, err := filled(at, node, node.Env, state)
	if err != nil {
		return nil, nil, err
	}
	env = NewObject(values.Len())
	for name, value := range values.All() {
		env.Set(name, textOf(value))
	}
	input.Set("env", env)
	return input, env, nil
}

func produced(at scope, node *Call, state *Object) ([]string, error) {
	if node.Produces == nil {
		return nil, nil
	}
	paths := make([]string, len(node.Produces))
	for i, template := range node.Produces {
		value, err := interpolateText(template, state)
		if err != nil {
			return nil, missing(at, node, err)
		}
		paths[i] = textOf(value)
	}
	return paths, nil
}

// idempotencyKey is the same for all attempts of a call, and for a run of the same document on the same input.
func (in *interpreter) idempotencyKey(ask Attempt, input any) string {
	subject := ask.Tool + ask.Source
	if in.plan.composed {
		return digestOf(Canonical([]any{"execution-path-v1", ask.Path, ask.Label, ask.Via, subject, input}))
	}
	return digestOf(ask.Label + "\n" + ask.Via + "\n" + subject + "\n" + Canonical(input))
}

// checked is a result that fits what the call declares.
func (c *calling) checked(result any) (any, error) {
	var problems []string
	if c.node.Via == "shell" {
		problems = c.in.plan.fixed.Check(shellID, result)
	} else {
		problems = c.in.problems(c.at.workflow, c.node.Out, result)
	}
	if len(problems) > 0 {
		return nil, outputInvalid(c.at, c.at.label(c.node), problems)
	}
	return result, nil
}
