package dsl

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schemasText are schemas that the documents of the tests share.
const schemasText = `{
	"Any": {"type": "object"},
	"V": {"type": "object", "properties": {"v": {"type": "string"}}, "required": ["v"]},
	"Closed": {"type": "object", "properties": {"v": {"type": "string"}, "list": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}, "additionalProperties": false}}}, "additionalProperties": false},
	"M": {"type": "object", "properties": {"report_markdown": {"type": "string"}}},
	"Q": {"type": "object", "properties": {"ok": {"type": "boolean", "description": "Is it ok?"}}},
	"C": {"type": "object", "properties": {"k": {"type": "string", "enum": ["a", "b"], "description": "Which?"}}}
}`

func documentText(root string) string {
	return `{"v": 2, "name": "w", "schemas": ` + schemasText + `, "output": {"schemaId": "Any"}, "root": ` + root + `}`
}

func decodeText(t *testing.T, text string) any {
	t.Helper()
	doc, err := Decode([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc
}

// ruleCase is a root that breaks one rule, and the codes of the others that it breaks by that.
type ruleCase struct {
	code string
	root string
	also []string
}

func allRuleCases() []ruleCase {
	return slices.Concat(nodeCases(), generateCases(), questionCases(), flowCases(), predicateCases(), judgeCases(),
		routeCases(), callCases(), pollCases(), productCases(), childCases(), reachCases())
}

func TestEveryRuleOfANode(t *testing.T) {
	t.Parallel()
	for i, tc := range allRuleCases() {
		t.Run(fmt.Sprintf("%s/%d", tc.code, i), func(t *testing.T) {
			t.Parallel()
			want := append([]string{tc.code}, tc.also...)
			slices.Sort(want)
			issues := Validate(decodeText(t, documentText(tc.root)), Check{InputKeys: []string{"q", "items"}})
			if diff := cmp.Diff(want, codesOf(issues)); diff != "" {
				t.Errorf("codes (-want +got):\n%s\n%v", diff, issues)
			}
		})
	}
}

func TestEveryRuleHasWordsAndACase(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, tc := range allRuleCases() {
		shown[tc.code] = true
	}
	for _, tc := range documentCases() {
		shown[tc.code] = true
	}
	for _, tc := range decodeCases() {
		shown[tc.code] = true
	}
	for _, code := range []string{
		"doc_not_plain", "doc_size", // of values that no JSON text has, or of large ones: tests of their own
		"input_not_object", "input_schema", // of a check with an input: a test of its own
		"code_probe_throws", // never reported here
		"call_input",        // the shape pass comes first
		"ask_state",         // as above
	} {
		shown[code] = true
	}
	seen := map[string]bool{}
	for _, rule := range Rules() {
		if rule.Text == "" || rule.Hint == "" || seen[rule.Code] {
			t.Errorf("%s lacks words or stands twice", rule.Code)
		}
		seen[rule.Code] = true
		if !shown[rule.Code] {
			t.Errorf("no case shows %s", rule.Code)
		}
		if rule.Example != "" && strings.HasPrefix(rule.Example, "{") {
			decodeText(t, rule.Example)
		}
	}
	code := regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)*$`)
	for name := range seen {
		if !code.MatchString(name) {
			t.Errorf("%q is no code", name)
		}
	}
	for name := range shown {
		if !seen[name] {
			t.Errorf("%s is in no table", name)
		}
	}
}

type documentCase struct {
	code, text string
	also       []string
}

func documentCases() []documentCase {
	const output = `, "output": {"schemaId": "O"}`
	const root = `, "root": {"node": "code", "label": "a", "code": "s => ({})"}`
	with := func(schema string) string {
		return `{"v": 2, "name": "w", "schemas": {"O": {"type": "object"}, "S": ` + schema + `}` + output + root + `}`
	}
	return []documentCase{
		{"shape_type", `{"v": 2, "name": 3, "schemas": {"O": {}}` + output + root + `}`, nil},
		{"shape_metadata", documentText(`{"node": "code", "label": "a", "code": "s => 1", "metadata": []}`), nil},
		{"version", `{"v": "2", "name": "w", "schemas": {"O": {}}` + output + root + `}`, nil},
		{"name_missing", `{"v": 2, "name": " ", "schemas": {"O": {}}` + output + root + `}`, nil},
		{"schemas_missing", `{"v": 2, "name": "w"` + output + root + `}`, []string{"output_schema_unknown"}},
		{"input_schema_unknown", `{"v": 2, "name": "w", "schemas": {"O": {}}, "input": {"schemaId": "toString"}` + output + root + `}`, nil},
		{"output_schema_unknown", `{"v": 2, "name": "w", "schemas": {"O": {}}, "output": {"schemaId": "constructor"}` + root + `}`, nil},
		{"node_kind_unknown", `{"v": 2, "name": "w", "schemas": {"O": {}}` + output + `}`, nil},
		{"schema_not_object", with(`[]`), nil},
		{"schema_ref_form", with(`{"$ref": "O"}`), nil},
		{"schema_ref_form", with(`{"properties": {"a": {"$dynamicRef": "#a"}}}`), nil},
		{"schema_ref_dangling", with(`{"items": {"$ref": "#/definitions/hasOwnProperty"}}`), nil},
		{"schema_compile", with(`{"type": "objekt"}`), nil},
		{"schema_compile", with(`{"pattern": "(?=a)"}`), nil},
		{"schema_document", `{"v": 2, "name": "w", "extra": 1, "schemas": {"O": {}}` + output + root + `}`, nil},
		{"schema_document", documentText(`{"node": "chain", "steps": [{"node": "code", "code": "s => 1"}]}`), nil},
		{"doc_key", documentText(`{"node": "code", "label": "__proto__", "code": "s => 1"}`), nil},
		{"doc_key", documentText(`{"node": "code", "label": "a", "code": "s => 1", "metadata": {"__proto__": 1}}`), nil},
	}
}

func TestEveryRuleOfADocument(t *testing.T) {
	t.Parallel()
	for i, tc := range documentCases() {
		t.Run(fmt.Sprintf("%s/%d", tc.code, i), func(t *testing.T) {
			t.Parallel()
			want := append([]string{tc.code}, tc.also...)
			slices.Sort(want)
			issues := Validate(decodeText(t, tc.text), Check{})
			if diff := cmp.Diff(want, codesOf(issues)); diff != "" {
				t.Errorf("codes (-want +got):\n%s\n%v", diff, issues)
			}
		})
	}
}
