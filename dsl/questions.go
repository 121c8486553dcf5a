package dsl

import "slices"

// The types of questions.
const (
	typeNoul   = "noul"
	typeChoice = "choice"
	typeScore  = "score"
)

// questionsOf are the questions of a flat schema, in the order of its properties.
func questionsOf(schema *Object) []Question {
	properties, _ := object(schema, "properties")
	questions := make([]Question, 0, properties.Len())
	for id := range properties.All() {
		property, _ := object(properties, id)
		questions = append(questions, questionOf(id, property))
	}
	return questions
}

func questionOf(id string, property *Object) Question {
	question := Question{ID: id, Instructions: text(property, "description")}
	criteria, _ := object(property, "criteria")
	switch {
	case hasType(property, "boolean"):
		question.Type = typeNoul
		question.Criteria = yesNo(optionalText(criteria, "true"), optionalText(criteria, "false"))
	case hasType(property, "string"):
		question.Type = typeChoice
		question.Criteria = NewObject(0)
		for _, option := range texts(property, "enum") {
			meaning, _ := criteria.Get(option)
			question.Criteria.Set(option, meaning)
		}
	default:
		question.Type = typeScore
		question.Levels = texts(property, "criteria")
	}
	return question
}

func yesNo(yes, no *string) *Object {
	criteria := NewObject(2)
	if yes != nil {
		criteria.Set("true", *yes)
	}
	if no != nil {
		criteria.Set("false", *no)
	}
	return criteria
}

// hasType tells whether a schema's type is, or has among others, the named one.
func hasType(schema *Object, name string) bool {
	return text(schema, "type") == name || slices.Contains(texts(schema, "type"), name)
}
