package dsl

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatASchemaExcludes(t *testing.T) {
	t.Parallel()
	schema := `{"type": "object", "additionalProperties": false, "properties": {
		"open": {"type": "object", "properties": {"a": {}}},
		"closed": {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false},
		"named": {"type": "object", "patternProperties": {"^x": {}}, "additionalProperties": false},
		"list": {"type": "array", "items": {"type": "object", "properties": {"a": {}}, "additionalProperties": false}},
		"tuple": {"type": "array", "items": [{"type": "string"}], "additionalProperties": false},
		"ref": {"$ref": "#/definitions/X", "additionalProperties": false},
		"either": {"anyOf": [{}], "additionalProperties": false},
		"typed": {"type": "object", "additionalProperties": {"type": "string"}},
		"text": {"type": "string"}
	}}`
	cases := map[string]struct {
		path     string
		declared bool
		excluded string
	}{
		"the whole value":               {"", false, ""},
		"a property":                    {"open", false, ""},
		"no property":                   {"nope", false, "nope"},
		"beyond an open object":         {"open.b.c", false, ""},
		"beyond an open, declared one":  {"open.b.c", true, "b"},
		"within an open, declared one":  {"open.a.c", true, ""},
		"beyond a closed object":        {"closed.b", false, "b"},
		"below a text":                  {"closed.a.deep", false, ""},
		"beyond a pattern":              {"named.y", false, ""},
		"an item":                       {"list.12.a", false, ""},
		"no property of an item":        {"list.0.b", false, "b"},
		"a word on a list":              {"list.length", false, ""},
		"a tuple":                       {"tuple.0.x", false, ""},
		"a reference":                   {"ref.x", true, ""},
		"one of several":                {"either.x", true, ""},
		"an object of texts":            {"typed.any.thing", false, ""},
		"an object of texts, declared":  {"typed.any", true, ""},
		"a text":                        {"text.x", true, ""},
		"a name every object has in JS": {"constructor", false, "constructor"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value := known{schema: decodeText(t, schema).(*Object), declared: tc.declared}
			segment, ok := value.excludes(tc.path)
			if segment != tc.excluded || ok != (tc.excluded == "") {
				t.Errorf("excluded %q, ok %v", segment, ok)
			}
		})
	}
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text string
		want []string
	}{
		"none":             {"plain", nil},
		"one":              {"{a.b}", []string{"a.b"}},
		"several":          {"x {a}{b_1} y {c$answers.0}", []string{"a", "b_1", "c$answers.0"}},
		"a hyphen is text": {"{find-answer.x}", nil},
		"JSON is text":     {`{"a": "{b}"}`, []string{"b"}},
		"braces in braces": {"{{a}}", []string{"a"}},
		"empty and open":   {"{} {a", nil},
		"spaces":           {"{ a }", nil},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, slices.Collect(placeholders(tc.text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKnowledge(t *testing.T) {
	t.Parallel()
	k := newKnowledge()
	k.add("a", known{declared: true})
	one, two := k.branch(), k.branch()
	one.add("b", known{})
	if _, ok := one.get("a"); !ok {
		t.Error("a branch does not see what was known before it")
	}
	if _, ok := two.get("b"); ok {
		t.Error("a branch sees its sibling's key")
	}
	if _, ok := k.get("b"); ok {
		t.Error("a branch's key is seen outside of it")
	}
	one.lose()
	one.add("c", known{})
	if one.sees() || !two.sees() || !k.sees() {
		t.Error("losing one's knowledge must be one's own matter")
	}
	if two.branch().off || !one.branch().off {
		t.Error("a branch must start as sure as what it is a branch of")
	}
	if diff := cmp.Diff([]string{"b", "a"}, one.names()); diff != "" {
		t.Error(diff)
	}
}

func TestPathsInsideOfAFolder(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"a.pdf": true, "out/a.pdf": true, "a..b/c": true, "...": true, "": false, " ": false, "/a": false, "../a": false,
		"a/../b": false, "a/..": false, `a\..\b`: false, `\a`: false, "..": false,
	}
	for path, want := range cases {
		if got := insidePath(path); got != want {
			t.Errorf("%q is inside: %v", path, got)
		}
	}
}

func TestWordsInCode(t *testing.T) {
	t.Parallel()
	cases := map[string]bool{
		"return 1": true, "returns": false, "x.return": true, "noreturn; return": true, "_return": false, "return$": false, "": false,
		"(return)": true, "returned return": true,
	}
	for source, want := range cases {
		if got := hasWord(source, "return"); got != want {
			t.Errorf("%q has the word: %v", source, got)
		}
	}
}
