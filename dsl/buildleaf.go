package dsl

func buildGenerate(raw *Object, base Base) Node {
	state, _ := object(raw, "state")
	return &Generate{
		Base: base, State: state, Instructions: text(raw, "instructions"), SOPSections: sections(raw),
		Out: text(raw, "out"), Requires: texts(raw, "requires"), Tools: texts(raw, "tools"),
		Effort: text(raw, "effort"), Thinking: text(raw, "thinking"), Tier: text(raw, "tier"),
		Verify: buildVerify(raw), BudgetUSD: number(raw, "budget_usd", 0), Context: text(raw, "context"),
	}
}

// sections reads sopSection, which is one name or a list of names.
func sections(raw *Object) []string {
	if one := text(raw, "sopSection"); one != "" {
		return []string{one}
	}
	return texts(raw, "sopSection")
}

func buildVerify(raw *Object) *Verify {
	verify, ok := object(raw, "verify")
	if !ok {
		return nil
	}
	state, _ := object(verify, "state")
	override, _ := object(verify, "override")
	return &Verify{
		Out: text(verify, "out"), State: state, MaxDrives: int(number(verify, "maxDrives", defaultMaxDrives)),
		Below: number(override, "below", defaultBelow),
	}
}

func buildCall(raw *Object, base Base) Node {
	args, _ := object(raw, "args")
	input, _ := object(raw, "input")
	env, _ := object(raw, "env")
	return &Call{
		Base: base, Via: text(raw, "via"), Tool: text(raw, "tool"), Source: text(raw, "code"), Args: args, Input: input,
		Env: env, Command: text(raw, "command"), Where: text(raw, "where"), Out: text(raw, "out"),
		Produces: texts(raw, "produces"), DeadlineSeconds: number(raw, "deadline_s", 0), Retry: buildRetry(raw),
		Poll: buildPoll(raw), Requires: texts(raw, "requires"),
	}
}

func buildRetry(raw *Object) *Retry {
	retry, ok := object(raw, "retry")
	if !ok {
		return nil
	}
	return &Retry{
		Attempts:       int(number(retry, "attempts", defaultAttempts)),
		BackoffSeconds: number(retry, "backoff_s", defaultBackoffSeconds), On: texts(retry, "on"),
	}
}

func buildPoll(raw *Object) *Poll {
	poll, ok := object(raw, "poll")
	if !ok {
		return nil
	}
	return &Poll{
		Until: buildPredicate(poll, "until"), FailWhen: buildPredicate(poll, "fail_when"),
		IntervalSeconds: number(poll, "interval_s", 0), DeadlineSeconds: number(poll, "deadline_s", 0),
	}
}

func buildAsk(raw *Object, base Base) Node {
	state, _ := object(raw, "state")
	switch base.Kind {
	case KindJudge:
		return &Judge{Base: base, State: state, Out: text(raw, "out"), Requires: texts(raw, "requires")}
	case KindPick:
		return &Pick{
			Base: base, ItemsPath: text(raw, "itemsPath"), Describe: text(raw, "describe"),
			Instructions: text(raw, "instructions"), State: state, AllowNone: flag(raw, "allowNone"),
			Requires: texts(raw, "requires"),
		}
	default:
		keep, _ := object(raw, "keep")
		sift := &Sift{
			Base: base, ItemsPath: text(raw, "itemsPath"), Describe: text(raw, "describe"), State: state,
			Out: text(raw, "out"), KeepPath: text(keep, "path"), Requires: texts(raw, "requires"),
		}
		if keep.Has("gte") {
			at := number(keep, "gte", 0)
			sift.KeepAt = &at
		}
		return sift
	}
}

func buildPredicate(raw *Object, key string) *Predicate {
	from, ok := object(raw, key)
	if !ok {
		return nil
	}
	p := &Predicate{
		Name: text(from, "predicate"), Path: text(from, "path"), Values: list(from, "values"), N: number(from, "n", 0),
		Key: text(from, "key"), Expr: text(from, "expr"),
	}
	p.Value, _ = from.Get("value")
	if p.Name == "ask" {
		state, _ := object(from, "state")
		criteria, _ := object(from, "criteria")
		p.Ask = &Ask{
			Instructions: text(from, "instructions"), State: state, True: optionalText(criteria, "true"),
			False: optionalText(criteria, "false"), AtLeast: number(from, "gte", defaultAtLeast),
		}
	}
	return p
}
