package dsl

import (
	"fmt"
	"strconv"

	"github.com/dop251/goja"
)

// Bounds of one step of a builtin: how many entries it may go through, how many characters of text it may make.
const (
	maxBuiltinSteps   = 4 << 20
	maxBuiltinText    = 16 << 20
	maxArguments      = 100_000
	maxPatternLength  = 10_000
	maxBuiltinNesting = 512
)

var (
	errBuiltinSteps = &boundError{fmt.Sprintf("a builtin would go through more than %d entries", maxBuiltinSteps)}
	errBuiltinText  = &boundError{fmt.Sprintf("a builtin would make a text of more than %d characters", maxBuiltinText)}
	errArguments    = &boundError{fmt.Sprintf("a function is given more than %d arguments", maxArguments)}
	errPattern      = &boundError{fmt.Sprintf("a pattern is longer than %d characters", maxPatternLength)}
	errNesting      = &boundError{fmt.Sprintf("a value is nested deeper than %d", maxBuiltinNesting)}
)

func indexKey(i int) string { return strconv.Itoa(i) }

// prepare takes from the runtime what code must not have, and bounds the builtins that it may reach: JavaScript can be
// stopped between two of its own steps, but not within a builtin.
func (c *computation) prepare(reach reach) error {
	c.runtime.SetMaxCallStackSize(maxCallDepth)
	thrown := c.runtime.Try(func() {
		c.remove()
		c.guardArrays(reach)
		c.guardTexts(reach)
		c.guardFunctions(reach)
		c.guardObjects(reach)
		c.guardJSON(reach)
		if reach.has("next") {
			c.guardIterators()
		}
	})
	if thrown != nil {
		return fmt.Errorf("prepare the runtime: %w", thrown)
	}
	return nil
}

// remove deletes what parameters cannot shadow.
func (c *computation) remove() {
	c.delete(c.runtime.GlobalObject(), "eval")
	c.delete(c.global("Math"), "random")
	object := c.global("Object")
	for _, name := range []string{
		"getOwnPropertyDescriptor", "getOwnPropertyDescriptors", "getOwnPropertySymbols", "defineProperty",
		"defineProperties", "setPrototypeOf", "groupBy",
	} {
		c.delete(object, name)
	}
	c.delete(c.global("String"), "raw")
	c.delete(c.prototype("Function"), "constructor")
	c.delete(c.prototype("Array"), "toLocaleString")
	for _, source := range []string{"(function* () {})", "(async () => {})"} {
		made := c.must(c.runtime.RunString(source)).ToObject(c.runtime)
		c.delete(made.Prototype(), "constructor")
	}
}

func (c *computation) global(name string) *goja.Object {
	return c.runtime.GlobalObject().Get(name).ToObject(c.runtime)
}

func (c *computation) prototype(name string) *goja.Object {
	return c.global(name).Get("prototype").ToObject(c.runtime)
}

func (c *computation) delete(from *goja.Object, name string) {
	if err := from.Delete(name); err != nil {
		panic(c.runtime.NewGoError(err))
	}
}

func (c *computation) must(value goja.Value, err error) goja.Value {
	if err != nil {
		panic(c.runtime.NewGoError(err))
	}
	return value
}

// look ends the computation here if it must end.
func (c *computation) look() {
	if c.stopped.Load() != nil {
		// JavaScript cannot catch this one.
		panic(&goja.InterruptedError{})
	}
}

// refuse ends the computation for a bound that it would pass.
func (c *computation) refuse(over bool, bound error) {
	if over {
		c.stop(bound)
	}
	c.look()
}

type builtin = func(goja.FunctionCall) goja.Value

// wrap puts a bound before a builtin, where the source may reach it.
func (c *computation) wrap(reach reach, on *goja.Object, name string, wrapper func(original builtin) builtin) {
	if !reach.has(name) {
		return
	}
	original, ok := goja.AssertFunction(on.Get(name))
	if !ok {
		return
	}
	bounded := wrapper(func(call goja.FunctionCall) goja.Value {
		result, err := original(call.This, call.Arguments...)
		if err != nil {
			panic(err) // an exception of the code, on its way to the code
		}
		return result
	})
	if err := on.DefineDataProperty(name, c.runtime.ToValue(bounded), goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(c.runtime.NewGoError(err))
	}
}

// lengthOf is the length of a list, of what looks like one, or of a text.
func (c *computation) lengthOf(value goja.Value) int64 {
	switch v := value.(type) {
	case *goja.Object:
		length := v.Get("length")
		if length == nil {
			return 0
		}
		return length.ToInteger()
	case goja.String:
		return int64(v.Length())
	default:
		return 0
	}
}

// entries bounds a builtin by the length of what it works on.
func (c *computation) entries(original builtin) builtin {
	return func(call goja.FunctionCall) goja.Value {
		c.refuse(c.lengthOf(call.This) > maxBuiltinSteps, errBuiltinSteps)
		return original(call)
	}
}

// spread bounds what a spread goes through.
func (c *computation) spread(call goja.FunctionCall) goja.Value {
	c.refuse(c.lengthOf(call.Argument(0)) > maxBuiltinSteps, errBuiltinSteps)
	return call.Argument(0)
}

// calling bounds a builtin that calls a function for each entry, and looks at every call: the function may be a builtin
// too, which JavaScript's own stop does not reach.
func (c *computation) calling(original builtin) builtin {
	return c.entries(func(call goja.FunctionCall) goja.Value {
		if len(call.Arguments) > 0 {
			call.Arguments = append([]goja.Value{c.watched(call.Arguments[0], nil)}, call.Arguments[1:]...)
		}
		return original(call)
	})
}

// watched is a function that looks whether it must stop before each call, and shows each result to after.
func (c *computation) watched(value goja.Value, after func(goja.Value)) goja.Value {
	function, ok := goja.AssertFunction(value)
	if !ok {
		return value
	}
	return c.runtime.ToValue(func(call goja.FunctionCall) goja.Value {
		c.look()
		result, err := function(call.This, call.Arguments...)
		if err != nil {
			panic(err) // an exception of the code, on its way to the code
		}
		if after != nil {
			after(result)
		}
		return result
	})
}
