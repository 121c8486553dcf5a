package dsl

import (
	"strings"

	"github.com/dop251/goja"
)

func (c *computation) guardTexts(reach reach) {
	texts := c.prototype("String")
	for _, name := range []string{"normalize", "split"} {
		c.wrap(reach, texts, name, c.entries)
	}
	for _, name := range []string{"match", "matchAll", "search"} {
		c.wrap(reach, texts, name, func(original builtin) builtin { return c.entries(c.pattern(original)) })
	}
	c.wrap(reach, texts, "concat", c.concatTexts)
	c.wrap(reach, texts, "repeat", func(original builtin) builtin {
		return func(call goja.FunctionCall) goja.Value {
			times := call.Argument(0).ToFloat()
			c.refuse(times*float64(len(call.This.String())) > maxBuiltinText, errBuiltinText)
			return original(call)
		}
	})
	for _, name := range []string{"padStart", "padEnd"} {
		c.wrap(reach, texts, name, func(original builtin) builtin {
			return func(call goja.FunctionCall) goja.Value {
				c.refuse(call.Argument(0).ToFloat() > maxBuiltinText, errBuiltinText)
				return original(call)
			}
		})
	}
	for _, name := range []string{"replace", "replaceAll"} {
		c.wrap(reach, texts, name, c.replace)
	}
	if reach.has("RegExp") {
		patterns := c.prototype("RegExp")
		c.wrap(everything, patterns, "compile", c.pattern)
		c.must(nil, c.runtime.Set("RegExp", c.newPattern(c.global("RegExp"))))
		c.must(nil, c.global("RegExp").Set("prototype", patterns))
	}
}

// guardObjects bounds what lists the keys of a value: those of a text are its characters.
func (c *computation) guardObjects(reach reach) {
	object := c.global("Object")
	for _, name := range []string{"assign", "entries", "getOwnPropertyNames", "keys", "values"} {
		c.wrap(reach, object, name, func(original builtin) builtin {
			return func(call goja.FunctionCall) goja.Value {
				for _, argument := range call.Arguments {
					_, isText := argument.(goja.String)
					c.refuse(isText && c.lengthOf(argument) > maxBuiltinSteps, errBuiltinSteps)
				}
				return original(call)
			}
		})
	}
	c.guardIteration(c.prototype("String"))
}

func (c *computation) concatTexts(original builtin) builtin {
	return func(call goja.FunctionCall) goja.Value {
		total := len(call.This.String())
		for i, argument := range call.Arguments {
			text := argument.ToString()
			call.Arguments[i] = text
			total += text.(goja.String).Length() //nolint:forcetypeassert // ToString makes a text
		}
		c.refuse(total > maxBuiltinText, errBuiltinText)
		return original(call)
	}
}

// pattern bounds the length of the pattern that a builtin makes of its first argument: reading one is recursive.
func (c *computation) pattern(original builtin) builtin {
	return func(call goja.FunctionCall) goja.Value {
		if given := call.Argument(0); !isPattern(given) {
			c.refuse(len(given.String()) > maxPatternLength, errPattern)
		}
		return original(call)
	}
}

func isPattern(value goja.Value) bool {
	object, ok := value.(*goja.Object)
	return ok && object.ClassName() == "RegExp"
}

// newPattern is a constructor of patterns that bounds what it is given; it may be called without new too.
func (c *computation) newPattern(constructor *goja.Object) func(goja.ConstructorCall) *goja.Object {
	bounded := c.pattern(func(call goja.FunctionCall) goja.Value {
		made, err := c.runtime.New(constructor, call.Arguments...)
		if err != nil {
			panic(err) // an exception of the code, on its way to the code
		}
		return made
	})
	return func(call goja.ConstructorCall) *goja.Object {
		return bounded(goja.FunctionCall{Arguments: call.Arguments}).ToObject(c.runtime)
	}
}

// replace bounds what a replacement may make: each match becomes the replacement, in which a dollar may stand for the
// whole text.
func (c *computation) replace(original builtin) builtin {
	return c.entries(c.pattern(func(call goja.FunctionCall) goja.Value {
		text := call.This.String()
		if _, isFunction := goja.AssertFunction(call.Argument(1)); isFunction {
			made := 0
			call.Arguments[1] = c.watched(call.Arguments[1], func(result goja.Value) {
				made += len(result.String())
				c.refuse(made > maxBuiltinText, errBuiltinText)
			})
			return original(call)
		}
		with := call.Argument(1).String()
		most := int64(len(with)) + int64(strings.Count(with, "$"))*int64(len(text))
		if (int64(len(text))+1)*most > maxBuiltinText {
			matches := c.matches(text, call.Argument(0))
			c.refuse(matches*most+int64(len(text)) > maxBuiltinText, errBuiltinText)
		}
		return original(call)
	}))
}

// matches counts how often a pattern or text occurs in a text.
func (c *computation) matches(text string, pattern goja.Value) int64 {
	if !isPattern(pattern) {
		return int64(strings.Count(text, pattern.String()))
	}
	match, ok := goja.AssertFunction(c.prototype("String").Get("match"))
	if !ok {
		return 0
	}
	return max(1, c.lengthOf(c.must(match(c.runtime.ToValue(text), pattern))))
}

func (c *computation) guardFunctions(reach reach) {
	c.wrap(reach, c.prototype("Function"), "apply", func(original builtin) builtin {
		return func(call goja.FunctionCall) goja.Value {
			c.refuse(c.lengthOf(call.Argument(1)) > maxArguments, errArguments)
			return original(call)
		}
	})
}
