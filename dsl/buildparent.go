package dsl

import "fmt"

// buildParent makes the nodes that have other nodes below them.
func buildParent(raw *Object, base Base, path string) (Node, error) {
	switch base.Kind {
	case KindChain:
		steps, err := buildNodes(raw, "steps", path)
		return &Chain{Base: base, Steps: steps}, err
	case KindParallel:
		branches, err := buildNodes(raw, "branches", path)
		return &Parallel{Base: base, Branches: branches}, err
	case KindMap:
		body, err := buildBody(raw, path)
		return &Map{
			Base: base, ItemsPath: text(raw, "itemsPath"), ResultPath: text(raw, "resultPath"), Body: body,
			MaxConcurrency: int(number(raw, "maxConcurrency", defaultMaxConcurrency)),
		}, err
	case KindLoop:
		body, err := buildBody(raw, path)
		return &Loop{
			Base: base, Body: body, Until: buildPredicate(raw, "until"), MaxIters: int(number(raw, "maxIters", 1)),
		}, err
	case KindRoute:
		return buildRoute(raw, base, path)
	default:
		return buildChild(raw, base, path)
	}
}

func buildNodes(raw *Object, key, path string) ([]Node, error) {
	items := list(raw, key)
	nodes := make([]Node, 0, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s.%s[%d]", path, key, i)
		node, ok := item.(*Object)
		if !ok {
			return nil, fmt.Errorf("%w: %s is not a node", errNotBuilt, at)
		}
		built, err := buildNode(node, at)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, built)
	}
	return nodes, nil
}

func buildBody(raw *Object, path string) (Node, error) {
	body, ok := object(raw, "body")
	if !ok {
		return nil, fmt.Errorf("%w: %s has no body", errNotBuilt, path)
	}
	return buildNode(body, path+".body")
}

func buildRoute(raw *Object, base Base, path string) (Node, error) {
	unsure, _ := object(raw, "unsure")
	state, _ := object(raw, "state")
	route := &Route{
		Base: base, State: state, Instructions: text(raw, "instructions"), Unsure: text(unsure, "branch"),
		UnsureBelow: number(unsure, "gte", 0), ValuePath: text(raw, "valuePath"), Otherwise: text(raw, "otherwise"),
		Requires: texts(raw, "requires"),
	}
	branches, _ := object(raw, "branches")
	for name, value := range branches.All() {
		branch, ok := value.(*Object)
		if !ok {
			return nil, fmt.Errorf("%w: %s.branches.%s is not a branch", errNotBuilt, path, name)
		}
		body, err := buildBody(branch, path+".branches."+name)
		if err != nil {
			return nil, err
		}
		route.Branches = append(route.Branches, Branch{Name: name, Criteria: optionalText(branch, "criteria"), Body: body})
	}
	return route, nil
}

func buildChild(raw *Object, base Base, path string) (Node, error) {
	doc, ok := object(raw, "workflow")
	if !ok {
		return nil, fmt.Errorf("%w: %s has no workflow", errNotBuilt, path)
	}
	child, err := Build(doc)
	if err != nil {
		return nil, fmt.Errorf("child workflow of %s: %w", path, err)
	}
	input, _ := object(raw, "input")
	return &Child{Base: base, Workflow: child, Input: input, Out: text(raw, "out")}, nil
}
