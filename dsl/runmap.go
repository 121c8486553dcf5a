package dsl

import (
	"context"
	"errors"
)

func (in *interpreter) runMap(at scope, node *Map, state *Object) (*Object, error) {
	value, _ := lookup(state, node.ItemsPath)
	items, ok := value.([]any)
	if !ok {
		return nil, stateInvalid(at, at.label(node), node.ItemsPath, "expected_list", "there is no list at "+node.ItemsPath)
	}
	results := make([]any, len(items))
	failed, done := in.fanOut(at.ctx, len(items), max(1, node.MaxConcurrency), func(ctx context.Context, i int) error {
		result, err := in.runItem(ctx, at, node, state, items[i], i)
		results[i] = result
		return err
	})
	if err := joined(at.ctx, at, at.label(node), failed, len(items)); err != nil {
		in.emit(at, node, "map."+statusOf(err), ObjectOf(
			"completed", float64(done), "of", float64(len(items)), "message", shortened(err.Error(), 300)))
		return nil, err
	}
	return state.With(node.As, results), nil
}

// runItem runs the body for one item; nothing that it writes survives but its result.
func (in *interpreter) runItem(
	ctx context.Context, at scope, node *Map, state *Object, item any, i int,
) (any, error) {
	inside := at.at("/items/%d/body", i)
	inside.ctx, inside.item = ctx, &MapItem{Label: at.label(node), Index: i}
	after, err := in.run(inside, node.Body, merged(state, ObjectOf("item", item, "item_index", float64(i))))
	if err != nil {
		return nil, err
	}
	if node.ResultPath != "" {
		result, ok := lookup(after, node.ResultPath)
		if !ok {
			return nil, stateInvalid(at, at.label(node), node.ResultPath, "missing_map_result",
				"the item's state has no value at "+node.ResultPath)
		}
		return result, nil
	}
	if as := node.Body.base().As; as != "" {
		result, _ := after.Get(as)
		return result, nil
	}
	return after, nil
}

func (in *interpreter) runParallel(at scope, node *Parallel, state *Object) (*Object, error) {
	after := make([]*Object, len(node.Branches))
	failed, _ := in.fanOut(at.ctx, len(after), len(after), func(ctx context.Context, i int) error {
		branch := at.at("/branches/%d", i)
		branch.ctx = ctx
		var err error
		after[i], err = in.run(branch, node.Branches[i], state)
		return err
	})
	if err := joined(at.ctx, at, at.label(node), failed, len(after)); err != nil {
		return nil, err
	}
	merge, err := mergeBranches(state, after)
	if conflict, ok := errors.AsType[*writeConflict](err); ok {
		return nil, stateInvalid(at, at.label(node), conflict.path, "parallel_write_conflict", conflict.Error())
	}
	return merge, err
}
