package dsl

import "strings"

const code = `{"node": "code", "label": "z", "code": "s => ({})"}`

func steps(nodes ...string) string {
	return `{"node": "chain", "steps": [` + strings.Join(nodes, ", ") + `]}`
}

func agent(fields string) string {
	return `{"node": "agent", "label": "a", "instructions": "i", "out": "V", "as": "a"` + fields + `}`
}

func nodeCases() []ruleCase {
	return []ruleCase{
		{"node_kind_unknown", `{"node": "dispatch", "label": "a"}`, nil},
		{"node_kind_unknown", `{"label": "a"}`, nil},
		{"node_key_unknown", `{"node": "code", "label": "a", "code": "s => 1", "instructions": "i", "outt": "V"}`, nil},
		{"as_dollar", `{"node": "code", "label": "a", "as": "$a", "code": "s => 1"}`, nil},
		{"label_dollar", `{"node": "code", "label": "$a", "code": "s => 1"}`, nil},
		{"as_missing", `{"node": "map", "label": "m", "itemsPath": "items", "body": ` + code + `}`, nil},
		{"code_compile", `{"node": "code", "label": "a"}`, nil},
		{"code_compile", `{"node": "code", "label": "a", "code": "s => (; "}`, nil},
		{"code_compile", `{"node": "code", "label": "a", "code": "s => 1; s => 2"}`, nil},
		{"code_compile", `{"node": "code", "label": "a", "code": "function* (s) {}"}`, nil},
		{"code_expr_both", `{"node": "code", "label": "a", "code": "s => 1", "expr": "1"}`, nil},
		{"expr_compile", `{"node": "code", "label": "a", "expr": "1 +", "as": "n"}`, nil},
		{"expr_compile", `{"node": "loop", "label": "l", "maxIters": 2, "body": ` + code + `, "until": {"predicate": "expr", "expr": ")"}}`, nil},
		{"out_schema_unknown", `{"node": "agent", "label": "a", "instructions": "i", "out": "__proto", "as": "a"}`, nil},
		{"out_schema_unknown", `{"node": "extract", "label": "a", "instructions": "i", "as": "a"}`, nil},
		{"requires_invalid", agent(`, "requires": ["q", " "]`), nil},
		{"state_map_invalid", `{"node": "judge", "label": "j", "state": {}, "out": "Q", "as": "j"}`, nil},
	}
}

func generateCases() []ruleCase {
	return []ruleCase{
		{"instructions_missing", `{"node": "report", "label": "a", "instructions": " "}`, nil},
		{"thinking_invalid", agent(`, "thinking": "off"`), nil},
		{"tools_invalid", agent(`, "tools": ["a", ""]`), nil},
		{"tools_invalid", agent(`, "tools": [1]`), nil},
		{"tier_invalid", agent(`, "tier": "huge"`), nil},
		{"budget_invalid", agent(`, "budget_usd": 0`), nil},
		{"budget_invalid", agent(`, "budget_usd": "1"`), nil},
		{"context_invalid", agent(`, "context": "shared"`), nil},
		{"verify_out_missing", agent(`, "verify": {}`), nil},
		{"verify_no_boolean", agent(`, "verify": {"out": "C"}`), nil},
		{"verify_max_drives", agent(`, "verify": {"out": "Q", "maxDrives": 1.5}`), nil},
		{"verify_override", agent(`, "verify": {"out": "Q", "override": {"below": 1}}`), nil},
		{"schema_document", agent(`, "effort": "max"`), nil},
		{"schema_document", agent(`, "verify": {"out": "Q", "overide": {}}`), nil},
	}
}

func question(property string) string {
	schemas := strings.Replace(schemasText, `"C": `, `"X": {"type": "object", "properties": {"x": `+property+`}}, "C": `, 1)
	return `{"node": "workflow", "label": "w", "as": "w", "input": {}, "out": "Any", "workflow": {"v": 2, "name": "c", "schemas": ` +
		schemas + `, "input": {"schemaId": "Any"}, "output": {"schemaId": "Any"}, "root":
		{"node": "judge", "label": "j", "state": {"a": 1}, "out": "X", "as": "j"}}}`
}

func questionCases() []ruleCase {
	options := `"` + strings.Join(strings.Split(strings.Repeat("o", 241), ""), `", "`) + `"`
	many := strings.Builder{}
	for i, option := range strings.Split(options, ", ") {
		if i > 0 {
			many.WriteString(", ")
		}
		many.WriteString(strings.Replace(option, "o", strings.Repeat("o", i+1), 1))
	}
	return []ruleCase{
		{"question_not_flat", question(`{"type": "object", "description": "d"}`), nil},
		{"question_no_properties", `{"node": "judge", "label": "j", "state": {"a": 1}, "out": "Any", "as": "j"}`, nil},
		{"question_no_description", question(`{"type": "boolean", "description": ""}`), nil},
		{"question_not_string_enum", question(`{"enum": ["a"], "description": "d"}`), nil},
		{"question_not_string_enum", question(`{"type": "string", "enum": ["a", 1], "description": "d"}`), nil},
		{"question_too_many_options", question(`{"type": "string", "description": "d", "enum": [` + many.String() + `]}`), nil},
		{"question_criteria_unknown", question(`{"type": "boolean", "description": "d", "criteria": {"yes": "y"}}`), nil},
		{"question_levels_missing", question(`{"type": "integer", "description": "d"}`), nil},
		{"question_levels_count", question(`{"type": "integer", "description": "d", "criteria": ["one"]}`), nil},
		{"question_minimum", question(`{"type": "integer", "description": "d", "criteria": ["a", "b"], "minimum": 1}`), nil},
		{"question_maximum", question(`{"type": ["integer", "null"], "description": "d", "criteria": ["a", "b"], "maximum": 2}`), nil},
		{"question_not_a_question", question(`{"type": "string", "description": "d"}`), nil},
		{"question_not_a_question", question(`{"type": ["boolean", "integer"], "description": "d"}`), nil},
		{"question_not_a_question", question(`true`), nil},
	}
}
