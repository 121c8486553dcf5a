package dsl

func tool(fields string) string {
	return `{"node": "call", "label": "c", "via": "tool", "tool": "t", "args": {}, "out": "V", "as": "c", "deadline_s": 5` + fields + `}`
}

func executor(source string) string {
	return `{"node": "call", "label": "c", "via": "executor", "code": "` + source + `", "out": "V", "as": "c", "deadline_s": 5}`
}

func shell(fields string) string {
	return `{"node": "call", "label": "c", "via": "shell", "command": "x", "as": "c", "deadline_s": 5` + fields + `}`
}

func callCases() []ruleCase {
	return []ruleCase{
		{"call_via", `{"node": "call", "label": "c", "via": "host", "out": "V", "as": "c", "deadline_s": 5}`, nil},
		{"call_tool_missing", `{"node": "call", "label": "c", "via": "tool", "args": {}, "out": "V", "as": "c", "deadline_s": 5}`, nil},
		{"call_args", `{"node": "call", "label": "c", "via": "tool", "tool": "t", "out": "V", "as": "c", "deadline_s": 5}`, nil},
		{"call_code_missing", executor(``), []string{"call_code_return"}},
		{"call_code_return", executor(`input.returned`), nil},
		{"call_code_denied", executor(`return eval('1')`), nil},
		{"call_command", `{"node": "call", "label": "c", "via": "shell", "as": "c", "deadline_s": 5}`, nil},
		{"call_env", shell(`, "env": {"title": "x"}`), nil},
		{"call_env", shell(`, "env": {"TITLE": 1}`), nil},
		{"call_out_forbidden", shell(`, "out": "V"`), nil},
		{"call_field_not_for_via", tool(`, "command": "x", "env": {}`), []string{"call_field_not_for_via"}},
		{"call_produces_via", tool(`, "produces": ["a"]`), nil},
		{"call_out_missing", `{"node": "call", "label": "c", "via": "tool", "tool": "t", "args": {}, "as": "c", "deadline_s": 5}`, nil},
		{"call_where", shell(`, "where": "host"`), nil},
		{"call_deadline", `{"node": "call", "label": "c", "via": "shell", "command": "x", "as": "c"}`, nil},
		{"call_deadline", `{"node": "call", "label": "c", "via": "shell", "command": "x", "as": "c", "deadline_s": "5"}`, nil},
		{"call_produces_path", shell(`, "produces": ["a/../b"]`), nil},
		{"call_produces_path", shell(`, "produces": ["/etc/passwd", ""]`), []string{"call_produces_path"}},
		{"call_retry_attempts", tool(`, "retry": {"attempts": 0}`), nil},
		{"call_retry_backoff", tool(`, "retry": {"attempts": 2, "backoff_s": -1}`), nil},
		{"call_retry_on", tool(`, "retry": {"attempts": 2, "on": ["timeout", "http_404"]}`), nil},
		{"schema_document", tool(`, "retry": {}`), nil},
	}
}

func poll(fields string) string { return tool(`, "poll": {` + fields + `}`) }

func pollCases() []ruleCase {
	const until = `"until": {"predicate": "field_true", "path": "v"}`
	return []ruleCase{
		{"call_poll_object", tool(`, "poll": true`), nil},
		{"call_poll_until", poll(`"interval_s": 1, "deadline_s": 9`), nil},
		{"call_poll_path", poll(`"until": {"predicate": "empty", "path": "c.v"}, "interval_s": 1, "deadline_s": 9`), nil},
		{"call_poll_path", poll(until + `, "fail_when": {"predicate": "no_new_items", "key": "w"}, "interval_s": 1, "deadline_s": 9`), nil},
		{"call_poll_interval", poll(until + `, "interval_s": 0.05, "deadline_s": 9`), nil},
		{"call_poll_deadline", poll(until + `, "interval_s": 1, "deadline_s": 4`), nil},
		{"predicate_unknown", poll(`"until": {"predicate": "ask", "instructions": "i"}, "interval_s": 1, "deadline_s": 9`), nil},
		{"predicate_shape", poll(until + `, "fail_when": 3, "interval_s": 1, "deadline_s": 9`), nil},
	}
}

