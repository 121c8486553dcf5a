package dsl

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Bounds of a value that a computation hands back.
const (
	maxValueDepth = 512
	maxValueParts = 1_000_000
	// maxValueBytes bounds the texts of one value: what a node makes goes into the state, and into every prompt that shows it.
	maxValueBytes = 4 << 20
)

var (
	errValueDepth = &boundError{fmt.Sprintf("its value is nested deeper than %d", maxValueDepth)}
	errValueBytes = &boundError{fmt.Sprintf("the texts of its value have more than %d bytes", maxValueBytes)}
	errValueParts = &boundError{fmt.Sprintf("its value has more than %d parts", maxValueParts)}
)

// fromPlain is what an expression yields as a value: objects with sorted keys, all numbers doubles.
func fromPlain(value any) (any, error) {
	parts := 0
	return plainPart(value, 0, &parts)
}

func plainPart(value any, depth int, parts *int) (any, error) {
	if depth > maxValueDepth {
		return nil, errValueDepth
	}
	if *parts++; *parts > maxValueParts {
		return nil, errValueParts
	}
	switch v := value.(type) {
	case nil, bool:
		return v, nil
	case string:
		// A long text counts as many parts.
		if *parts += len(v) / (maxValueBytes / maxValueParts); *parts > maxValueParts {
			return nil, errValueBytes
		}
		return strings.ToValidUTF8(v, "\ufffd"), nil
	case []any:
		return plainItems(v, depth, parts)
	case map[string]any:
		return plainFields(v, depth, parts)
	default:
		return plainOther(value, depth, parts)
	}
}

func plainItems(items []any, depth int, parts *int) (any, error) {
	list := make([]any, len(items))
	for i, item := range items {
		value, err := plainPart(item, depth+1, parts)
		if err != nil {
			return nil, err
		}
		list[i] = value
	}
	return list, nil
}

func plainFields(fields map[string]any, depth int, parts *int) (any, error) {
	object := NewObject(len(fields))
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		value, err := plainPart(fields[key], depth+1, parts)
		if err != nil {
			return nil, err
		}
		object.Set(strings.ToValidUTF8(key, "\ufffd"), value)
	}
	return object, nil
}

// plainOther reads the types that expr-lang's own functions yield.
func plainOther(value any, depth int, parts *int) (any, error) {
	if n, ok := exprNumber(value); ok {
		if math.IsInf(n, 0) {
			return nil, nil //nolint:nilnil // JSON has no infinity; null is a value
		}
		return n, nil
	}
	switch v := value.(type) {
	case float64:
		return nil, nil //nolint:nilnil // not a number: null, as JSON says it
	case []string:
		return plainItems(anys(v), depth, parts)
	case []int:
		return plainItems(anys(v), depth, parts)
	case map[any][]any: // groupBy
		groups := make(map[string]any, len(v))
		for key, items := range v {
			groups[fmt.Sprint(key)] = items
		}
		return plainFields(groups, depth, parts)
	default:
		return nil, fmt.Errorf("its value is a %T, which is no JSON", value)
	}
}

func anys[T any](items []T) []any {
	list := make([]any, len(items))
	for i, item := range items {
		list[i] = item
	}
	return list
}
