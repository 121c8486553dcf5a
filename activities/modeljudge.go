package activities

import (
	"fmt"
	"math"
	"strconv"

	"github.com/agentrun/agentrun/dsl"
)

// judgeInstructions are what a model that judges is told. It gives probabilities only; what they come to is computed.
const judgeInstructions = "You are a careful, calibrated judge. You are given a state and questions about it, as JSON. " +
	"Judge only by the state. For each question of type noul give the probability that the answer is yes. For each " +
	"question of type choice give the probability of every option, and for each of type score that of every level, by the " +
	"level's number as text; those of one question add up to 1. The criteria say what an answer means. Say nothing else."

// The key of a yes/no question's probability in a model's answer, and of a spread of them.
const (
	yesKey    = "probability_yes"
	spreadKey = "probabilities"
)

// answerSchema is the JSON Schema of a model's answers: one object a question, everything required, nothing else.
func answerSchema(questions []dsl.Question) *dsl.Object {
	properties := dsl.NewObject(len(questions))
	ids := make([]any, 0, len(questions))
	for _, question := range questions {
		ids = append(ids, question.ID)
		probability := dsl.ObjectOf("type", "number", "minimum", 0.0, "maximum", 1.0)
		if names := spreadOf(question); names != nil {
			options := dsl.NewObject(len(names))
			required := make([]any, len(names))
			for i, name := range names {
				options.Set(name, probability)
				required[i] = name
			}
			properties.Set(question.ID, closed(dsl.ObjectOf(spreadKey, closed(options, required)), []any{spreadKey}))
			continue
		}
		properties.Set(question.ID, closed(dsl.ObjectOf(yesKey, probability), []any{yesKey}))
	}
	return closed(properties, ids)
}

func closed(properties *dsl.Object, required []any) *dsl.Object {
	return dsl.ObjectOf("type", "object", "properties", properties, "required", required, "additionalProperties", false)
}

// spreadOf names the options of a choice or the levels of a score; nil for a yes/no question.
func spreadOf(question dsl.Question) []string {
	switch question.Type {
	case "choice":
		return question.Criteria.Keys()
	case "score":
		names := make([]string, len(question.Levels))
		for i := range names {
			names[i] = strconv.Itoa(i)
		}
		return names
	}
	return nil
}

// answerProblems says what keeps a value from being a model's answers.
func answerProblems(questions []dsl.Question, value any) []string {
	given, ok := value.(*dsl.Object)
	if !ok || given.Len() != len(questions) {
		return []string{"the answer must be an object with one entry for each question, by its id"}
	}
	var problems []string
	for _, question := range questions {
		if _, err := rawAnswer(question, given); err != nil {
			problems = append(problems, err.Error())
		}
	}
	return problems
}

// answersOf makes the answers that the language knows of those that a model gave: probabilities made to add up to 1, the
// likeliest option, the mean of the levels.
func answersOf(questions []dsl.Question, text string) (*dsl.Object, error) {
	given, err := decodeObject(text)
	if err != nil {
		return nil, err
	}
	answers := dsl.NewObject(len(questions))
	for _, question := range questions {
		answer, err := rawAnswer(question, given)
		if err != nil {
			return nil, err
		}
		answers.Set(question.ID, answer)
	}
	return answers, nil
}

func rawAnswer(question dsl.Question, given *dsl.Object) (*dsl.Object, error) {
	value, _ := given.Get(question.ID)
	fields, _ := value.(*dsl.Object)
	names := spreadOf(question)
	if names == nil {
		yes, ok := probabilityAt(fields, yesKey)
		if !ok {
			return nil, fmt.Errorf("question %q wants %s, a number from 0 to 1", question.ID, yesKey)
		}
		return dsl.ObjectOf("type", question.Type, "noul", yes), nil
	}
	inner, _ := fields.Get(spreadKey)
	spread, _ := inner.(*dsl.Object)
	weights := make([]float64, len(names))
	mass := 0.0
	for i, name := range names {
		weight, ok := probabilityAt(spread, name)
		if !ok {
			return nil, fmt.Errorf("question %q wants the probability of %q, a number from 0 to 1", question.ID, name)
		}
		weights[i], mass = weight, mass+weight
	}
	// Models are not exact; a sum far from 1 is no spread of probabilities.
	if math.Abs(mass-1) > 0.2 {
		return nil, fmt.Errorf("the probabilities of question %q add up to %.2f, not to 1", question.ID, mass)
	}
	return spreadAnswer(question, names, weights, mass), nil
}

func spreadAnswer(question dsl.Question, names []string, weights []float64, mass float64) *dsl.Object {
	probabilities := dsl.NewObject(len(names))
	likeliest, mean := 0, 0.0
	for i, name := range names {
		weights[i] /= mass
		probabilities.Set(name, weights[i])
		mean += float64(i) * weights[i]
		if weights[i] > weights[likeliest] {
			likeliest = i
		}
	}
	answer := dsl.ObjectOf("type", question.Type)
	if question.Type == "choice" {
		answer.Set("choice", names[likeliest])
	} else {
		legend := dsl.NewObject(len(names))
		for i, level := range question.Levels {
			legend.Set(names[i], level)
		}
		answer.Set("score", mean)
		answer.Set("legend", legend)
	}
	answer.Set("confidence", weights[likeliest])
	answer.Set("probabilities", probabilities)
	return answer
}

func probabilityAt(fields *dsl.Object, key string) (float64, bool) {
	value, _ := fields.Get(key)
	number, ok := value.(float64)
	return number, ok && number >= 0 && number <= 1
}
