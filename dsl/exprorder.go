package dsl

import (
	"errors"
	"maps"
	"slices"

	"github.com/expr-lang/expr"
)

var errNotObject = errors.New("it is not an object")

// orderedBuiltins replace the functions of expr-lang that read an object in Go's random order by ones that read it in
// the order of its sorted keys: an expression must give the same answer every time.
func orderedBuiltins() []expr.Option {
	return []expr.Option{
		expr.DisableBuiltin("keys"), expr.DisableBuiltin("values"), expr.DisableBuiltin("toPairs"),
		expr.Function("keys", overObject(func(key string, _ any) any { return key })),
		expr.Function("values", overObject(func(_ string, value any) any { return value })),
		expr.Function("toPairs", overObject(func(key string, value any) any { return []any{key, value} })),
	}
}

func overObject(entry func(key string, value any) any) func(...any) (any, error) {
	return func(params ...any) (any, error) {
		if len(params) != 1 {
			return nil, errNotObject
		}
		object, ok := params[0].(map[string]any)
		if !ok {
			return nil, errNotObject
		}
		list := make([]any, 0, len(object))
		for _, key := range slices.Sorted(maps.Keys(object)) {
			list = append(list, entry(key, object[key]))
		}
		return list, nil
	}
}
