package dsl

func documentCodes() []Rule {
	return []Rule{
		{"doc_syntax", "The document is JSON text.", "Correct the text at the place named: a comma, a quote or a bracket is missing or too many.", `{"v": 2}`},
		{"doc_bytes", "The document is no larger than the bound.", "Take data out of the document and give it as input, or split the document into child workflows.", ``},
		{"doc_utf8", "The text is UTF-8.", "Save the file as UTF-8.", ``},
		{"doc_surrogate", "An escape such as \\ud83d comes as a pair that means one character.", "Write the character itself, or both halves of its pair.", `"\ud83d\ude00"`},
		{"doc_nul", "No text holds the character NUL (\\u0000).", "Take \\u0000 out of the text: files, databases and shells cut a text there.", ``},
		{"doc_number", "Every number fits a double.", "Write a number between -1.7e308 and 1.7e308, or a text.", `{"n": 1e300}`},
		{"doc_duplicate_key", "No object has a key twice.", "Remove one of the two, or rename it: readers disagree on which of them counts.", `{"a": 1, "b": 2}`},
		{"doc_key", "No object has the key __proto__, and no node writes one.", "Choose another name: JavaScript reads __proto__ as the parent of the object.", `{"as": "proto"}`},
		{"doc_depth", "Nothing is nested deeper than 128.", "Flatten the nesting: move an inner part into a chain or a child workflow.", ``},
		{"doc_size", "There are at most 100,000 values.", "Take data out of the document and give it as input, or run parts as workflows of their own.", ``},
		{"doc_not_plain", "The document holds only what JSON can: null, booleans, numbers, texts, lists and objects.", "Decode the document from JSON text first.", ``},
		{"shape_type", "Every field holds the sort of value it is for.", "Write the value as the sort of thing the message names.", `{"steps": [{"node": "code", "label": "a", "code": "s => ({})"}]}`},
		{"shape_metadata", "metadata is an object.", "Put what you want to note under a key of its own.", `{"metadata": {"owner": "support"}}`},
		{"version", "v is 2.", `Write "v": 2.`, `{"v": 2}`},
		{"name_missing", "The document has a name.", "Give it a short name.", `{"name": "review-notes"}`},
		{"schemas_missing", "The document has schemas.", "Write schemas with at least the schema of the output.", `{"schemas": {"Out": {"type": "object"}}}`},
		{"input_schema_unknown", "input.schemaId names a schema of this document.", "Add the schema under schemas, correct the id, or leave input out to take any object.", `{"input": {"schemaId": "In"}}`},
		{"output_schema_unknown", "output.schemaId names a schema of this document.", "Add the schema under schemas, or correct the id.", `{"output": {"schemaId": "Out", "path": "result"}}`},
		{"input_not_object", "The input is an object.", "Give an object whose keys are the values the workflow reads.", `{"question": "Why?"}`},
		{"input_schema", "The input meets the schema of the input.", "Correct the input, or the schema where it asks too much.", ``},
		{"schema_document", "Every field holds a value that the language allows.", "Compare the field with its line in the language reference; unknown fields of a part are refused too.", `{"effort": "high"}`},
	}
}

func schemaCodes() []Rule {
	return []Rule{
		{"schema_not_object", "Every schema is an object.", `Write a JSON Schema object; {"type": "object"} takes any object.`, `{"schemas": {"Out": {"type": "object"}}}`},
		{"schema_ref_form", "A $ref is written #/definitions/<name>.", "Put the other schema beside this one under schemas and refer to it by its id.", `{"$ref": "#/definitions/Address"}`},
		{"schema_ref_dangling", "A $ref names a definition of the schema or a schema of the document.", "Add the schema, or correct the name.", `{"$ref": "#/definitions/Address"}`},
		{"schema_compile", "A schema is JSON Schema (draft 2020-12); patterns are RE2, without look-around and back-references.", "Correct the keyword named.", `{"type": "string", "minLength": 1}`},
	}
}

func nodeCodes() []Rule {
	return []Rule{
		{"node_kind_unknown", "node names a kind of node.", "Write one of the kinds: chain, code, agent, decide, extract, report, artifact, map, parallel, loop, route, escalate, call, workflow, judge, pick, sift.", `{"node": "code", "label": "a", "code": "s => ({})"}`},
		{"node_key_unknown", "A node has only the fields of its kind, and metadata.", "Remove the fields named, correct their spelling, or keep notes under metadata.", `{"metadata": {"note": "mine"}}`},
		{"as_dollar", "A key that a node writes does not start with $.", "Choose a name without $: those are the engine's own.", `{"as": "answer"}`},
		{"label_dollar", "A label that is also the state key does not start with $.", "Choose another label, or give the node an as.", `{"label": "answer"}`},
		{"as_missing", "The node says where its value goes.", "Give it an as: the key that later nodes read.", `{"as": "answer"}`},
		{"code_compile", "code is one synchronous JavaScript function expression.", "Write one function of the state, such as s => ({ total: s.a + s.b }), without async and without statements around it.", `{"node": "code", "label": "sum", "code": "s => ({ total: s.a + s.b })"}`},
		{"code_probe_throws", "The function does not throw on reference data.", "Guard against fields that may be absent. This product never runs code while it validates, so it never reports this.", ``},
		{"code_expr_both", "A code node has code or expr, not both.", "Remove one of the two.", `{"node": "code", "label": "sum", "expr": "a + b", "as": "total"}`},
		{"expr_compile", "expr is an expr-lang expression.", "Correct the expression: it reads the state's keys as variables and has no statements.", `{"node": "code", "label": "many", "expr": "len(items) > 3", "as": "many"}`},
		{"out_schema_unknown", "out names a schema of this document.", "Add the schema under schemas, or correct the id.", `{"out": "Answer"}`},
		{"requires_invalid", "requires is a list of paths.", "Write each path as a text that is not blank.", `{"requires": ["question", "customer.name"]}`},
		{"state_map_invalid", "state is an object of what is shown, and not empty where a judge sees only it.", "Name what is shown and fill it from the state.", `{"state": {"question": "{question}"}}`},
	}
}

