package dsl

// Kinds are the kinds of node and their fields.
func Kinds() []KindSpec {
	return append(flowKinds(), append(modelKinds(), append(judgeKinds(), effectKinds()...)...)...)
}

func label() Field { return required("label", TypeText, "The node's name to people and in events.") }

func as(doc string) Field { return optional("as", TypeText, doc) }

func stateMap(doc string) Field { return optional("state", TypeMap, doc) }

func requires() Field {
	return optional("requires", TypeTexts, "Paths that must hold something before the node starts.")
}

func out(doc string) Field { return required("out", TypeText, doc) }

func itemsPath() Field { return required("itemsPath", TypeText, "Where in the state the list is.") }

// flowKinds decide what runs, how often and side by side.
func flowKinds() []KindSpec {
	return []KindSpec{
		{KindChain, "Runs its steps one after another.", []Field{required("steps", TypeNodes, "The nodes, in order.")}},
		{KindMap, "Runs its body once for each item of a list and collects the results.", []Field{
			label(), itemsPath(),
			required("body", TypeNode, "What runs for each item; it reads {item} and {item_index}."),
			must(as("The key of the list of results.")),
			optional("resultPath", TypeText, "Where in an item's state its result is; left out, the body's own key."),
			atLeast(optional("maxConcurrency", TypeWhole, "How many items run at once; 4 when left out."), 1),
		}},
		{KindParallel, "Runs its branches at the same time and merges what they wrote.", []Field{
			label(), required("branches", TypeNodes, "The nodes, at least two."),
		}},
		{KindLoop, "Runs its body again and again until a condition holds or the bound is reached.", []Field{
			label(), required("body", TypeNode, "What runs each time."),
			required("until", TypePredicate, "The condition that ends the loop."),
			atLeast(required("maxIters", TypeWhole, "How often the body may run."), 1),
			atLeast(optional("expect_iters", TypeWhole, "How often it is expected to run; for estimates only."), 1),
		}},
		{KindRoute, "Runs one of its branches, chosen by a judge or named by a value.", routeFields()},
		{KindEscalate, "Ends the run as escalated where its condition holds.", []Field{
			label(), required("when", TypePredicate, "The condition."),
			required("kind", TypeText, "What sort of escalation it is."),
			required("stage", TypeText, "Where in the work it happened."),
			required("summary", TypeText, "What a person should know; {paths} are filled in."),
		}},
		{KindWorkflow, "Runs a whole workflow document as one step, in a state of its own.", []Field{
			label(), required("workflow", TypeDocument, "The child document."),
			required("input", TypeMap, "The child's input, {paths} filled in."),
			out("The schema, one of this document's, that the child's output must meet."), must(as("The key of the child's output.")),
		}},
	}
}

func routeFields() []Field {
	return []Field{
		label(), stateMap("What the judge sees, {paths} filled in."),
		optional("instructions", TypeText, "What the judge decides."),
		{
			Name: "branches", Type: TypeBranches, Required: true, Doc: "The ways, by name.", Fields: []Field{
				loose(optional("criteria", TypeText, "When the judge should take this branch.")),
				loose(required("body", TypeNode, "What runs.")),
			},
		},
		part("unsure", "What happens when the judge is not confident.",
			required("branch", TypeText, "The branch taken instead."),
			atMost(above(required("gte", TypeNumber, "The confidence needed to do without it."), 0), 1)),
		optional("valuePath", TypeText, "Where in the state the branch's name is; no judge is asked then."),
		optional("otherwise", TypeText, "The branch of a value that names none."),
		as("The key of the record of what was chosen."), requires(),
	}
}

// effectKinds compute, call the outside and declare what was made.
func effectKinds() []KindSpec {
	return []KindSpec{
		{KindCode, "Computes with JavaScript or an expression.", []Field{
			label(), optional("code", TypeText, "One synchronous JavaScript function of the state."),
			optional("expr", TypeText, "An expr-lang expression over the state, instead of code."),
			as("The key of the result; left out, an object's keys are merged into the state."),
		}},
		{KindCall, "Has an effect outside: a tool, code in a box or a shell command.", callFields()},
		{KindArtifact, "Declares the file that is the workflow's product, or writes a report where its type is prose.", []Field{
			label(), stateMap("Prose only: what the model is given."),
			required("type", TypeText, "`markdown` or `report` for prose; otherwise the sort of file."),
			optional("path", TypeText, "The file, relative to the run's folder."),
			optional("instructions", TypeText, "Prose only: what the model should write."),
			sopSection(), requires(), tools(), effort(), thinking(),
		}},
	}
}

func callFields() []Field {
	return []Field{
		label(), must(choice("via", "Who does it.", "tool", "executor", "shell")),
		optional("tool", TypeText, "tool: its name."),
		optional("args", TypeMap, "tool: its arguments, {paths} filled in."),
		optional("code", TypeText, "executor: the body of a function of `input`; it returns the result."),
		optional("input", TypeMap, "executor: the input, {paths} filled in."),
		optional("command", TypeText, "shell: the command, never filled in; values travel in env."),
		optional("env", TypeMap, "shell: the environment, {paths} filled in."),
		choice("where", "Where a shell command or code runs.", "sandbox"),
		optional("out", TypeText, "The schema of the result; a shell command's is fixed."),
		must(as("The key of the result.")),
		optional("produces", TypeTexts, "shell: files that it must leave, relative to the run's folder."),
		above(required("deadline_s", TypeNumber, "Seconds that one attempt may take."), 0),
		part("retry", "What happens after a failed attempt.",
			atLeast(required("attempts", TypeWhole, "How many attempts there are in all."), 1),
			atLeast(optional("backoff_s", TypeNumber, "Seconds of wait, times the number of the attempt; 1 when left out."), 0),
			Field{Name: "on", Type: TypeTexts, Doc: "The failures that are tried again; all classes when left out.", Values: retryable()}),
		loose(part("poll", "Repeats the call until its result is what is waited for.",
			required("until", TypePredicate, "The condition on the result that ends it."),
			optional("fail_when", TypePredicate, "The condition on the result that fails it."),
			atLeast(required("interval_s", TypeNumber, "Seconds between two attempts."), 0.1),
			above(required("deadline_s", TypeNumber, "Seconds that all attempts may take."), 0))),
		requires(),
	}
}

// retryable are what retry.on may name: a class, or the code of one failure.
func retryable() []string {
	return append(retryClasses(), "effect_timeout", "effect_exit", "effect_transport", "effect_not_granted",
		"effect_produces_missing", "effect_path_escape", "effect_code_unsafe", "output_invalid", "state_invalid",
		"effect_unknown_transport")
}
