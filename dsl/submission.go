package dsl

import (
	"slices"
	"strings"
)

// reportKey is where a report goes in the state.
const reportKey = "report_markdown"

// maxNullDepth is how deep texts that mean null are looked for.
const maxNullDepth = 6

// nullWords are what models write where they mean null.
var nullWords = []string{"null", "none", "n/a"} //nolint:gochecknoglobals // a constant list

// withNulls turns texts that mean null into null, where the schema allows null.
func withNulls(schema *Object, value any, depth int) any {
	if depth > maxNullDepth {
		return value
	}
	switch v := value.(type) {
	case string:
		if nullable(schema) && slices.Contains(nullWords, strings.ToLower(trimSpace(v))) {
			return nil
		}
		return v
	case []any:
		items, ok := object(schema, "items")
		if !ok {
			return v
		}
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = withNulls(items, item, depth+1)
		}
		return list
	case *Object:
		return fieldsWithNulls(schema, v, depth)
	default:
		return value
	}
}

func fieldsWithNulls(schema, value *Object, depth int) *Object {
	properties, ok := object(schema, "properties")
	if !ok {
		return value
	}
	next := NewObject(value.Len())
	for key, item := range value.All() {
		if property, known := object(properties, key); known {
			item = withNulls(property, item, depth+1)
		}
		next.Set(key, item)
	}
	return next
}

func nullable(schema *Object) bool {
	if slices.Contains(texts(schema, "type"), "null") {
		return true
	}
	for _, branch := range list(schema, "anyOf") {
		if option, ok := branch.(*Object); ok && text(option, "type") == "null" {
			return true
		}
	}
	return false
}

// declared keeps of a submission what its schema's own properties name; all of it where the schema has no properties.
func declared(schema *Object, value any) any {
	fields, ok := value.(*Object)
	properties, known := object(schema, "properties")
	if !ok || !known {
		return value
	}
	kept := NewObject(properties.Len())
	for key, item := range fields.All() {
		if properties.Has(key) {
			kept.Set(key, item)
		}
	}
	return kept
}
