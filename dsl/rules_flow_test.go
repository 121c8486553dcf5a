package dsl

import "strings"

func loop(until string) string {
	return `{"node": "loop", "label": "l", "maxIters": 2, "body": ` + code + `, "until": ` + until + `}`
}

func escalate(when string) string {
	return `{"node": "escalate", "label": "e", "kind": "k", "stage": "s", "summary": "m", "when": ` + when + `}`
}

func mapOver(fields string) string {
	return `{"node": "map", "label": "m", "itemsPath": "items", "as": "m", "body": ` + code + fields + `}`
}

func flowCases() []ruleCase {
	const report = `{"node": "report", "label": "r", "instructions": "i"}`
	return []ruleCase{
		{"chain_empty", `{"node": "chain"}`, nil},
		{"map_result_path", mapOver(`, "resultPath": ""`), nil},
		{"map_concurrency", mapOver(`, "maxConcurrency": 0`), nil},
		{"map_concurrency", mapOver(`, "maxConcurrency": 1e300`), nil},
		{"items_path_missing", `{"node": "map", "label": "m", "itemsPath": " ", "as": "m", "body": ` + code + `}`, nil},
		{"items_path_unreachable", `{"node": "map", "label": "m", "itemsPath": "item", "as": "m", "body": ` + code + `}`, nil},
		{"report_in_map", `{"node": "map", "label": "m", "itemsPath": "items", "as": "m", "body": ` + steps(report) + `}`, []string{"terminal_not_last"}},
		{"parallel_branches", `{"node": "parallel", "label": "p", "branches": [` + code + `]}`, nil},
		{"report_in_parallel", `{"node": "parallel", "label": "p", "branches": [` + code + `, ` + report + `]}`, []string{"terminal_not_last"}},
		{"parallel_overlap", `{"node": "parallel", "label": "p", "branches": [` + agent("") + `, ` + steps(agent("")) + `]}`, nil},
		{"loop_max_iters", `{"node": "loop", "label": "l", "body": ` + code + `, "until": {"predicate": "empty", "path": "q"}}`, nil},
		{"loop_expect_iters", `{"node": "loop", "label": "l", "maxIters": 2, "expect_iters": 0, "body": ` + code + `, "until": {"predicate": "empty", "path": "q"}}`, nil},
		{"report_in_loop", `{"node": "loop", "label": "l", "maxIters": 2, "body": ` + report + `, "until": {"predicate": "empty", "path": "q"}}`, []string{"terminal_not_last"}},
		{"escalate_fields", `{"node": "escalate", "label": "e", "kind": "k", "stage": "s", "when": {"predicate": "empty", "path": "q"}}`, nil},
		{"node_kind_unknown", `{"node": "loop", "label": "l", "maxIters": 2, "until": {"predicate": "empty", "path": "q"}}`, nil},
	}
}

func predicateCases() []ruleCase {
	return []ruleCase{
		{"predicate_shape", escalate(`{"field_true": {"path": "q"}}`), nil},
		{"predicate_shape", escalate(`"q"`), nil},
		{"predicate_shape", `{"node": "loop", "label": "l", "maxIters": 2, "body": ` + code + `}`, nil},
		{"predicate_unknown", escalate(`{"predicate": "toString", "path": "q"}`), nil},
		{"predicate_unknown", escalate(`{"predicate": 1}`), nil},
		{"predicate_in_path", escalate(`{"predicate": "in", "values": [1]}`), nil},
		{"predicate_in_values", escalate(`{"predicate": "in", "path": "q", "values": []}`), nil},
		{"predicate_in_values", escalate(`{"predicate": "in", "path": "q", "values": [null, {}]}`), nil},
		{"predicate_number", escalate(`{"predicate": "gte", "path": "q", "n": "1"}`), nil},
		{"predicate_number", escalate(`{"predicate": "lt", "n": 1}`), nil},
		{"predicate_unreachable", escalate(`{"predicate": "empty", "path": "nothing.here"}`), nil},
		{"predicate_unreachable", escalate(`{"predicate": "no_new_items", "key": "nothing"}`), nil},
		{"predicate_path_not_produced", steps(`{"node": "judge", "label": "j", "state": {"a": "{q}"}, "out": "Q", "as": "j"}`, escalate(`{"predicate": "field_true", "path": "j.nope"}`)), nil},
		{"predicate_path_not_produced", steps(`{"node": "call", "label": "c", "via": "shell", "command": "x", "as": "c", "deadline_s": 1}`, escalate(`{"predicate": "gte", "path": "c.exit", "n": 1}`)), nil},
		{"ask_instructions", escalate(`{"predicate": "ask"}`), nil},
		{"ask_gte", escalate(`{"predicate": "ask", "instructions": "i", "gte": 1.1}`), nil},
		{"ask_gte", loop(`{"predicate": "ask", "instructions": "i", "gte": "1"}`), nil},
		{"ask_state", escalate(`{"predicate": "ask", "instructions": "i", "state": "q"}`), nil},
		{"interpolation_unreachable", escalate(`{"predicate": "ask", "instructions": "i", "state": {"a": "{b}"}}`), nil},
		{"schema_document", escalate(`{"predicate": "field_equals", "path": "q"}`), nil},
		{"schema_document", escalate(`{"predicate": "empty", "path": "q", "value": 1}`), nil},
	}
}

