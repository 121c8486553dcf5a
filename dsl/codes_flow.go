package dsl

func flowCodes() []Rule {
	return []Rule{
		{"chain_empty", "A chain has steps.", "Add a step, or remove the chain.", `{"node": "chain", "steps": [{"node": "code", "label": "a", "code": "s => ({})"}]}`},
		{"map_result_path", "resultPath is not blank.", "Name where an item's result is, or leave it out to take the body's own key.", `{"resultPath": "change"}`},
		{"map_concurrency", "maxConcurrency is a whole number from 1 on.", "Write how many items may run at once, or leave it out for 4.", `{"maxConcurrency": 8}`},
		{"items_path_missing", "The node says where its list is.", "Write the path of a list of the state.", `{"itemsPath": "notes"}`},
		{"items_path_unreachable", "itemsPath starts with a key that exists by then.", "Read an input key, or the as of an earlier node; a list inside a value needs the value's key before it.", `{"itemsPath": "search.results"}`},
		{"report_in_map", "A report or artifact is not inside a map.", "Collect the items first and report once, as the last step of the root chain.", ``},
		{"parallel_branches", "A parallel node has at least two branches.", "Add a branch, or put the one node where the parallel node is.", `{"branches": [{"node": "code", "label": "a", "code": "s => ({ a: 1 })"}, {"node": "code", "label": "b", "code": "s => ({ b: 1 })"}]}`},
		{"report_in_parallel", "A report or artifact is not inside a parallel node.", "Report once after the branches, as the last step of the root chain.", ``},
		{"parallel_overlap", "Two branches do not write the same key.", "Give the nodes different as keys.", ``},
		{"loop_max_iters", "maxIters is a whole number from 1 on.", "Write how often the body may run at most.", `{"maxIters": 5}`},
		{"loop_expect_iters", "expect_iters is a whole number from 1 on.", "Write how often you expect it to run, or leave it out.", `{"expect_iters": 2}`},
		{"report_in_loop", "A report or artifact is not inside a loop.", "Report once after the loop, as the last step of the root chain.", ``},
		{"escalate_fields", "An escalation says its kind, stage and summary.", "Fill all three: they are what a person reads first.", `{"kind": "needs_review", "stage": "check", "summary": "No source for {claim}"}`},
	}
}

func predicateCodes() []Rule {
	return []Rule{
		{"predicate_shape", "A condition is an object with the field predicate.", `Write the name under predicate and the rest beside it.`, `{"predicate": "field_true", "path": "check.ok"}`},
		{"predicate_unknown", "predicate names a condition that may stand here.", "Write one of: field_equals, field_true, in, count_gte, gte, lt, empty, no_new_items, expr; ask only in until of a loop and when of an escalation.", `{"predicate": "gte", "path": "score", "n": 0.8}`},
		{"predicate_in_path", "in has a path.", "Name the value that is compared.", `{"predicate": "in", "path": "status", "values": ["done", "failed"]}`},
		{"predicate_in_values", "in has values: texts, numbers or booleans.", "List at least one value.", `{"predicate": "in", "path": "status", "values": ["done", "failed"]}`},
		{"predicate_number", "gte and lt have a path and a number n.", "Write both; n is a number, not a text.", `{"predicate": "lt", "path": "gate.margin", "n": 0.6}`},
		{"predicate_unreachable", "A condition reads a key that exists by then.", "Read an input key, or the as of an earlier node (in a loop also of its body).", `{"predicate": "field_true", "path": "check.ok"}`},
		{"predicate_path_not_produced", "A condition reads a field that its value has.", "Correct the path, or add the field to the schema of the node that makes the value.", `{"predicate": "field_equals", "path": "job.status", "value": "failed"}`},
		{"ask_instructions", "ask has instructions: the yes/no question.", "Write the question a judge should answer.", `{"predicate": "ask", "instructions": "Do the sources contradict each other?"}`},
		{"ask_gte", "gte of ask is above 0.5 and at most 1.", "Write the probability of yes from which it holds, or leave it out for 0.6.", `{"predicate": "ask", "instructions": "Is it done?", "gte": 0.8}`},
		{"ask_state", "state of ask is an object.", "Name what the judge sees, or leave it out for the whole state.", `{"state": {"draft": "{draft}"}}`},
	}
}

