package dsl

import (
	"slices"
	"strings"

	"github.com/dop251/goja"
)

func (c *computation) guardArrays(reach reach) {
	lists := c.prototype("Array")
	for _, name := range []string{
		"copyWithin", "entries", "fill", "includes", "indexOf", "keys", "lastIndexOf", "reverse", "shift", "slice",
		"splice", "toReversed", "toSpliced", "unshift", "values", "with",
	} {
		c.wrap(reach, lists, name, c.entries)
	}
	for _, name := range []string{
		"every", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "map", "reduce", "reduceRight",
		"some", "sort", "toSorted",
	} {
		c.wrap(reach, lists, name, c.calling)
	}
	c.wrap(reach, lists, "concat", c.concat)
	c.wrap(reach, lists, "flatMap", c.flatMap)
	c.wrap(reach, lists, "flat", func(builtin) builtin { return c.flat })
	c.wrap(everything, lists, "join", func(builtin) builtin { return c.join() })
	c.wrap(reach, c.global("Array"), "from", c.from)
	if reach.has("length") {
		c.guardIteration(lists)
	}
}

// guardIteration bounds going through a list or text as a whole.
func (c *computation) guardIteration(on *goja.Object) {
	original, ok := goja.AssertFunction(on.GetSymbol(goja.SymIterator))
	if !ok {
		return
	}
	bounded := c.entries(func(call goja.FunctionCall) goja.Value { return c.must(original(call.This)) })
	c.must(nil, on.SetSymbol(goja.SymIterator, c.runtime.ToValue(bounded)))
}

// everything reaches every name: for builtins that are called without being named.
var everything = reach{dynamic: true} //nolint:gochecknoglobals // a constant

func (c *computation) concat(original builtin) builtin {
	return func(call goja.FunctionCall) goja.Value {
		total := c.lengthOf(call.This)
		for _, argument := range call.Arguments {
			total += max(1, c.lengthOf(argument))
		}
		c.refuse(total > maxBuiltinSteps, errBuiltinSteps)
		return original(call)
	}
}

func (c *computation) flatMap(original builtin) builtin {
	return c.entries(func(call goja.FunctionCall) goja.Value {
		total := int64(0)
		if len(call.Arguments) > 0 {
			counted := c.watched(call.Arguments[0], func(result goja.Value) {
				total += max(1, c.lengthOf(result))
				c.refuse(total > maxBuiltinSteps, errBuiltinSteps)
			})
			call.Arguments = append([]goja.Value{counted}, call.Arguments[1:]...)
		}
		return original(call)
	})
}

// flat is Array.prototype.flat; a list that holds another one many times is as long as it is written out.
func (c *computation) flat(call goja.FunctionCall) goja.Value {
	depth := int64(1)
	if given := call.Argument(0); !goja.IsUndefined(given) {
		depth = given.ToInteger()
	}
	items := c.flattened(nil, call.This.ToObject(c.runtime), min(depth, maxBuiltinNesting))
	return c.runtime.NewArray(items...)
}

func (c *computation) flattened(to []any, list *goja.Object, depth int64) []any {
	length := c.lengthOf(list)
	c.refuse(length+int64(len(to)) > maxBuiltinSteps, errBuiltinSteps)
	for i := range int(length) {
		item := list.Get(indexKey(i))
		inner, isObject := item.(*goja.Object)
		switch {
		case item == nil:
		case depth > 0 && isObject && inner.ClassName() == "Array":
			to = c.flattened(to, inner, depth-1)
		default:
			to = append(to, item)
		}
	}
	return to
}

// join is Array.prototype.join, which every list is written by.
func (c *computation) join() builtin {
	nesting := 0
	return func(call goja.FunctionCall) goja.Value {
		nesting++
		defer func() { nesting-- }()
		c.refuse(nesting > maxBuiltinNesting, errNesting)
		list := call.This.ToObject(c.runtime)
		glue := ","
		if given := call.Argument(0); !goja.IsUndefined(given) {
			glue = given.String()
		}
		length := c.lengthOf(list)
		c.refuse(length > maxBuiltinSteps, errBuiltinSteps)
		var text strings.Builder
		for i := range int(length) {
			if i > 0 {
				text.WriteString(glue)
			}
			if item := list.Get(indexKey(i)); item != nil && !goja.IsUndefined(item) && !goja.IsNull(item) {
				text.WriteString(item.String())
			}
			c.refuse(text.Len() > maxBuiltinText, errBuiltinText)
		}
		return c.runtime.ToValue(text.String())
	}
}

func (c *computation) from(original builtin) builtin {
	return func(call goja.FunctionCall) goja.Value {
		c.refuse(c.lengthOf(call.Argument(0)) > maxBuiltinSteps, errBuiltinSteps)
		if len(call.Arguments) > 1 {
			call.Arguments = append([]goja.Value{call.Arguments[0], c.watched(call.Arguments[1], nil)}, call.Arguments[2:]...)
		}
		return original(call)
	}
}

// guardIterators fixes what the builtin iterators do, and refuses iterators made by hand of builtins: their loops never
// look whether they must stop.
func (c *computation) guardIterators() {
	known := map[goja.Value]bool{}
	for _, source := range []string{
		"[].values()", "new Map().keys()", "new Set().values()", "''.matchAll(/a/g)", "''[Symbol.iterator]()",
		"(function* () {})()",
	} {
		owner := c.must(c.runtime.RunString(source)).ToObject(c.runtime).Prototype()
		for !slices.Contains(owner.GetOwnPropertyNames(), "next") {
			owner = owner.Prototype()
		}
		next := owner.Get("next")
		c.must(nil, owner.DefineDataProperty("next", next, goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE))
		known[next] = true
	}
	shared := c.must(c.runtime.RunString("[].values()")).ToObject(c.runtime).Prototype().Prototype()
	c.must(nil, shared.SetSymbol(goja.SymIterator, c.runtime.ToValue(func(call goja.FunctionCall) goja.Value {
		if iterator, ok := call.This.(*goja.Object); !ok || !known[iterator.Get("next")] {
			panic(c.runtime.NewTypeError("an iterator must be a generator or one of the language's own"))
		}
		return call.This
	})))
}