func productCases() []ruleCase {
	const report = `{"node": "report", "label": "r", "instructions": "i"}`
	file := func(fields string) string { return `{"node": "artifact", "label": "f"` + fields + `}` }
	made := shell(`, "produces": ["a.pdf"]`)
	return []ruleCase{
		{"artifact_type", steps(made, file(`, "type": "", "path": "a.pdf"`)), nil},
		{"artifact_prose_field", steps(made, file(`, "type": "pdf", "path": "a.pdf", "instructions": "i"`)), nil},
		{"artifact_path", file(`, "type": "pdf"`), nil},
		{"artifact_path", file(`, "type": "pdf", "path": "../a.pdf"`), nil},
		{"artifact_not_produced", steps(made, file(`, "type": "pdf", "path": "b.pdf"`)), nil},
		{"terminal_multiple", steps(report, file(`, "type": "markdown", "instructions": "i"`)), nil},
		{"terminal_not_last", steps(report, code), nil},
		{"terminal_not_last", steps(steps(report)), nil},
		{"report_markdown_smuggled", steps(`{"node": "extract", "label": "x", "instructions": "i", "out": "M", "as": "x"}`, report), nil},
		{"output_unreachable", childWithOutput("V", "missing", agent("")), nil},
		{"output_incomplete", childWithOutput("V", "j", `{"node": "judge", "label": "j", "state": {"a": 1}, "out": "Q", "as": "j"}`), nil},
		{"typed_path_excluded", childWithOutput("V", "a.w", `{"node": "agent", "label": "a", "instructions": "i", "out": "Closed", "as": "a"}`), nil},
	}
}

func childWithOutput(id, path, root string) string {
	return child(`, "input": {}, "workflow": {"v": 2, "name": "c", "schemas": ` + schemasText +
		`, "input": {"schemaId": "Any"}, "output": {"schemaId": "` + id + `", "path": "` + path + `"}, "root": ` + root + `}`)
}

func child(fields string) string {
	return `{"node": "workflow", "label": "w", "as": "w", "out": "Any"` + fields + `}`
}

func childCases() []ruleCase {
	const head = `{"v": 2, "name": "c", "schemas": {"Any": {"type": "object"}}, "output": {"schemaId": "Any"}`
	const in = `, "input": {"schemaId": "Any"}`
	whole := head + in + `, "root": ` + code + `}`
	return []ruleCase{
		{"workflow_label_as", `{"node": "workflow", "as": "w", "out": "Any", "input": {}, "workflow": ` + whole + `}`, nil},
		{"workflow_input_map", child(`, "workflow": ` + whole), nil},
		{"workflow_input_host", child(`, "input": {"$host": 1}, "workflow": ` + whole), nil},
		{"workflow_child_root", child(`, "input": {}, "workflow": ` + head + in + `}`), nil},
		{"workflow_child_terminal", child(`, "input": {}, "workflow": ` + head + in + `, "root": {"node": "report", "label": "r", "instructions": "i"}}`), nil},
		{"workflow_child_input_schema", child(`, "input": {}, "workflow": ` + head + `, "root": ` + code + `}`), nil},
		{"chain_empty", child(`, "input": {}, "workflow": ` + head + in + `, "root": {"node": "chain", "steps": []}}`), nil},
		{"items_path_unreachable", child(`, "input": {"list": "{items}"}, "workflow": ` + head + in + `, "root": ` + mapOver("") + `}`), nil},
		{"schema_document", child(`, "input": {}, "workflow": ` + head + in + `, "extra": 1, "root": ` + code + `}`), nil},
	}
}

func reachCases() []ruleCase {
	closedValue := `{"node": "agent", "label": "a", "instructions": "i", "out": "Closed", "as": "a"}`
	return []ruleCase{
		{"interpolation_unreachable", agent(`, "state": {"x": {"y": ["{q} and {p.a}"]}}`), nil},
		{"interpolation_unreachable", shell(`, "env": {"TITLE": "{title}"}`), nil},
		{"interpolation_unreachable", shell(`, "produces": ["out/{title}.pdf"]`), nil},
		{"interpolation_unreachable", agent(`, "verify": {"out": "Q", "state": {"x": "{a.v} {b}"}}`), nil},
		{"requires_unreachable", agent(`, "requires": ["p"]`), nil},
		{"typed_path_excluded", steps(closedValue, agent(`, "requires": ["a.w"]`)), nil},
		{"typed_path_excluded", steps(closedValue, agent(`, "state": {"x": "{state.a.list.0.m}"}`)), nil},
		{"typed_path_excluded", steps(closedValue, `{"node": "map", "label": "m", "itemsPath": "a.items", "as": "m", "body": `+code+`}`), nil},
		{"typed_path_excluded", steps(closedValue, escalate(`{"predicate": "empty", "path": "a.none"}`)), nil},
	}
}