func judgeCodes() []Rule {
	return []Rule{
		{"pick_describe", "pick has describe: the text of each item.", "Write a text that reads the item.", `{"describe": "{item.name}, born {item.born}"}`},
		{"pick_instructions", "pick has instructions.", "Write what the judge decides.", `{"instructions": "Which candidate is the customer?"}`},
		{"pick_allow_none", "allowNone is true or false.", "Write true without quotes where no item may be the answer.", `{"allowNone": true}`},
		{"sift_describe", "describe is not blank.", "Write a text that reads the item, or leave it out.", `{"describe": "{item.title}"}`},
		{"sift_keep_path", "keep has a path.", "Name the question that decides.", `{"keep": {"path": "relevant", "gte": 0.7}}`},
		{"sift_keep_unknown", "keep.path is <question> or <question>.confidence.", "Name a property of the question schema.", `{"keep": {"path": "relevant.confidence"}}`},
		{"sift_keep_choice", "A choice is kept by its confidence.", "Write <question>.confidence, or ask a yes/no question.", `{"keep": {"path": "tone.confidence", "gte": 0.8}}`},
		{"sift_keep_gte", "keep.gte is a number.", "Write the bound as a number.", `{"keep": {"path": "relevant", "gte": 0.7}}`},
	}
}

func routeCodes() []Rule {
	return []Rule{
		{"route_instructions", "A judged route has instructions.", "Write what the judge decides, or use valuePath to read the branch from the state.", `{"instructions": "Which team should answer?"}`},
		{"route_branches_min", "A route has at least two branches.", "Add a branch, or put the one body where the route is.", `{"branches": {"refund": {"body": {"node": "code", "label": "r", "code": "s => ({})"}}, "other": {"body": {"node": "code", "label": "o", "code": "s => ({})"}}}}`},
		{"route_branches_max", "A judged route has at most 240 branches.", "Route in two steps, or read the branch's name from a value.", ``},
		{"route_unsure_branch", "unsure.branch names a branch.", "Write the name of a branch of this route.", `{"unsure": {"branch": "other", "gte": 0.7}}`},
		{"route_unsure_gte", "unsure.gte is above 0 and at most 1.", "Write the confidence needed to do without the unsure branch.", `{"unsure": {"branch": "other", "gte": 0.7}}`},
		{"route_otherwise_judged", "A judged route has no otherwise.", "Use unsure for a judge that is not confident; otherwise belongs to valuePath.", `{"unsure": {"branch": "other", "gte": 0.7}}`},
		{"route_as", "as is not blank.", "Name the key of the record, or leave as out to keep none.", `{"as": "team"}`},
		{"route_branch_body", "Every branch has a body.", "Give the branch the node that runs.", `{"refund": {"body": {"node": "code", "label": "r", "code": "s => ({})"}}}`},
		{"route_criteria", "criteria is a text.", "Write when the judge should take the branch.", `{"refund": {"criteria": "money is asked back", "body": {"node": "code", "label": "r", "code": "s => ({})"}}}`},
		{"report_in_route", "A report or artifact is not inside a route.", "Report once after the route, as the last step of the root chain.", ``},
		{"route_value_path", "valuePath is not blank.", "Name the value that holds a branch's name.", `{"valuePath": "ticket.team"}`},
		{"route_value_mixed", "A route by value has no state, instructions or unsure.", "Remove the field, or remove valuePath to have a judge decide.", `{"node": "route", "valuePath": "ticket.team", "otherwise": "other"}`},
		{"route_branch_name", "A branch's name is not blank.", "Name the branch as the value does.", `{"branches": {"refund": {}, "other": {}}}`},
		{"route_otherwise", "otherwise names a branch.", "Write the name of a branch of this route.", `{"otherwise": "other"}`},
		{"route_value_unreachable", "valuePath starts with a key that exists by then.", "Read an input key, or the as of an earlier node.", `{"valuePath": "ticket.team"}`},
		{"route_value_criteria", "A branch of a route by value has no criteria.", "Remove criteria: the branch's name is what decides.", `{"refund": {"body": {"node": "code", "label": "r", "code": "s => ({})"}}}`},
	}
}
