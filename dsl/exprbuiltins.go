package dsl

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
)

// maxExprText bounds, in bytes, a text that one function of an expression makes.
const maxExprText = 16 << 20

var (
	errNotObject   = errors.New("it is not an object")
	errNotList     = errors.New("it is not a list")
	errNotTexts    = errors.New("it needs texts")
	errTextTooLong = fmt.Errorf("the text would be longer than %d bytes", maxExprText)
)

// boundedBuiltins take the clock away from expr-lang, and replace the functions that read an object in random order,
// could make a huge text in one step, or take the square of a list's length.
func boundedBuiltins() []expr.Option {
	var options []expr.Option
	for _, name := range []string{"now", "date", "duration", "timezone"} {
		options = append(options, expr.DisableBuiltin(name))
	}
	for name, function := range map[string]func(...any) (any, error){
		"keys":    overObject(func(key string, _ any) any { return key }),
		"values":  overObject(func(_ string, value any) any { return value }),
		"toPairs": overObject(func(key string, value any) any { return []any{key, value} }),
		"join":    exprJoin, "replace": exprReplace, "repeat": exprRepeat, "uniq": exprUniq,
	} {
		options = append(options, expr.DisableBuiltin(name), expr.Function(name, function))
	}
	return options
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

func exprJoin(params ...any) (any, error) {
	items, err := exprTexts(params)
	if err != nil {
		return nil, err
	}
	glue := ""
	if len(params) > 1 {
		if glue, err = exprText(params, 1); err != nil {
			return nil, err
		}
	}
	size := 0
	for _, item := range items {
		if size += len(item) + len(glue); size > maxExprText {
			return nil, errTextTooLong
		}
	}
	return strings.Join(items, glue), nil
}

func exprTexts(params []any) ([]string, error) {
	if len(params) == 0 {
		return nil, errNotList
	}
	if texts, ok := params[0].([]string); ok {
		return texts, nil
	}
	items, ok := params[0].([]any)
	if !ok {
		return nil, errNotList
	}
	found := make([]string, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil, errNotTexts
		}
		found[i] = text
	}
	return found, nil
}

func exprText(params []any, i int) (string, error) {
	if i >= len(params) {
		return "", errNotTexts
	}
	text, ok := params[i].(string)
	if !ok {
		return "", errNotTexts
	}
	return text, nil
}

func exprReplace(params ...any) (any, error) {
	var part [3]string
	for i := range part {
		var err error
		if part[i], err = exprText(params, i); err != nil {
			return nil, err
		}
	}
	if len(params) > 3 {
		return nil, errNotTexts
	}
	if len(part[0])+strings.Count(part[0], part[1])*len(part[2]) > maxExprText {
		return nil, errTextTooLong
	}
	return strings.ReplaceAll(part[0], part[1], part[2]), nil
}

func exprRepeat(params ...any) (any, error) {
	text, err := exprText(params, 0)
	if err != nil || len(params) != 2 {
		return nil, errNotTexts
	}
	times, ok := exprNumber(params[1])
	if !ok || times < 0 || float64(len(text))*times > maxExprText || times > maxExprText {
		return nil, errTextTooLong
	}
	return strings.Repeat(text, int(times)), nil
}

func exprUniq(params ...any) (any, error) {
	if len(params) != 1 {
		return nil, errNotList
	}
	items, ok := params[0].([]any)
	if !ok {
		return nil, errNotList
	}
	seen := make(map[string]bool, len(items))
	var kept []any
	for _, item := range items {
		value, err := fromPlain(item)
		if err != nil {
			return nil, err
		}
		if key := Canonical(value); !seen[key] {
			seen[key] = true
			kept = append(kept, item)
		}
	}
	return kept, nil
}