func judgeCases() []ruleCase {
	pick := func(fields string) string {
		return `{"node": "pick", "label": "p", "itemsPath": "items", "as": "p"` + fields + `}`
	}
	sift := func(fields string) string {
		return `{"node": "sift", "label": "s", "itemsPath": "items", "as": "s"` + fields + `}`
	}
	return []ruleCase{
		{"pick_describe", pick(`, "instructions": "i"`), nil},
		{"pick_instructions", pick(`, "describe": "{item}"`), nil},
		{"pick_allow_none", pick(`, "describe": "{item}", "instructions": "i", "allowNone": "yes"`), nil},
		{"sift_describe", sift(`, "out": "Q", "describe": " "`), nil},
		{"sift_keep_path", sift(`, "out": "Q", "keep": {"gte": 1}`), nil},
		{"sift_keep_unknown", sift(`, "out": "Q", "keep": {"path": "ok.confidences"}`), nil},
		{"sift_keep_unknown", sift(`, "out": "Q", "keep": {"path": "toString"}`), nil},
		{"sift_keep_choice", sift(`, "out": "C", "keep": {"path": "k"}`), nil},
		{"sift_keep_gte", sift(`, "out": "Q", "keep": {"path": "ok", "gte": "0.5"}`), nil},
		{"as_missing", `{"node": "sift", "label": "s", "itemsPath": "items", "out": "Q"}`, nil},
	}
}

func routeCases() []ruleCase {
	const two = `, "branches": {"x": {"body": ` + code + `}, "y": {"body": ` + code + `}}`
	judged := func(fields string) string {
		return `{"node": "route", "label": "r", "state": {"a": "{q}"}, "instructions": "i"` + fields + `}`
	}
	byValue := func(fields string) string { return `{"node": "route", "label": "r", "valuePath": "q"` + fields + `}` }
	many := ""
	var manySb90 strings.Builder
	for i := range 241 {
		if i > 0 {
			manySb90.WriteString(", ")
		}
		manySb90.WriteString(`"b` + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `": {"body": ` + code + `}`)
	}
	many += manySb90.String()
	return []ruleCase{
		{"route_instructions", `{"node": "route", "label": "r", "state": {"a": "{q}"}` + two + `}`, nil},
		{"route_branches_min", judged(`, "branches": {"x": {"body": ` + code + `}}`), nil},
		{"route_branches_max", judged(`, "branches": {` + many + `}`), nil},
		{"route_unsure_branch", judged(two + `, "unsure": {"branch": "constructor", "gte": 0.5}`), nil},
		{"route_unsure_gte", judged(two + `, "unsure": {"branch": "x", "gte": 0}`), nil},
		{"route_unsure_gte", judged(two + `, "unsure": {"branch": "x"}`), nil},
		{"route_otherwise_judged", judged(two + `, "otherwise": "x"`), nil},
		{"route_as", judged(two + `, "as": ""`), nil},
		{"route_branch_body", judged(`, "branches": {"x": {"body": 1}, "y": {"body": ` + code + `}}`), nil},
		{"route_criteria", judged(`, "branches": {"x": {"criteria": 1, "body": ` + code + `}, "y": {"body": ` + code + `}}`), nil},
		{"report_in_route", judged(`, "branches": {"x": {"body": {"node": "report", "label": "r", "instructions": "i"}}, "y": {"body": ` + code + `}}`), []string{"terminal_not_last"}},
		{"route_value_path", `{"node": "route", "label": "r", "valuePath": ""` + two + `}`, nil},
		{"route_value_mixed", byValue(two + `, "state": {}, "unsure": {"branch": "x", "gte": 1}`), []string{"route_value_mixed"}},
		{"route_branch_name", byValue(`, "branches": {" ": {"body": ` + code + `}, "y": {"body": ` + code + `}}`), nil},
		{"route_otherwise", byValue(two + `, "otherwise": "z"`), nil},
		{"route_value_unreachable", `{"node": "route", "label": "r", "valuePath": "p.x"` + two + `}`, nil},
		{"route_value_criteria", byValue(`, "branches": {"x": {"criteria": "c", "body": ` + code + `}, "y": {"body": ` + code + `}}`), nil},
	}
}
