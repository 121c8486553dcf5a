package dsl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const procedure = `preface
## Gather
look
### not a section
## ROLE: clerk
do this
## Details
of the role
## ROLE: judge
decide
## APPENDIX A
tables
## Gather
a second one of the same name
`

func TestSections(t *testing.T) {
	t.Parallel()
	sop := readSOP(procedure)
	cases := []struct {
		name     string
		sections []string
		want     string
		missing  []string
	}{
		{"none", nil, "", []string{}},
		{"one, up to the next heading", []string{"Gather"}, "## Gather\nlook\n### not a section\n", []string{}},
		{"a role, over the headings in it", []string{"ROLE: clerk"}, "## ROLE: clerk\ndo this\n## Details\nof the role\n", []string{}},
		{"a role, up to the appendix", []string{"ROLE: judge"}, "## ROLE: judge\ndecide\n", []string{}},
		{
			"two, with a blank line between",
			[]string{"Gather", "ROLE: judge"},
			"## Gather\nlook\n### not a section\n\n## ROLE: judge\ndecide\n",
			[]string{},
		},
		{"one that is missing", []string{"gather", "FOUR"}, "", []string{"gather", "FOUR"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text, missing := sop.slice(c.sections)
			if diff := cmp.Diff(c.want, text); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.missing, append([]string{}, missing...)); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithNulls(t *testing.T) {
	t.Parallel()
	schema := decodedObject(t, `{"properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}]},
		"c":{"type":"string"},"l":{"items":{"type":["string","null"]}},"o":{"properties":{"a":{"type":["null","string"]}}}}}`)
	cases := map[string]string{
		`{"a":" None ","b":"N/A","c":"null"}`:           `{"a":null,"b":null,"c":"null"}`,
		`{"l":["null","x"],"o":{"a":"none","z":"n/a"}}`: `{"l":[null,"x"],"o":{"a":null,"z":"n/a"}}`,
		`{"a":"nothing","d":"null"}`:                    `{"a":"nothing","d":"null"}`,
		`["null"]`:                                      `["null"]`,
		`"null"`:                                        `"null"`,
	}
	for given, want := range cases {
		if diff := cmp.Diff(want, JSON(withNulls(schema, decoded(t, given), 0))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", given, diff)
		}
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	value := decodedObject(t, `{"b":1,"a":2,"z":3}`)
	cases := map[string]string{
		`{"properties":{"a":{},"b":{}}}`: `{"b":1,"a":2}`,
		`{"properties":{}}`:              `{}`,
		`{"type":"object"}`:              `{"b":1,"a":2,"z":3}`,
	}
	for schema, want := range cases {
		if diff := cmp.Diff(want, JSON(declared(decodedObject(t, schema), value))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schema, diff)
		}
	}
}
