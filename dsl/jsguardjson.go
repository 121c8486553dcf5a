package dsl

import "github.com/dop251/goja"

func (c *computation) guardJSON(reach reach) {
	if !reach.has("JSON") {
		return
	}
	object := c.global("JSON")
	c.wrap(reach, object, "parse", func(original builtin) builtin {
		return func(call goja.FunctionCall) goja.Value {
			text := call.Argument(0).String()
			c.refuse(len(text) > maxBuiltinSteps, errBuiltinSteps)
			c.refuse(nestingOf(text) > maxBuiltinNesting, errNesting)
			if len(call.Arguments) > 1 {
				call.Arguments = []goja.Value{call.Arguments[0], c.watched(call.Arguments[1], nil)}
			}
			return original(call)
		}
	})
	c.wrap(reach, object, "stringify", func(original builtin) builtin {
		return func(call goja.FunctionCall) goja.Value {
			replacer := c.replacer(call.Argument(1), indentOf(call.Argument(2)))
			return original(goja.FunctionCall{
				This: call.This, Arguments: []goja.Value{call.Argument(0), c.runtime.ToValue(replacer), call.Argument(2)},
			})
		}
	})
}

// nestingOf is how deep the lists and objects of a JSON text are nested.
func nestingOf(text string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

func indentOf(given goja.Value) int {
	if number, ok := given.Export().(int64); ok {
		return int(min(max(number, 0), 10))
	}
	text, _ := given.Export().(string)
	return min(len(text), 10)
}

// replacer is what every part of a value goes through on its way to text: it counts what will be written, and does what
// the code's own replacer asks for.
func (c *computation) replacer(own goja.Value, indent int) builtin {
	var holders []*goja.Object
	written := 0
	function, _ := goja.AssertFunction(own)
	only := c.onlyKeys(own)
	return func(call goja.FunctionCall) goja.Value {
		holder := call.This.ToObject(c.runtime)
		for len(holders) > 0 && holders[len(holders)-1] != holder {
			holders = holders[:len(holders)-1]
		}
		if len(holders) == 0 {
			holders = append(holders, holder)
		}
		key, value := call.Argument(0), call.Argument(1)
		if function != nil {
			value = c.must(function(holder, key, value))
		}
		if only != nil && holder.ClassName() != "Array" && len(holders) > 1 && !only[key.String()] {
			return goja.Undefined()
		}
		written += 8 + len(key.String()) + len(holders)*indent
		switch v := value.(type) {
		case goja.String:
			written += v.Length()
		case *goja.Object:
			holders = append(holders, v)
		}
		c.refuse(len(holders) > maxBuiltinNesting, errNesting)
		c.refuse(written > maxBuiltinText, errBuiltinText)
		return value
	}
}

// onlyKeys are the keys that a list as replacer lets through; nil where it is no list.
func (c *computation) onlyKeys(own goja.Value) map[string]bool {
	list, ok := own.(*goja.Object)
	if !ok || list.ClassName() != "Array" {
		return nil
	}
	length := c.lengthOf(list)
	c.refuse(length > maxArguments, errArguments)
	only := map[string]bool{}
	for i := range int(length) {
		if key := list.Get(indexKey(i)); key != nil {
			only[key.String()] = true
		}
	}
	return only
}
