package dsl

import (
	"testing"

	"pgregory.net/rapid"
)

// anySchema draws what looks like a schema, right or wrong.
func anySchema(depth int) *rapid.Generator[any] {
	scalar := rapid.SampledFrom([]any{
		nil, true, false, 0.0, -1.0, 2.0, 1.5, 1e300, "", "string", "array", "(", "(?=a)", "^a+$", "email", "date-time", "regex",
		"#/definitions/A", "#/definitions/own",
		[]any{},
		[]any{"a", "b"},
		[]any{"a", "a"},
		[]any{"string", "null"},
		[]any{1.0},
		NewObject(0),
	})
	keywords := []string{
		"type", "enum", "const", "required", "minimum", "exclusiveMaximum", "multipleOf", "minLength", "maxItems", "minContains",
		"pattern", "format", "uniqueItems", "properties", "patternProperties", "additionalProperties", "items", "prefixItems",
		"additionalItems", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "contains", "propertyNames", "dependentRequired",
		"dependentSchemas", "dependencies", "definitions", "$defs", "$ref", "$id", "id", "$schema", "$anchor", "$dynamicAnchor",
		"$vocabulary", "criteria", "contentSchema", "default", "unevaluatedProperties", "unevaluatedItems",
	}
	return rapid.Custom(func(t *rapid.T) any {
		o := NewObject(3)
		for range rapid.IntRange(0, 3).Draw(t, "keywords") {
			value := scalar
			if depth > 0 {
				inner := anySchema(depth - 1)
				value = rapid.OneOf(scalar, inner, rapid.Map(rapid.SliceOfN(inner, 0, 2), func(items []any) any { return items }),
					rapid.Map(inner, func(s any) any { return ObjectOf("own", s, "a/b~%c", true) }))
			}
			o.Set(rapid.SampledFrom(keywords).Draw(t, "keyword"), value.Draw(t, "value"))
		}
		return o
	})
}

// TestASchemaWithoutIssuesCompiles holds the reader's own checks against the library: what it passes, the library
// compiles, and a check of a value ends.
func TestASchemaWithoutIssuesCompiles(t *testing.T) {
	t.Parallel()
	passed := 0
	rapid.Check(t, func(t *rapid.T) {
		schemas := ObjectOf("A", anySchema(2).Draw(t, "a"), "B", anySchema(2).Draw(t, "b"))
		set, issues := CompileSchemas(schemas)
		if len(issues) > 0 {
			return
		}
		passed++
		for _, id := range schemas.Keys() {
			if _, err := set.compile(id); err != nil {
				t.Fatalf("%v in %s", err, JSON(schemas))
			}
			set.Check(id, anyValue(2).Draw(t, "value"))
		}
	})
	if passed == 0 {
		t.Error("no schema was without issues")
	}
}
