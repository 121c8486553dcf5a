package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// judgeJev is the kind of judge that answers the questions themselves; judgeModel is a model that is asked for
// probabilities.
const (
	judgeJev   = "jev"
	judgeModel = "model"
)

// Judge asks the run's judge: Jev where the server has one, else the run's model with a strict answer schema. Either way
// it is one model request under the run's cap, in a session of its own.
func (d *document) Judge(ctx context.Context, ask dsl.Judgment) (dsl.Judged, error) {
	id := journal.SessionKey(ask.Path, fmt.Sprint(ask.Purpose, ask.Request))
	b, source := d.judgeBrief(ask)
	t := d.sessionFor(id, ask.Path, b, judgeQuestion(ask))
	defer d.s.leave(t)
	answer, err := d.answer(ctx, t, 1, ask.Label)
	if err != nil {
		return dsl.Judged{}, err
	}
	judged := dsl.Judged{Model: b.model.ID, Source: source}
	t.mu.Lock()
	if cost := t.fold.Cost(); cost.USD != nil {
		if usd, err := strconv.ParseFloat(cost.USD.String(), 64); err == nil {
			judged.CostUSD = &usd
		}
	}
	t.mu.Unlock()
	if source == judgeJev {
		judged.Answers, err = decodeObject(answer.Text)
	} else {
		judged.Answers, err = answersOf(ask.Questions, answer.Text)
	}
	if err != nil {
		return dsl.Judged{}, fmt.Errorf("the judge's answer at %s: %w", ask.Path, err)
	}
	return judged, nil
}

// judgeBrief says who judges, and how it answers.
func (d *document) judgeBrief(ask dsl.Judgment) (brief, string) {
	config := d.s.opened.Config
	if config.Judge != nil {
		return brief{
			direct: true, model: *config.Judge, endpoint: d.s.opened.JudgeEndpoint,
			output: checkedBy(func(value any) []string {
				if _, ok := value.(*dsl.Object); !ok {
					return []string{"the answers are not an object"}
				}
				return nil
			}),
		}, judgeJev
	}
	schema := answerSchema(ask.Questions)
	return brief{
		direct: true, model: config.Model, endpoint: d.s.opened.Endpoint, effort: config.Effort, instructions: judgeInstructions,
		schema: json.RawMessage(dsl.JSON(schema)), output: checkedBy(func(value any) []string {
			return answerProblems(ask.Questions, value)
		}),
	}, judgeModel
}

// judgeQuestion is the state and the questions, as Jev takes them and as a model reads them.
func judgeQuestion(ask dsl.Judgment) string {
	questions := dsl.NewObject(len(ask.Questions))
	for _, question := range ask.Questions {
		questions.Set(question.ID, questionObject(question))
	}
	return dsl.JSON(dsl.ObjectOf("state", ask.State, "questions", questions))
}

func questionObject(question dsl.Question) *dsl.Object {
	object := dsl.ObjectOf("type", question.Type, "instructions", question.Instructions)
	switch {
	case question.Levels != nil:
		levels := make([]any, len(question.Levels))
		for i, level := range question.Levels {
			levels[i] = level
		}
		object.Set("criteria", levels)
	case question.Criteria.Len() > 0:
		object.Set("criteria", question.Criteria)
	}
	return object
}

func decodeObject(text string) (*dsl.Object, error) {
	value, err := dsl.Decode([]byte(text))
	if err != nil {
		return nil, err //nolint:wrapcheck // the caller says where
	}
	object, ok := value.(*dsl.Object)
	if !ok {
		return nil, run.Errorf(run.ErrInvalid, "it is not an object")
	}
	return object, nil
}
