package dsl

import (
	"fmt"
	"net/url"
	"strings"
)

const definitionsPrefix = "#/definitions/"

// maxSubschemas bounds the schemas within the schemas of a document: the library takes time that grows with their square.
const maxSubschemas = 15_000

// schemaReader turns schemas into what the library compiles, with only the keywords that have a meaning here. It finds
// all that is wrong with them, so that what it passes compiles.
type schemaReader struct {
	index  map[string]int // of the document's schemas
	count  int
	issues []Issue

	id          string
	definitions *Object
}

func newSchemaReader(schemas *Object) *schemaReader {
	r := &schemaReader{index: make(map[string]int, schemas.Len())}
	for i, id := range schemas.Keys() {
		r.index[id] = i
	}
	return r
}

// all converts the schemas; what is no object becomes nil.
func (r *schemaReader) all(schemas *Object) []any {
	converted := make([]any, 0, schemas.Len())
	for id, value := range schemas.All() {
		r.id = id
		schema, ok := value.(*Object)
		if !ok {
			r.report("schema_not_object", "it is "+article(value)+", not an object")
			converted = append(converted, nil)
			continue
		}
		r.definitions, _ = object(schema, "definitions")
		converted = append(converted, r.schema(schema, &place{}))
	}
	if r.count > maxSubschemas {
		r.report("schema_compile", fmt.Sprintf("the schemas hold %d schemas, more than %d", r.count, maxSubschemas))
	}
	return converted
}

func (r *schemaReader) report(code, message string) {
	if len(r.issues) < maxIssues {
		r.issues = append(r.issues, Issue{
			Code: code, Path: fmt.Sprintf("schema %q", clip(r.id)), Message: message, Hint: hint(code),
		})
	}
}

func (r *schemaReader) faulty(at *place, want string, value any) {
	if len(r.issues) < maxIssues {
		r.report("schema_compile", fmt.Sprintf("%s must be %s and is %s", at, want, quoted(value)))
	}
}

func (r *schemaReader) schema(value any, at *place) any {
	from, ok := value.(*Object)
	if !ok {
		if _, ok := value.(bool); !ok {
			r.faulty(at, "a schema", value)
		}
		return value
	}
	r.count++
	to := make(map[string]any, from.Len())
	for key, item := range from.All() {
		inner := at.at("/" + strings.TrimPrefix(named(key), "."))
		switch key {
		case "$ref", "$dynamicRef", "$recursiveRef":
			r.reference(to, key, item)
		case "items", "additionalItems":
			r.items(to, key, from, inner)
		case "dependencies":
			r.dependencies(to, item, inner)
		default:
			r.keyword(to, key, item, inner)
		}
	}
	return to
}

// keyword takes over the keywords that have a meaning here. Names and bases of schemas have none, as only
// `#/definitions/` is looked up.
func (r *schemaReader) keyword(to map[string]any, key string, item any, at *place) {
	switch key {
	case "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems",
		"unevaluatedProperties":
		to[key] = r.schema(item, at)
	case "allOf", "anyOf", "oneOf", "prefixItems":
		to[key] = r.schemas(item, at)
	case "properties", "patternProperties", "definitions", "dependentSchemas":
		to[key] = r.named(item, key == "patternProperties", at)
	default:
		if r.value(key, item, at) {
			to[key] = plain(item)
		}
	}
}

func (r *schemaReader) schemas(value any, at *place) any {
	items, ok := value.([]any)
	if !ok || len(items) == 0 {
		r.faulty(at, "a list of schemas with at least one", value)
		return nil
	}
	to := make([]any, len(items))
	for i, item := range items {
		to[i] = r.schema(item, at.at(fmt.Sprintf("/%d", i)))
	}
	return to
}

func (r *schemaReader) named(value any, patterns bool, at *place) any {
	from, ok := value.(*Object)
	if !ok {
		r.faulty(at, "an object of schemas", value)
		return nil
	}
	to := make(map[string]any, from.Len())
	for name, item := range from.All() {
		if patterns {
			r.pattern(name, at)
		}
		to[name] = r.schema(item, at.at("/"+strings.TrimPrefix(named(name), ".")))
	}
	return to
}

// items reads tuples as older drafts write them too: a list under items is prefixItems, and additionalItems the rest.
func (r *schemaReader) items(to map[string]any, key string, from *Object, at *place) {
	items, _ := from.Get("items")
	tuple, isTuple := items.([]any)
	value, _ := from.Get(key)
	switch {
	case key == "items" && !isTuple:
		to["items"] = r.schema(value, at)
	case key == "items" && len(tuple) > 0:
		to["prefixItems"] = r.schemas(tuple, at)
	case key == "additionalItems" && isTuple:
		to["items"] = r.schema(value, at)
	}
}

// dependencies is what newer drafts call dependentRequired and dependentSchemas.
func (r *schemaReader) dependencies(to map[string]any, value any, at *place) {
	from, ok := value.(*Object)
	if !ok {
		r.faulty(at, "an object", value)
		return
	}
	lists, schemas := map[string]any{}, map[string]any{}
	for name, item := range from.All() {
		if names, ok := item.([]any); ok {
			r.names(names, at)
			lists[name] = plain(names)
		} else {
			schemas[name] = r.schema(item, at)
		}
	}
	to["dependentRequired"], to["dependentSchemas"] = lists, schemas
}

func (r *schemaReader) reference(to map[string]any, key string, value any) {
	ref, _ := value.(string)
	name, ok := strings.CutPrefix(ref, definitionsPrefix)
	if key != "$ref" || !ok || name == "" || strings.Contains(name, "/") {
		r.report("schema_ref_form", fmt.Sprintf("%s is %s", key, quoted(value)))
		return
	}
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	if r.definitions.Has(name) {
		to["$ref"] = definitionsPrefix + url.PathEscape(pointerToken(name))
		return
	}
	i, known := r.index[name]
	if !known {
		r.report("schema_ref_dangling", fmt.Sprintf("$ref names %q, which is neither a definition of it nor a schema of the document", clip(name)))
		return
	}
	to["$ref"] = schemaURL(i)
}

// pointerToken escapes a name for a JSON pointer.
func pointerToken(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
