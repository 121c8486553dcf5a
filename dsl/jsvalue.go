package dsl

import (
	"math"
	"slices"
	"strings"

	"github.com/dop251/goja"
)

// jsState is a state as JavaScript sees it: a key is copied deep when it is first read, and what code writes stays in
// the copy.
type jsState struct {
	of      *Object
	runtime *goja.Runtime
	copied  map[string]goja.Value
	keys    []string
}

func (c *computation) stateObject(state *Object) goja.Value {
	return c.runtime.NewDynamicObject(&jsState{
		of: state, runtime: c.runtime, copied: map[string]goja.Value{}, keys: state.Keys(),
	})
}

// Get is the copy of a key's value.
func (s *jsState) Get(key string) goja.Value {
	if value, ok := s.copied[key]; ok {
		return value
	}
	value, ok := s.of.Get(key)
	if !ok || !s.Has(key) {
		return nil
	}
	copied := toJS(s.runtime, value)
	s.copied[key] = copied
	return copied
}

// Set writes a key of the copy.
func (s *jsState) Set(key string, value goja.Value) bool {
	if !s.Has(key) {
		s.keys = append(slices.Clip(s.keys), key)
	}
	s.copied[key] = value
	return true
}

// Has tells whether the copy has a key.
func (s *jsState) Has(key string) bool {
	if value, ok := s.copied[key]; ok {
		return value != nil
	}
	return s.of.Has(key)
}

// Delete takes a key off the copy.
func (s *jsState) Delete(key string) bool {
	if !s.Has(key) {
		return true
	}
	kept := make([]string, 0, len(s.keys))
	for _, other := range s.keys {
		if other != key {
			kept = append(kept, other)
		}
	}
	s.keys = kept
	s.copied[key] = nil
	return true
}

// Keys are the copy's keys, in order.
func (s *jsState) Keys() []string { return s.keys }

// toJS copies a value into a runtime.
func toJS(runtime *goja.Runtime, value any) goja.Value {
	switch v := value.(type) {
	case nil:
		return goja.Null()
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = toJS(runtime, item)
		}
		return runtime.NewArray(items...)
	case *Object:
		object := runtime.NewObject()
		for key, item := range v.All() {
			if object.Set(key, toJS(runtime, item)) != nil {
				continue // a plain object takes every key
			}
		}
		return object
	case float64:
		if whole := int64(v); float64(whole) == v && math.Abs(v) < 1<<53 && (v != 0 || !math.Signbit(v)) {
			return runtime.ToValue(whole)
		}
		return runtime.ToValue(v)
	default:
		return runtime.ToValue(v)
	}
}

// exporting copies what code returned, bounded: a value that shares its parts may be far larger than it looks.
type exporting struct {
	*computation

	parts int
	bytes int64
}

// export copies what code returned into a value: undefined properties and functions are absent, other undefined values
// null, as JSON.stringify has it.
func (c *computation) export(result goja.Value) (any, error) {
	if object, ok := result.(*goja.Object); ok {
		if _, isFunction := goja.AssertFunction(object.Get("then")); isFunction {
			return nil, errThenable
		}
	}
	value, _, err := (&exporting{computation: c}).value(result, 0)
	return value, err
}

// value exports one value; present is false where JSON has none for it.
func (e *exporting) value(from goja.Value, depth int) (value any, present bool, err error) {
	if err := e.count(depth); err != nil {
		return nil, false, err
	}
	object, ok := from.(*goja.Object)
	if !ok {
		return e.scalar(from)
	}
	if _, isFunction := goja.AssertFunction(object); isFunction {
		return nil, false, nil
	}
	switch object.ClassName() {
	case "Array":
		value, err = e.list(object, depth)
	case "String":
		return e.exported(object.String())
	case "Number":
		return e.exported(object.ToFloat())
	case "Boolean":
		return e.exported(object.Export())
	default:
		value, err = e.object(object, depth)
	}
	return value, err == nil, err
}

func (e *exporting) count(depth int) error {
	if why := e.stopped.Load(); why != nil {
		return *why
	}
	if depth > maxValueDepth {
		return errValueDepth
	}
	if e.parts++; e.parts > maxValueParts {
		return errValueParts
	}
	return nil
}

func (e *exporting) scalar(from goja.Value) (any, bool, error) {
	if from == nil || goja.IsUndefined(from) {
		return nil, false, nil
	}
	return e.exported(from.Export())
}

func (e *exporting) exported(from any) (any, bool, error) {
	switch v := from.(type) {
	case nil:
		return nil, true, nil
	case bool:
		return v, true, nil
	case int64:
		return float64(v), true, nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, true, nil
		}
		return v, true, nil
	case string:
		if e.bytes += int64(len(v)); e.bytes > maxValueBytes {
			return nil, false, errValueBytes
		}
		return strings.ToValidUTF8(v, "\ufffd"), true, nil
	default: // a symbol or a big integer
		return nil, false, nil
	}
}

func (e *exporting) list(from *goja.Object, depth int) (any, error) {
	size := from.Get("length").ToInteger()
	if size > maxValueParts {
		return nil, errValueParts
	}
	items := make([]any, size)
	for i := range items {
		item, _, err := e.value(from.Get(indexKey(i)), depth+1)
		if err != nil {
			return nil, err
		}
		items[i] = item
	}
	return items, nil
}

func (e *exporting) object(from *goja.Object, depth int) (any, error) {
	if state, ok := from.Export().(*jsState); ok {
		return e.state(state, depth)
	}
	keys := from.Keys()
	object := NewObject(len(keys))
	for _, key := range keys {
		item, present, err := e.value(from.Get(key), depth+1)
		if err != nil {
			return nil, err
		}
		if present {
			object.Set(strings.ToValidUTF8(key, "\ufffd"), item)
		}
	}
	return object, nil
}

// state exports a state that code returned: keys that it never read are as they were.
func (e *exporting) state(from *jsState, depth int) (any, error) {
	object := NewObject(len(from.keys))
	for _, key := range from.keys {
		copied, read := from.copied[key]
		if !read {
			value, _ := from.of.Get(key)
			object.Set(key, value)
			continue
		}
		item, present, err := e.value(copied, depth+1)
		if err != nil {
			return nil, err
		}
		if present {
			object.Set(key, item)
		}
	}
	return object, nil
}
