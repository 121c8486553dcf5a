package dsl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMadeValues(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, schema, want string }{
		{"a constant", `{"const":{"a":1},"type":"string"}`, `{"a":1}`},
		{"the first of an enumeration", `{"enum":["b","a"]}`, `"b"`},
		{"the first that is not null", `{"anyOf":[{"type":"null"},{"type":"integer"}]}`, `0`},
		{"the first of several", `{"oneOf":[{"type":"boolean"},{"type":"string"}]}`, `false`},
		{"a text", `{"type":"string"}`, `"x"`},
		{"a long text", `{"type":"string","minLength":3}`, `"xxx"`},
		{"a nullable text", `{"type":["null","string"]}`, `"x"`},
		{"a list", `{"type":"array","items":{"type":"string"}}`, `["x"]`},
		{"a longer list", `{"type":"array","items":{"type":"number"},"minItems":2}`, `[0,0]`},
		{"a list of anything", `{"type":"array"}`, `[]`},
		{"an object with all its properties", `{"properties":{"b":{"type":"boolean"},"a":{"type":"object","properties":{}}}}`, `{"b":false,"a":{}}`},
		{"a reference to another schema", `{"$ref":"#/definitions/Other"}`, `{"n":0}`},
		{"its own definition first", `{"definitions":{"Other":{"const":1}},"properties":{"o":{"$ref":"#/definitions/Other"}}}`, `{"o":1}`},
		{"a lowest number", `{"type":"number","minimum":1.5}`, `1.5`},
		{"a number between bounds", `{"type":"number","exclusiveMinimum":1,"maximum":2}`, `1.5`},
		{"a number below a bound", `{"type":"number","exclusiveMaximum":0}`, `-1`},
		{"a whole number above a bound", `{"type":"integer","exclusiveMinimum":2}`, `3`},
		{"a whole number from a fraction", `{"type":"integer","minimum":2.5}`, `3`},
		{"a whole number below a bound", `{"type":"integer","maximum":-2}`, `-2`},
		{"anything", `{}`, `null`},
	}
	definitions := decodedObject(t, `{"Other":{"type":"object","properties":{"n":{"type":"number"}}}}`)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, JSON(makerOf(definitions).value(decodedObject(t, c.schema), 0))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.schema, diff)
			}
		})
	}
}

func TestMadeValueOfAnEndlessSchema(t *testing.T) {
	t.Parallel()
	definitions := decodedObject(t, `{"Tree":{"type":"object","properties":{"left":{"$ref":"#/definitions/Tree"}}}}`)
	schema, _ := object(definitions, "Tree")
	if text := JSON(makerOf(definitions).value(schema, 0)); !strings.HasSuffix(text, strings.Repeat("}", 16)) {
		t.Errorf("the value of a schema that refers to itself is %s", text)
	}
}

const dryDocument = `{"v":2,"name":"dry","schemas":{
	"In":{"type":"object","properties":{"items":{"type":"array","items":{"type":"string"},"minItems":2}},"required":["items"]},
	"V":{"type":"object","properties":{"v":{"type":"string"}},"required":["v"]},
	"Ask":{"type":"object","properties":{"ok":{"type":"boolean","description":"?"},
		"kind":{"type":"string","description":"?","enum":["a","b"]},"level":{"type":"integer","description":"?","criteria":["l","m","h"]}}},
	"Any":{"type":"object"}},"input":{"schemaId":"In"},"output":{"schemaId":"Any"},"root":`

func dryRun(t *testing.T, document string) DryRunReport {
	t.Helper()
	workflow, err := Build(decodedObject(t, document))
	if err != nil {
		t.Fatal(err)
	}
	return workflow.DryRun(t.Context(), nil)
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, root string
		want       DryRunReport
	}{
		{"every way to ask", `{"node":"chain","steps":[
			{"node":"judge","label":"j","state":{"x":"{items}"},"out":"Ask","as":"j"},
			{"node":"pick","label":"p","itemsPath":"items","describe":"{item}","instructions":"?","as":"p"},
			{"node":"sift","label":"s","itemsPath":"items","out":"Ask","as":"s"},
			{"node":"decide","label":"d","instructions":"i","out":"V","as":"d","verify":{"out":"Ask"}},
			{"node":"call","label":"sh","via":"shell","command":"true","as":"sh","deadline_s":1},
			{"node":"call","label":"c","via":"tool","tool":"t","args":{},"out":"V","as":"c","deadline_s":1},
			{"node":"map","label":"m","itemsPath":"items","as":"m","body":{"node":"agent","label":"a","instructions":"i","out":"V","as":"a"}},
			{"node":"code","label":"k","code":"s => ({ n: s.m.length, first: s.m[0].v, code: s.sh.code })"},
			{"node":"report","label":"r","instructions":"i"}]}`, DryRunReport{OK: true}},
		{"code that throws", `{"node":"code","label":"boom","code":"s => s.gone.deep"}`, DryRunReport{Stage: "boom", Problems: []string{"line 1 of the code"}}},
		{"a poll that ends at once", `{"node":"call","label":"c","via":"tool","tool":"t","args":{},"out":"V","as":"c","deadline_s":1,
			"poll":{"until":{"predicate":"field_equals","path":"v","value":"x"},"interval_s":1,"deadline_s":5}}`, DryRunReport{OK: true}},
		{"a poll that would go on", `{"node":"call","label":"c","via":"tool","tool":"t","args":{},"out":"V","as":"c","deadline_s":1,
			"poll":{"until":{"predicate":"field_equals","path":"v","value":"done"},"interval_s":1,"deadline_s":1000000}}`, DryRunReport{OK: true}},
		{
			"an escalation", `{"node":"escalate","label":"e","when":{"predicate":"count_gte","path":"items","n":1},"kind":"k","stage":"s","summary":"x"}`,
			DryRunReport{OK: true, Skipped: []string{"escalated:k@s on synthetic values"}},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := dryRun(t, dryDocument+c.root+"}")
			if len(got.Problems) > 0 && len(c.want.Problems) > 0 && strings.Contains(got.Problems[0], c.want.Problems[0]) {
				got.Problems = c.want.Problems
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDryRunStandsDown(t *testing.T) {
	t.Parallel()
	document := strings.Replace(dryDocument, `"v":{"type":"string"}`, `"v":{"type":"string","pattern":"^a"},"w":{"items":{"format":"date"}}`, 1) +
		`{"node":"agent","label":"a","instructions":"i","out":"V","as":"a"}}`
	want := DryRunReport{OK: true, Skipped: []string{"V/properties/v: pattern", "V/properties/w/items: format"}}
	if diff := cmp.Diff(want, dryRun(t, document)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	document = strings.Replace(dryDocument, `"minItems":2`, `"minItems":2,"maxItems":1`, 1) +
		`{"node":"agent","label":"a","instructions":"i","out":"V","as":"a"}}`
	if report := dryRun(t, document); !report.OK || len(report.Skipped) != 1 {
		t.Errorf("a schema that nothing fits gives %+v", report)
	}
}
