package dsl

import (
	"math"
	"strconv"
)

// Tolerances of a judge's numbers.
const (
	massTolerance  = 0.02
	scoreTolerance = 1e-5
)

// answer is one checked answer: the value that it decodes to, the measure that bounds are compared with (the
// probability of yes, or the score), and its confidence.
type answer struct {
	value      any
	measure    float64
	confidence float64
}

// checkAnswers checks raw answers against the questions, and decodes them in their order. The reason is "" where all
// can be used.
func checkAnswers(questions []Question, raw *Object) (answers []answer, reason string) {
	if raw == nil {
		return nil, "answers_shape"
	}
	if raw.Len() != len(questions) {
		return nil, "answer_keys"
	}
	answers = make([]answer, len(questions))
	for i, question := range questions {
		given, ok := raw.Get(question.ID)
		if !ok {
			return nil, "answer_keys"
		}
		if answers[i], reason = checkAnswer(question, given); reason != "" {
			return nil, reason
		}
	}
	return answers, ""
}

func checkAnswer(question Question, given any) (answer, string) {
	fields, ok := given.(*Object)
	if !ok {
		return answer{}, "answer_shape"
	}
	if text(fields, "type") != question.Type {
		return answer{}, "answer_type"
	}
	switch question.Type {
	case typeNoul:
		return checkNoul(fields)
	case typeChoice:
		return checkChoice(question, fields)
	default:
		return checkScore(question, fields)
	}
}

func checkNoul(fields *Object) (answer, string) {
	yes, ok := probability(fields, "noul")
	if !ok {
		return answer{}, "noul_probability"
	}
	return answer{value: yes >= 0.5, measure: yes, confidence: math.Abs(yes-0.5) * 2}, ""
}

func checkChoice(question Question, fields *Object) (answer, string) {
	confidence, _, reason := checkSpread(fields, question.Criteria.Keys())
	if reason != "" {
		return answer{}, reason
	}
	choice, ok := fields.Get("choice")
	option, isText := choice.(string)
	if !ok || !isText || !question.Criteria.Has(option) {
		return answer{}, "choice_option"
	}
	return answer{value: option, confidence: confidence}, ""
}

func checkScore(question Question, fields *Object) (answer, string) {
	levels := make([]string, len(question.Levels))
	legend := NewObject(len(levels))
	for i, level := range question.Levels {
		levels[i] = strconv.Itoa(i)
		legend.Set(levels[i], level)
	}
	confidence, weights, reason := checkSpread(fields, levels)
	if reason != "" {
		return answer{}, reason
	}
	if given, _ := fields.Get("legend"); !Equal(given, legend) {
		return answer{}, "score_legend"
	}
	given, _ := fields.Get("score")
	score, ok := finite(given)
	if !ok || score < 0 || score > float64(len(levels)-1) {
		return answer{}, "score_range"
	}
	var sum, mass float64
	for i, weight := range weights {
		sum += float64(i) * weight
		mass += weight
	}
	if math.Abs(score-sum) > scoreTolerance && math.Abs(score-sum/mass) > scoreTolerance {
		return answer{}, "score_consistency"
	}
	return answer{value: math.Floor(score + 0.5), measure: score, confidence: confidence}, ""
}

// checkSpread checks the confidence and probabilities that a choice and a score have.
func checkSpread(fields *Object, names []string) (confidence float64, weights []float64, reason string) {
	confidence, ok := probability(fields, "confidence")
	if !ok {
		return 0, nil, "confidence"
	}
	spread, ok := object(fields, "probabilities")
	if !ok {
		return 0, nil, "probabilities"
	}
	if spread.Len() != len(names) {
		return 0, nil, "probability_keys"
	}
	mass := 0.0
	for _, name := range names {
		if !spread.Has(name) {
			return 0, nil, "probability_keys"
		}
		weight, ok := probability(spread, name)
		if !ok {
			return 0, nil, "probabilities"
		}
		weights = append(weights, weight)
		mass += weight
	}
	// The sum of doubles may lie a hair beyond the tolerance that the numbers themselves keep.
	if math.Abs(mass-1) > massTolerance+1e-9 {
		return 0, nil, "probability_mass"
	}
	return confidence, weights, ""
}

func probability(fields *Object, key string) (float64, bool) {
	value, _ := fields.Get(key)
	number, ok := finite(value)
	return number, ok && number >= 0 && number <= 1
}

// fourDecimals rounds as JavaScript's toFixed(4) does: ties go up.
func fourDecimals(x float64) float64 {
	if scaled := x * 1e4; scaled-math.Floor(scaled) == 0.5 && math.FMA(x, 1e4, -scaled) == 0 {
		return (math.Floor(scaled) + 1) / 1e4
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 4, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}
