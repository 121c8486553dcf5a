package dsl

import (
	"iter"
	"slices"
)

// Object is a JSON object that keeps the order of its keys: the document's, or that in which they were set.
// The nil Object is empty and may be read.
type Object struct {
	keys   []string
	values map[string]any
}

// NewObject makes an empty object with room for size keys.
func NewObject(size int) *Object {
	return &Object{keys: make([]string, 0, size), values: make(map[string]any, size)}
}

// ObjectOf makes an object of key, value, key, value…; it panics on an odd count or a key that is not a string.
func ObjectOf(pairs ...any) *Object {
	o := NewObject(len(pairs) / 2)
	for pair := range slices.Chunk(pairs, 2) {
		o.Set(pair[0].(string), pair[1]) //nolint:forcetypeassert // a mistake of the program, not of a user
	}
	return o
}

// Len is how many keys the object has.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.keys)
}

// Get is the value at a key, and whether there is one: null is a value.
func (o *Object) Get(key string) (any, bool) {
	if o == nil {
		return nil, false
	}
	value, ok := o.values[key]
	return value, ok
}

// Has tells whether the object has the key.
func (o *Object) Has(key string) bool {
	_, ok := o.Get(key)
	return ok
}

// Keys are the keys in order. The slice is the object's own: do not change it.
func (o *Object) Keys() []string {
	if o == nil {
		return nil
	}
	return o.keys
}

// All yields the entries in order.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		for _, key := range o.Keys() {
			if !yield(key, o.values[key]) {
				return
			}
		}
	}
}

// Set puts a value at a key: a new key comes last, a known one keeps its place. Only who made the object sets.
func (o *Object) Set(key string, value any) {
	if _, known := o.values[key]; !known {
		o.keys = append(o.keys, key)
	}
	o.values[key] = value
}

// With is a copy of the object with one more or one other value.
func (o *Object) With(key string, value any) *Object {
	next := NewObject(o.Len() + 1)
	for k, v := range o.All() {
		next.Set(k, v)
	}
	next.Set(key, value)
	return next
}

// Without is a copy of the object that lacks the keys.
func (o *Object) Without(keys ...string) *Object {
	next := NewObject(o.Len())
	for k, v := range o.All() {
		next.Set(k, v)
	}
	for _, key := range keys {
		next.remove(key)
	}
	return next
}

func (o *Object) remove(key string) {
	if _, known := o.values[key]; !known {
		return
	}
	delete(o.values, key)
	for i, k := range o.keys {
		if k == key {
			o.keys = append(o.keys[:i], o.keys[i+1:]...)
			return
		}
	}
}
