package dsl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func schemasOf(t *testing.T, text string) *Object {
	t.Helper()
	return decodeText(t, text).(*Object)
}

func TestSchemasCheck(t *testing.T) {
	t.Parallel()
	schemas := schemasOf(t, `{
		"Person": {"type": "object", "properties": {"name": {"type": "string", "minLength": 2}, "home": {"$ref": "#/definitions/Address"}}, "required": ["name"], "additionalProperties": false},
		"Address": {"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}, "zip": {"pattern": "^[0-9]+$"}}},
		"Own": {"$ref": "#/definitions/Address", "definitions": {"Address": {"type": "integer", "minimum": 3}}},
		"Odd/name~": {"type": "array", "items": [{"type": "string"}], "additionalItems": false},
		"Ref": {"$ref": "#/definitions/Odd~1name~0"},
		"Tree": {"properties": {"left": {"$ref": "#/definitions/Tree"}, "v": {"type": "number"}}, "required": ["v"]},
		"Mail": {"type": "string", "format": "email"},
		"Named": {"$id": "https://example.org/x", "$schema": "https://example.org/draft", "$anchor": "a", "type": "string"},
		"Data": {"properties": {"$ref": {"type": "string"}}, "enum": [{"$ref": "anything"}]}
	}`)
	set, issues := CompileSchemas(schemas)
	if issues != nil {
		t.Fatal(issues)
	}
	cases := map[string]struct {
		id    string
		value any
		want  []string
	}{
		"sound":                        {"Person", ObjectOf("name", "Bo", "home", ObjectOf("city", "Oslo", "zip", "1")), nil},
		"a missing property":           {"Person", NewObject(0), []string{"/schemas/Person/required: must have name"}},
		"a short text":                 {"Person", ObjectOf("name", "B"), []string{"/schemas/Person/properties/name/minLength: must have at least 2 characters"}},
		"a secret in a key stays away": {"Person", ObjectOf("name", "Bo", "secret", 1.0), []string{"/schemas/Person/additionalProperties: must have no property or item beyond those declared"}},
		"another schema":               {"Person", ObjectOf("name", "Bo", "home", ObjectOf("city", "secret")), []string{"/schemas/Address/properties/city/enum: must be one of the values allowed"}},
		"a pattern":                    {"Address", ObjectOf("zip", "secret"), []string{"/schemas/Address/properties/zip/pattern: must match the pattern ^[0-9]+$"}},
		"its own definition first":     {"Own", 2.0, []string{"/schemas/Own/definitions/Address/minimum: must be at least 3"}},
		"an odd name":                  {"Ref", []any{"a", "b"}, []string{"/schemas/Odd~1name~0/items: must have no property or item beyond those declared"}},
		"a tree":                       {"Tree", ObjectOf("v", 1.0, "left", ObjectOf("v", 2.0, "left", NewObject(0))), []string{"/schemas/Tree/required: must have v"}},
		"a format":                     {"Mail", "secret", []string{"/schemas/Mail/format: must be of the format email"}},
		"names that mean nothing":      {"Named", "a", nil},
		"a property called $ref":       {"Data", ObjectOf("$ref", "anything"), nil},
		"no such schema":               {"toString", 1.0, []string{`there is no schema "toString"`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := set.Check(tc.id, tc.value)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(strings.Join(got, ""), "secret") {
				t.Errorf("problems show the value: %q", got)
			}
		})
	}
}

func TestSchemasNameAtMostEightProblems(t *testing.T) {
	t.Parallel()
	set, _ := CompileSchemas(schemasOf(t, `{"L": {"items": {"type": "string"}}}`))
	items := make([]any, 50)
	for i := range items {
		items[i] = float64(i)
	}
	if got := set.Check("L", items); len(got) != maxProblems {
		t.Errorf("%d problems", len(got))
	}
}

func TestFixedSchemas(t *testing.T) {
	t.Parallel()
	set, issues := CompileSchemas(ObjectOf("shell", shellSchema(), "report", reportSchema()))
	if issues != nil {
		t.Fatal(issues)
	}
	long := strings.Repeat("word ", 10)
	cases := map[string]struct {
		id    string
		value any
		ok    bool
	}{
		"a result":              {"shell", ObjectOf("code", 1.0, "stdout", "", "stderr", ""), true},
		"a cut result":          {"shell", ObjectOf("code", 1.0, "stdout", "", "stderr", "", "truncated", true), true},
		"half a code":           {"shell", ObjectOf("code", 1.5, "stdout", "", "stderr", ""), false},
		"more than a result":    {"shell", ObjectOf("code", 1.0, "stdout", "", "stderr", "", "x", 1.0), false},
		"a report":              {"report", ObjectOf("report_markdown", long), true},
		"a short report":        {"report", ObjectOf("report_markdown", "short"), false},
		"a report of spaces":    {"report", ObjectOf("report_markdown", strings.Repeat(" ", 50)), false},
		"a report of 40 glyphs": {"report", ObjectOf("report_markdown", strings.Repeat("é", 40)), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := set.Check(tc.id, tc.value); (got == nil) != tc.ok {
				t.Errorf("problems %q", got)
			}
		})
	}
}

func TestSchemasThatDoNotCompile(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text string
		want []string
	}{
		"a wrong type":                      {`{"A": {"properties": {"x": {"type": "objekt"}}}}`, []string{`schema_compile schema "A"`}},
		"a pattern with look-ahead":         {`{"A": {"pattern": "(?=x)"}}`, []string{`schema_compile schema "A"`}},
		"a pattern that is too large":       {`{"A": {"pattern": "((a{100}){100}){100}"}}`, []string{`schema_compile schema "A"`}},
		"a property pattern that is broken": {`{"A": {"patternProperties": {"(": {}}}}`, []string{`schema_compile schema "A"`}},
		"two, one refers to the other":      {`{"A": {"$ref": "#/definitions/B"}, "B": {"type": 3}}`, []string{`schema_compile schema "B"`}},
		"two on their own":                  {`{"A": {"minLength": -1}, "B": {"type": 3}}`, []string{`schema_compile schema "A"`, `schema_compile schema "B"`}},
		"a reference into a property":       {`{"A": {"$ref": "#/properties/x"}}`, []string{`schema_ref_form schema "A"`}},
		"a reference that is no text":       {`{"A": {"$ref": {}}}`, []string{`schema_ref_form schema "A"`}},
		"a reference to the prototype":      {`{"A": {"$ref": "#/definitions/__proto__"}}`, []string{`schema_ref_dangling schema "A"`}},
		"no object":                         {`{"A": null, "B": true}`, []string{`schema_not_object schema "A"`, `schema_not_object schema "B"`}},
		"a bad one beside a dangling one":   {`{"A": {"$ref": "#/definitions/C"}, "B": {"type": 3}}`, []string{`schema_ref_dangling schema "A"`, `schema_compile schema "B"`}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, issues := CompileSchemas(schemasOf(t, tc.text))
			var got []string
			for _, issue := range issues {
				got = append(got, fmt.Sprintf("%s %s", issue.Code, issue.Path))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%v", diff, issues)
			}
		})
	}
}
