package cases

import (
	"errors"
	"fmt"
	"slices"

	"github.com/agentrun/agentrun/dsl"
)

// reader reads the parts of a case, and keeps the first thing that is wrong with it.
type reader struct{ err error }

func (r *reader) fail(message string) {
	if r.err == nil {
		r.err = errors.New(message) //nolint:err113 // what is wrong with one case, for its author
	}
}

// object reads an object whose fields are all known; "*" knows any.
func (r *reader) object(what string, value any, known ...string) *dsl.Object {
	object, ok := value.(*dsl.Object)
	if !ok {
		r.fail(what + " must be an object")
		return nil
	}
	for _, key := range object.Keys() {
		if !slices.Contains(known, key) && !slices.Contains(known, "*") {
			r.fail(fmt.Sprintf("%s has a field %q that is not known", what, key))
		}
	}
	return object
}

// field reads an object's field as an object; nil where it is absent.
func (r *reader) field(from *dsl.Object, key string, known ...string) *dsl.Object {
	value, ok := from.Get(key)
	if !ok || value == nil {
		return nil
	}
	return r.object(key, value, known...)
}

func (r *reader) text(from *dsl.Object, key string) string {
	value, ok := from.Get(key)
	text, isText := value.(string)
	if ok && value != nil && !isText {
		r.fail(key + " must be a text")
	}
	return text
}

func (r *reader) number(from *dsl.Object, key string) float64 {
	value, ok := from.Get(key)
	number, isNumber := value.(float64)
	if ok && !isNumber {
		r.fail(key + " must be a number")
	}
	return number
}

func (r *reader) list(from *dsl.Object, key string) []any {
	value, ok := from.Get(key)
	items, isList := value.([]any)
	if ok && !isList {
		r.fail(key + " must be a list")
	}
	return items
}

func (r *reader) texts(from *dsl.Object, key string) []string {
	items := r.list(from, key)
	if items == nil {
		return nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			r.fail(key + " must be a list of texts")
		}
		texts[i] = text
	}
	return texts
}

// maybe is a field's value, and whether the case gives it: null is a value.
func maybe(from *dsl.Object, key string) Maybe {
	value, ok := from.Get(key)
	return Maybe{Given: ok, Value: value}
}

// Maybe is a value that a case may leave out.
type Maybe struct {
	Given bool
	Value any
}
