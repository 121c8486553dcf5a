package dsl

func (in *interpreter) runLoop(at scope, node *Loop, state *Object) (*Object, error) {
	reason, count := "bound_reached", 0
	for i := range node.MaxIters {
		iteration := at.at("/iterations/%d", i)
		next, err := in.run(iteration.at("/body"), node.Body, state)
		if err != nil {
			return nil, err
		}
		state, count = next, i+1
		verdict, err := in.decide(iteration, node, node.Until, state)
		if err != nil {
			return nil, err
		}
		if verdict.holds {
			reason = "condition_met"
			break
		}
	}
	in.emit(at, node, "loop.exited", ObjectOf("reason", reason, "iterations", float64(count)))
	return state, nil
}

func (in *interpreter) runEscalate(at scope, node *Escalate, state *Object) (*Object, error) {
	verdict, err := in.decide(at, node, node.When, state)
	if err != nil {
		return nil, err
	}
	detail := ObjectOf("fired", verdict.holds, "path", nil, "path_resolved", nil)
	if path := predicatePath(node.When); path != "" {
		_, found := lookup(state, path)
		detail.Set("path", path)
		detail.Set("path_resolved", found)
	}
	if node.When.Ask != nil {
		detail.Set("p_yes", fourDecimals(verdict.yes))
		detail.Set("gte", node.When.Ask.AtLeast)
	}
	in.emit(at, node, "escalate.evaluated", detail)
	if !verdict.holds {
		return state, nil
	}
	return nil, &escalated{Escalation{
		Kind: node.Reason, Stage: node.Stage, Summary: render(node.Summary, state), Label: at.label(node),
		ExecutionPath: at.path, State: state,
	}}
}

func predicatePath(predicate *Predicate) string {
	if predicate.Key != "" {
		return predicate.Key
	}
	return predicate.Path
}

// verdict is what a predicate came to; yes is the probability that a judge gave, of an `ask`.
type verdict struct {
	holds bool
	yes   float64
}

// decide decides a predicate: by itself, by an expression, or by asking the judge.
func (in *interpreter) decide(at scope, node Node, predicate *Predicate, state *Object) (verdict, error) {
	switch {
	case predicate == nil:
		return verdict{}, nil
	case predicate.Ask != nil:
		return in.ask(at, node, predicate.Ask, state)
	default:
		holds, err := in.condition(at, node, predicate, state)
		return verdict{holds: holds}, err
	}
}

// condition decides a predicate that no judge answers. An expression that fails does not hold; one that reaches a bound
// fails the node, since where it stopped says nothing of the state.
func (in *interpreter) condition(at scope, node Node, predicate *Predicate, value any) (bool, error) {
	program, ok := in.plan.conditions[predicate]
	if !ok {
		return predicate.holds(value), nil
	}
	result, err := in.sandbox.evaluate(program, value)
	if isBound(err) {
		return false, codeFailed(at, at.label(node), err)
	}
	return err == nil && result == true, nil
}

func (in *interpreter) ask(at scope, node Node, ask *Ask, state *Object) (verdict, error) {
	var seen any = promptState(state)
	if ask.State != nil {
		given, err := filled(at, node, ask.State, state)
		if err != nil {
			return verdict{}, err
		}
		seen = given
	}
	question := Question{ID: "holds", Type: typeNoul, Instructions: ask.Instructions, Criteria: yesNo(ask.True, ask.False)}
	judgment := Judgment{Place: at.place(node), Purpose: "ask", State: seen, Questions: []Question{question}}
	answered, err := in.askJudge(at, judgment)
	if err != nil {
		return verdict{}, err
	}
	yes := answered.answers[0].measure
	result := verdict{holds: yes >= ask.AtLeast, yes: yes}
	in.emit(at, node, "ask.evaluated", answered.describe(ObjectOf(
		"kind", string(node.base().Kind), "p_yes", fourDecimals(yes), "gte", ask.AtLeast, "holds", result.holds)))
	return result, nil
}
