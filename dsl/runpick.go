package dsl

import (
	"fmt"
	"strconv"
	"strings"
)

// noneOption is the option of a pick that may choose nothing.
const (
	noneOption = "none_of_these"
	noneText   = "none of the items fits"
	maxOptions = 240
)

func (in *interpreter) runPick(at scope, node *Pick, state *Object) (*Object, error) {
	if err := in.needs(at, node, node.Requires, state); err != nil {
		return nil, err
	}
	items, err := itemsAt(at, node, node.ItemsPath, state)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return in.pickOfNothing(at, node, state)
	}
	options, err := pickOptions(at, node, items, state)
	if err != nil {
		return nil, err
	}
	seen, err := pickState(at, node, options, state)
	if err != nil {
		return nil, err
	}
	criteria := options
	if node.AllowNone {
		criteria = options.With(noneOption, noneText)
	}
	question := Question{ID: "pick", Type: typeChoice, Instructions: node.Instructions, Criteria: criteria}
	ask := Judgment{Place: at.place(node), Purpose: "pick", State: seen, Questions: []Question{question}}
	said, err := in.askJudge(at, ask)
	if err != nil {
		return nil, err
	}
	value := picked(said.answers[0].value, items, options)
	sidecar := said.sidecar()
	in.emit(at, node, "judge.answered", said.describe(ObjectOf(
		"kind", "pick", "as", node.As, "value", value, "sidecar", sidecar)))
	return merged(state, ObjectOf(node.As, value, node.As+answersSuffix, sidecar)), nil
}

func itemsAt(at scope, node Node, path string, state *Object) ([]any, error) {
	value, _ := lookup(state, path)
	items, ok := value.([]any)
	if !ok {
		return nil, stateInvalid(at, at.label(node), path, "expected_list", "there is no list at "+path)
	}
	return items, nil
}

// pickOfNothing is a pick from an empty list: nothing where that is allowed, else a failure. No judge is asked.
func (in *interpreter) pickOfNothing(at scope, node *Pick, state *Object) (*Object, error) {
	if !node.AllowNone {
		return nil, stateInvalid(at, at.label(node), node.ItemsPath, "empty_selection",
			"there is nothing to pick from at "+node.ItemsPath)
	}
	value := picked(noneOption, nil, nil)
	sidecar := sidecarOf(nil, nil, NewObject(0))
	in.emit(at, node, "judge.answered", ObjectOf(
		"kind", "pick", "as", node.As, "value", value, "sidecar", sidecar, "empty", true, "model", nil, "cost_usd", nil))
	return merged(state, ObjectOf(node.As, value, node.As+answersSuffix, sidecar)), nil
}

// pickOptions are the texts of the items, as item_0, item_1….
func pickOptions(at scope, node *Pick, items []any, state *Object) (*Object, error) {
	limit := maxOptions
	if node.AllowNone {
		limit--
	}
	if len(items) > limit {
		return nil, &Failure{
			Class: ClassCapability, Stage: at.label(node), ExecutionPath: at.path, Path: node.ItemsPath,
			Message: fmt.Sprintf("a pick chooses from at most %d items, and %s has %d", limit, node.ItemsPath, len(items)),
		}
	}
	options := NewObject(len(items))
	for i, item := range items {
		options.Set(itemID(i), describeItem(node.Describe, state, item, i))
	}
	return options, nil
}

func itemID(i int) string { return "item_" + strconv.Itoa(i) }

// describeItem is the text of an item, with its spaces collapsed; an item that says nothing has its number.
func describeItem(template string, state *Object, item any, i int) string {
	shown := textOf(item)
	if template != "" {
		shown = render(template, merged(state, ObjectOf("item", item, "item_index", float64(i))))
	}
	shown = strings.Join(strings.FieldsFunc(shown, isSpace), " ")
	if shown == "" {
		return "item " + strconv.Itoa(i)
	}
	return shown
}

func pickState(at scope, node *Pick, options, state *Object) (*Object, error) {
	seen := ObjectOf("context", promptState(state))
	if node.State != nil {
		given, err := filled(at, node, node.State, state)
		if err != nil {
			return nil, err
		}
		seen = given
	}
	return seen.With("candidates", options), nil
}

// picked is the value of a pick: which item, or none.
func picked(choice any, items []any, options *Object) *Object {
	for i, item := range items {
		if id := itemID(i); id == choice {
			option, _ := options.Get(id)
			return ObjectOf("index", float64(i), "item", item, "none", false, "option", option)
		}
	}
	return ObjectOf("index", nil, "item", nil, "none", true, "option", nil)
}