func generateCodes() []Rule {
	return []Rule{
		{"instructions_missing", "A model is told what to do.", "Write instructions in plain words. They are never filled in: what varies belongs into state.", `{"instructions": "Answer the question from the evidence."}`},
		{"thinking_invalid", "thinking is low, medium or high.", "Write one of the three, or leave it out. Thinking cannot be turned off here.", `{"thinking": "low"}`},
		{"tools_invalid", "tools is a list of names.", "Write each tool's name; [] means no tools, leaving tools out the host's default.", `{"tools": ["search.read"]}`},
		{"tier_invalid", "tier is fast, default or strong.", "Write one of the three, or leave it out.", `{"tier": "fast"}`},
		{"budget_invalid", "budget_usd is a number above 0.", "Write the most the node may spend in US dollars, or leave it out.", `{"budget_usd": 0.5}`},
		{"context_invalid", "context is fresh or fork.", "Write fresh to start without a conversation, fork to start from the caller's.", `{"context": "fresh"}`},
		{"verify_out_missing", "verify.out names the question schema.", "Name a schema whose properties are the judge's questions.", `{"verify": {"out": "Checks"}}`},
		{"verify_no_boolean", "The questions of verify have at least one yes/no question.", "Add a boolean property with a description that asks it.", `{"supported": {"type": "boolean", "description": "Is every claim supported?"}}`},
		{"verify_max_drives", "verify.maxDrives is a whole number from 1 on.", "Write how many reviews there may be, or leave it out for 2.", `{"verify": {"out": "Checks", "maxDrives": 3}}`},
		{"verify_override", "verify.override.below lies between 0 and 1, without both.", "Write a probability such as 0.3.", `{"verify": {"out": "Checks", "override": {"below": 0.2}}}`},
	}
}

func questionCodes() []Rule {
	return []Rule{
		{"question_not_flat", "A question schema is flat: no property is an object.", "Move the inner properties to the top, one question each.", `{"type": "object", "properties": {"urgent": {"type": "boolean", "description": "Is it urgent?"}}}`},
		{"question_no_properties", "A question schema has properties: they are the questions.", "Add a property for each question.", `{"type": "object", "properties": {"urgent": {"type": "boolean", "description": "Is it urgent?"}}}`},
		{"question_no_description", "Every question has a description: it is what the judge is asked.", "Write the question as the property's description.", `{"urgent": {"type": "boolean", "description": "Is it urgent?"}}`},
		{"question_not_string_enum", "A choice says type string and its options are texts.", `Write "type": "string" beside enum, and every option as a text.`, `{"tone": {"type": "string", "enum": ["calm", "angry"], "description": "Which tone?"}}`},
		{"question_too_many_options", "A choice has at most 240 options.", "Ask a coarser question first, or use pick over a list.", ``},
		{"question_criteria_unknown", "Criteria explain options that exist.", "Use an option's exact text as the key (true and false for a yes/no question).", `{"tone": {"type": "string", "enum": ["calm", "angry"], "criteria": {"calm": "no blame"}, "description": "Which tone?"}}`},
		{"question_levels_missing", "A score names its levels in criteria.", "Add criteria: a list of texts, the lowest level first.", `{"severity": {"type": "integer", "criteria": ["none", "some", "urgent"], "description": "How severe?"}}`},
		{"question_levels_count", "A score has 2 to 10 levels, each a text.", "Write between 2 and 10 levels that are not blank.", `{"criteria": ["none", "some", "urgent"]}`},
		{"question_minimum", "A score starts at 0.", "Write minimum 0 or leave it out.", `{"minimum": 0}`},
		{"question_maximum", "A score ends at its last level.", "Write the number of levels less one as maximum, or leave it out.", `{"criteria": ["none", "some", "urgent"], "maximum": 2}`},
		{"question_not_a_question", "A question is a yes/no (boolean), a choice (string with enum) or a score (integer with criteria).", "Give the property one of these forms, or ask a model with extract where you need prose, numbers or lists.", `{"urgent": {"type": "boolean", "description": "Is it urgent?"}}`},
	}
}
