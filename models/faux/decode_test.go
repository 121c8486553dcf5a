package faux

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestToJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b": 1, "a": [true, null]}`:                   `{"b": 1, "a": [true, null]}`,
		"b: 1\na: [true, ~, 1.50, 0x10]\n":              `{"b":1,"a":[true,null,1.5,16]}`,
		"# a comment\n---\na: b\n":                      `{"a":"b"}`,
		"text: |\n  one\n  \"two\"\n":                   `{"text":"one\n\"two\"\n"}`,
		"text: >-\n  one\n  two\n":                      `{"text":"one two"}`,
		"a: '{{user}} \\d'\nb: \"\\u00e9\"\n":           `{"a":"{{user}} \\d","b":"é"}`,
		"{a: {b: {}}, c: []}":                           `{"a":{"b":{}},"c":[]}`,
		"'1': a":                                        `{"1":"a"}`,
		"- a\n- [b]":                                    `["a",["b"]]`,
		"a: <b> & \u2028":                               "{\"a\":\"<b> & \u2028\"}",
		"when: {user_matches: '^Read (?P<f>\\S+)\\.$'}": `{"when":{"user_matches":"^Read (?P<f>\\S+)\\.$"}}`,
	} {
		got, err := toJSON([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

func TestToJSONRefusals(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a": {"b": 1, "b": 2}}`:                      `the name "b" twice`,
		`{"a": [{"b": 1}, {"b": 1, "c": {}, "b": 2}]}`: `the name "b" twice`,
		"a: &x 1\nb: *x\n":                             "an anchor",
		"a: &x {b: 1}\nc:\n  <<: *x\n":                 "an anchor",
		"a: .inf":                                      "not finite",
		"a: 1\n--- \nb: 2\n":                           "2 documents",
		"\t":                                           "documents",
		"a: [":                                         "not readable",
		"a: b: c":                                      "not readable",
		"\xff":                                         "not UTF-8",
		strings.Repeat("a: {", 70) + strings.Repeat("}", 70):        "",
		strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70): "deeper than 64",
	} {
		if _, err := toJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// value draws any value that JSON can hold, with names that differ.
func value(depth int) *rapid.Generator[any] {
	plain := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int32().AsAny(), rapid.StringMatching(`[ -~éあ\n]{0,12}`).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(plain...)
	}
	list := rapid.SliceOfN(value(depth-1), 0, 4).AsAny()
	members := rapid.MapOfN(rapid.StringMatching(`[a-z0-9 :#-]{1,6}`), value(depth-1), 0, 4).AsAny()
	return rapid.OneOf(slices.Concat(plain, []*rapid.Generator[any]{list, members})...)
}

// TestJSONAndYAMLSayTheSame: a value written as YAML is read as the value, and JSON is kept as it is.
func TestJSONAndYAMLSayTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawn := map[string]any{"value": value(3).Draw(t, "value")}
		want, err := json.Marshal(drawn)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := toJSON(want)
		if err != nil || !bytes.Equal(kept, want) {
			t.Fatalf("the JSON %s gives %s, %v", want, kept, err)
		}
		text, err := yaml.MarshalWithOptions(drawn, yaml.JSON())
		if err != nil {
			t.Fatal(err)
		}
		got, err := yamlToJSON(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(decoded(t, want), decoded(t, got)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", text, diff)
		}
	})
}

func decoded(t *rapid.T, data []byte) (value any) {
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}
