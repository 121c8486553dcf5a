package dsl

func callCodes() []Rule {
	return []Rule{
		{"call_via", "via is tool, executor or shell.", "Write who does it.", `{"via": "tool", "tool": "jobs.status", "args": {"id": "{job.id}"}}`},
		{"call_tool_missing", "A call of a tool names it.", "Write the tool's name.", `{"tool": "jobs.status"}`},
		{"call_args", "A call of a tool has args.", "Write an object; {} where the tool takes none.", `{"args": {"id": "{job.id}"}}`},
		{"call_code_missing", "A call of an executor has code.", "Write the body of a function of input that returns the result.", `{"code": "return { n: input.n + 1 };"}`},
		{"call_code_return", "The code returns its result.", "End it with return and the value.", `{"code": "return { n: input.n + 1 };"}`},
		{"call_code_denied", "The code uses none of require, process, fetch, eval, Function and import.", "Take the word out: the code sees only input. Call a tool for what is outside.", `{"code": "return { n: input.n + 1 };"}`},
		{"call_input", "The input of a call of an executor is an object.", "Write an object of what the code reads, or leave input out where it reads nothing.", `{"input": {"n": "{count}"}}`},
		{"call_command", "A call of a shell has a command.", "Write the command. It is never filled in: values travel in env.", `{"command": "render \"$TITLE\"", "env": {"TITLE": "{title}"}}`},
		{"call_env", "env has names like TITLE and texts.", "Write each name in capitals, digits and _, and each value as a text.", `{"env": {"TITLE": "{title}"}}`},
		{"call_out_forbidden", "A call of a shell has no out.", "Remove out: the result is {code, stdout, stderr, truncated}.", ``},
		{"call_field_not_for_via", "A call has only the fields of its via.", "Remove the field, or change via: tool has tool and args, executor code and input, shell command, env and produces.", ``},
		{"call_produces_via", "Only a call of a shell has produces.", "Remove produces, or use a shell command.", `{"via": "shell", "command": "make report", "produces": ["report.pdf"]}`},
		{"call_out_missing", "A call of a tool or executor names the schema of its result.", "Write out with the id of a schema.", `{"out": "Job"}`},
		{"call_where", "where is sandbox.", "Write sandbox or leave where out.", `{"where": "sandbox"}`},
		{"call_deadline", "deadline_s is a number above 0.", "Write the seconds that one attempt may take.", `{"deadline_s": 30}`},
		{"call_produces_path", "produces lists relative paths inside the run's folder.", "Write each path without a leading / and without .. in it.", `{"produces": ["out/report.pdf"]}`},
		{"call_retry_attempts", "retry.attempts is a whole number from 1 on.", "Write how many attempts there are in all; 1 means no retry.", `{"retry": {"attempts": 3}}`},
		{"call_retry_backoff", "retry.backoff_s is a number from 0 on.", "Write the seconds of wait, or leave it out for 1.", `{"retry": {"attempts": 3, "backoff_s": 2}}`},
		{"call_retry_on", "retry.on lists failures that can be tried again.", "Write classes (timeout, http_5xx, http_429, connection, exit) or codes such as effect_produces_missing.", `{"retry": {"attempts": 3, "on": ["timeout", "http_5xx"]}}`},
	}
}

func pollCodes() []Rule {
	return []Rule{
		{"call_poll_object", "poll is an object.", "Write until, interval_s and deadline_s.", `{"poll": {"until": {"predicate": "field_equals", "path": "status", "value": "done"}, "interval_s": 5, "deadline_s": 600}}`},
		{"call_poll_until", "poll has until.", "Write the condition on the result that ends the polling.", `{"until": {"predicate": "field_equals", "path": "status", "value": "done"}}`},
		{"call_poll_path", "A condition of poll reads a field of the result.", "The path starts in the result itself: leave the call's as out of it, and use a property of its out schema.", `{"until": {"predicate": "in", "path": "status", "values": ["done"]}}`},
		{"call_poll_interval", "poll.interval_s is at least 0.1.", "Write the seconds between two attempts.", `{"interval_s": 5}`},
		{"call_poll_deadline", "poll.deadline_s is at least the call's deadline_s.", "Write the seconds that all attempts together may take.", `{"deadline_s": 600}`},
	}
}

func productCodes() []Rule {
	return []Rule{
		{"artifact_type", "An artifact has a type.", "Write markdown for prose, or the sort of file, such as pdf.", `{"node": "artifact", "label": "a", "type": "pdf", "path": "out/report.pdf"}`},
		{"artifact_prose_field", "An artifact that is a file has only type and path.", "Remove the field: a model writes only artifacts of type markdown or report.", `{"node": "artifact", "label": "a", "type": "pdf", "path": "out/report.pdf"}`},
		{"artifact_path", "An artifact that is a file has a relative path inside the run's folder.", "Write the path without a leading / and without .. in it.", `{"path": "out/report.pdf"}`},
		{"artifact_not_produced", "An earlier shell call produces the artifact's file.", "List the same path in produces of the call that makes the file.", `{"node": "call", "label": "make", "via": "shell", "command": "make", "produces": ["out/report.pdf"], "as": "made", "deadline_s": 60}`},
		{"terminal_multiple", "There is at most one report or artifact.", "Keep one, and let other texts be values of agent nodes.", ``},
		{"terminal_not_last", "The report or artifact is the last step of the root chain, or the root.", "Move it to the end.", ``},
		{"report_markdown_smuggled", "Only the report writes report_markdown.", "Rename the property of the schema.", ``},
		{"output_unreachable", "output.path starts with a key that some node writes.", "Name the as of the node that makes the output, or leave path out for the whole state.", `{"output": {"schemaId": "Out", "path": "result"}}`},
		{"output_incomplete", "The value at output.path has the properties that the output schema requires.", "Add the missing properties to the value, or no longer require them.", ``},
	}
}

func childCodes() []Rule {
	return []Rule{
		{"workflow_label_as", "A child workflow has a label and an as.", "Write both: as is the key of the child's output.", `{"label": "research", "as": "research"}`},
		{"workflow_input_map", "A child workflow has an input map.", "Write an object of what the child is given; {} where it needs nothing.", `{"input": {"question": "{question}"}}`},
		{"workflow_input_host", "A child's input has no $host.", "Remove $host: it is the engine's own.", `{"input": {"question": "{question}"}}`},
		{"workflow_child_root", "workflow holds a whole document with a root.", "Write the child's document: v, name, schemas, input, output and root.", ``},
		{"workflow_child_terminal", "A child workflow has no report or artifact.", "Return a value from the child, and report in the parent.", ``},
		{"workflow_child_input_schema", "A child workflow declares its input in its own schemas.", "Add input.schemaId and that schema to the child.", `{"schemas": {"In": {"type": "object"}}, "input": {"schemaId": "In"}}`},
	}
}

func reachCodes() []Rule {
	return []Rule{
		{"interpolation_unreachable", "A {path} starts with a key that exists by then.", "Read an input key, or the as of an earlier node; nodes beside this one in a parallel node cannot be read.", `{"state": {"question": "{question}"}}`},
		{"requires_unreachable", "A path of requires starts with a key that exists by then.", "Name an input key, or the as of an earlier node.", `{"requires": ["question"]}`},
		{"typed_path_excluded", "A path follows the schema of the value it reads.", "Correct the path, or add the property to the schema.", `{"requires": ["customer.name"]}`},
	}
}
