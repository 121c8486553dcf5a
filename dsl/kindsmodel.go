package dsl

func sopSection() Field {
	return optional("sopSection", TypeTextOrAll, "The sections of the host's procedure that the model reads.")
}

func tools() Field {
	return optional("tools", TypeTexts, "The tools it may use; [] for none, the host's default when left out.")
}

func effort() Field {
	return choice("effort", "How much work the model puts in.", "minimal", "low", "medium", "high")
}

func thinking() Field {
	return choice("thinking", "How much the model thinks before it answers.", "low", "medium", "high")
}

func tier() Field {
	return choice("tier", "Which of the host's models is used.", "fast", "default", "strong")
}

func verify() Field {
	return part("verify", "Has a judge doubt the submission before it counts.",
		required("out", TypeText, "The question schema: at least one yes/no question."),
		stateMap("What the judge sees besides the submission, {paths} filled in."),
		atLeast(optional("maxDrives", TypeWhole, "How many reviews there may be; 2 when left out."), 1),
		part("override", "Another bound of doubt.",
			below(above(required("below", TypeNumber, "The probability of yes under which a field is doubted; 0.3 when left out."), 0), 1)))
}

// modelKinds have a model work until it submits.
func modelKinds() []KindSpec {
	generative := []Field{
		label(), stateMap("What the model is given, {paths} filled in; left out, the whole state."),
		required("instructions", TypeText, "What the model should do; never filled in."), sopSection(),
	}
	writes := []Field{
		out("The schema of the submission."), as("The key of the submission; left out, the label."), requires(), tools(),
		effort(), thinking(), verify(), tier(),
	}
	decide := append(append([]Field{}, generative...), writes...)
	agent := append(append([]Field{}, decide...),
		above(optional("budget_usd", TypeNumber, "The most this node may spend, in US dollars."), 0),
		choice("context", "Whether the model starts afresh or from the caller's conversation.", "fresh", "fork"),
		ignored(optional("budget", TypeAny, "Older documents have it; it does nothing.")))
	legacy := append(append([]Field{}, decide...),
		ignored(optional("samples", TypeAny, "Older documents have it; it does nothing.")),
		ignored(optional("voteField", TypeAny, "Older documents have it; it does nothing.")))
	report := append(append([]Field{}, generative...), requires(), tools(), effort(), thinking())
	return []KindSpec{
		{KindAgent, "A model works with tools until it submits a value.", agent},
		{KindDecide, "A model decides and submits a value.", legacy},
		{KindExtract, "A model reads something and submits what it found.", decide},
		{KindReport, "A model writes the report that is the workflow's product.", report},
	}
}

// judgeKinds ask a judge for probabilities.
func judgeKinds() []KindSpec {
	judged := must(stateMap("What the judge sees, {paths} filled in."))
	return []KindSpec{
		{KindJudge, "Asks a judge the questions of a schema about a state.", []Field{
			label(), judged, out("The question schema."), must(as("The key of the answers.")), requires(),
		}},
		{KindPick, "Has a judge choose one item of a list.", []Field{
			label(), itemsPath(), required("describe", TypeText, "The text of each item; it reads {item}."),
			required("instructions", TypeText, "What the judge decides."),
			stateMap("What the judge sees besides the items; left out, the whole state."),
			optional("allowNone", TypeFlag, "Whether no item is an answer too."), must(as("The key of the choice.")), requires(),
		}},
		{KindSift, "Asks a judge the same questions about every item of a list and keeps some.", []Field{
			label(), itemsPath(), optional("describe", TypeText, "A short text of each item; it reads {item}."),
			stateMap("What the judge sees besides the items."), out("The question schema."), must(as("The key of the result.")),
			part("keep", "Which items are kept; left out, all.",
				required("path", TypeText, "`<question>` or `<question>.confidence`."),
				optional("gte", TypeNumber, "The bound: 0.5 of a yes/no question, else 0, when left out.")),
			requires(),
		}},
	}
}
