package dsl

// answered is what a judge said to one request, checked.
type answered struct {
	Judged
	questions []Question
	answers   []answer
}

// askJudge asks the host's judge, and checks what it answers before anything reads it.
func (in *interpreter) askJudge(at scope, ask Judgment) (*answered, error) {
	judged, err := in.host.Judge(at.ctx, ask)
	if err != nil {
		return nil, err //nolint:wrapcheck // the host's own error ends the run as it is
	}
	answers, reason := checkAnswers(ask.Questions, judged.Answers)
	if reason != "" {
		return nil, &Failure{
			Class: ClassJudge, Stage: ask.Label, ExecutionPath: at.path, Reason: reason,
			Message: "the judge's answer cannot be used: " + reason,
		}
	}
	return &answered{Judged: judged, questions: ask.Questions, answers: answers}, nil
}

// values are the decoded values by question.
func (a *answered) values() *Object {
	values := NewObject(len(a.questions))
	for i, question := range a.questions {
		values.Set(question.ID, a.answers[i].value)
	}
	return values
}

// sidecar is what the state keeps beside the values: the raw answers, and how sure each is.
func (a *answered) sidecar() *Object {
	return sidecarOf(a.questions, a.answers, a.Answers)
}

func sidecarOf(questions []Question, answers []answer, raw *Object) *Object {
	confidence := NewObject(len(questions))
	var weakest, lowest any
	for i, question := range questions {
		sure := fourDecimals(answers[i].confidence)
		confidence.Set(question.ID, sure)
		if least, ok := lowest.(float64); !ok || sure < least {
			weakest, lowest = question.ID, sure
		}
	}
	return ObjectOf("answers", raw, "confidence", confidence, "weakest", weakest, "min_confidence", lowest)
}

// describe adds to an event's detail who answered, and at which cost.
func (a *answered) describe(detail *Object) *Object {
	detail.Set("model", textOrNull(a.Model))
	detail.Set("cost_usd", numberOrNull(a.CostUSD))
	if a.Source != "" {
		detail.Set("source", a.Source)
	}
	return detail
}

func textOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func numberOrNull(number *float64) any {
	if number == nil {
		return nil
	}
	return *number
}
