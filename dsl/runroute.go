package dsl

import "strings"

func (in *interpreter) runRoute(at scope, node *Route, state *Object) (*Object, error) {
	if err := in.needs(at, node, node.Requires, state); err != nil {
		return nil, err
	}
	choose := in.routeByJudge
	if node.ValuePath != "" {
		choose = in.routeByValue
	}
	taken, state, err := choose(at, node, state)
	if err != nil {
		return nil, err
	}
	for _, branch := range node.Branches {
		if branch.Name == taken {
			return in.run(at.at("/branches/%s/body", pointerSegment(taken)), branch.Body, state)
		}
	}
	return nil, stateInvalid(at, at.label(node), node.ValuePath, "route_unknown", "there is no branch "+taken)
}

// pointerSegment escapes a name within a path, as a JSON pointer does.
func pointerSegment(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func (node *Route) has(name string) bool {
	for _, branch := range node.Branches {
		if branch.Name == name {
			return true
		}
	}
	return false
}

func (in *interpreter) routeByJudge(at scope, node *Route, state *Object) (string, *Object, error) {
	seen, err := filled(at, node, node.State, state)
	if err != nil {
		return "", nil, err
	}
	criteria := NewObject(len(node.Branches))
	for _, branch := range node.Branches {
		var meaning any
		if branch.Criteria != nil {
			meaning = *branch.Criteria
		}
		criteria.Set(branch.Name, meaning)
	}
	question := Question{ID: "branch", Type: typeChoice, Instructions: node.Instructions, Criteria: criteria}
	said, err := in.askJudge(at, Judgment{Place: at.place(node), Purpose: "route", State: seen, Questions: []Question{question}})
	if err != nil {
		return "", nil, err
	}
	chosen, _ := said.answers[0].value.(string)
	taken, unsure := chosen, false
	if node.Unsure != "" && said.answers[0].confidence < node.UnsureBelow {
		taken, unsure = node.Unsure, true
	}
	value := ObjectOf("branch", chosen, "taken", taken, "unsure", unsure)
	sidecar := said.sidecar()
	in.emit(at, node, "route.chosen", said.describe(ObjectOf(
		"kind", "route", "as", textOrNull(node.As), "value", value, "sidecar", sidecar)))
	if node.As != "" {
		state = merged(state, ObjectOf(node.As, value, node.As+answersSuffix, sidecar))
	}
	return taken, state, nil
}

// routeByValue takes the branch that a value of the state names. What the event tells is which branch, not the value.
func (in *interpreter) routeByValue(at scope, node *Route, state *Object) (string, *Object, error) {
	value, found := lookup(state, node.ValuePath)
	name, isText := value.(string)
	if found && !isText {
		return "", nil, stateInvalid(at, at.label(node), node.ValuePath, "route_type", "the value that names a branch is no text")
	}
	taken, fallback := name, false
	if !node.has(name) || !found {
		if node.Otherwise == "" {
			reason, what := "route_unknown", "the value names no branch"
			if !found {
				reason, what = "route_missing", "there is no value that names a branch"
			}
			return "", nil, stateInvalid(at, at.label(node), node.ValuePath, reason, what)
		}
		taken, fallback = node.Otherwise, true
	}
	in.emit(at, node, "route.chosen", ObjectOf(
		"kind", "route", "by", "value", "as", textOrNull(node.As), "value", ObjectOf("taken", taken, "fallback", fallback)))
	if node.As != "" {
		state = state.With(node.As, ObjectOf("value", value, "taken", taken, "fallback", fallback))
	}
	return taken, state, nil
}
