package dsl

import (
	"fmt"
	"strings"
)

// Bounds of what a judge can answer.
const (
	minLevels = 2
	maxLevels = 10
)

const (
	formYesNo  = "yesno"
	formChoice = "choice"
	formScore  = "score"
	formOther  = "other"
)

// questionSet is what a question schema asks: the form of each question by its id.
type questionSet struct {
	ids    []string
	forms  map[string]string
	yesNo  bool
	faults []fault
}

type fault struct{ code, message string }

// questionsOf checks the question schema that a node's out names. It is nil where there is none.
func (c *checker) questionsOf(node *Object, at *place) *questionSet {
	schema := c.out(node, at)
	if schema == nil {
		return nil
	}
	id := text(node, "out")
	set, read := c.questions[id]
	if !read {
		set = readQuestions(schema)
		c.questions[id] = set
	}
	for _, fault := range set.faults {
		if len(c.issues) >= maxIssues {
			break
		}
		c.reportf(at, fault.code, "schema %q: %s", clip(id), fault.message)
	}
	return set
}

func readQuestions(schema *Object) *questionSet {
	set := &questionSet{forms: map[string]string{}}
	properties, _ := object(schema, "properties")
	if properties.Len() == 0 {
		set.fault("question_no_properties", "it has no properties")
	}
	for id, value := range properties.All() {
		property, _ := value.(*Object)
		set.ids = append(set.ids, id)
		form := set.read(id, property)
		set.forms[id] = form
		set.yesNo = set.yesNo || form == formYesNo
	}
	return set
}

func (s *questionSet) fault(code, format string, args ...any) {
	if len(s.faults) < maxIssues {
		s.faults = append(s.faults, fault{code, fmt.Sprintf(format, args...)})
	}
}

func (s *questionSet) read(id string, property *Object) string {
	kind := soleType(property)
	name := clip(id)
	if kind == "object" || property.Has("properties") {
		s.fault("question_not_flat", "%q is an object", name)
		return formOther
	}
	form := questionForm(kind, property)
	if form == formOther {
		s.fault("question_not_a_question", "%q is neither a yes/no question nor a choice nor a score", name)
		return form
	}
	if lacks(property, "description") {
		s.fault("question_no_description", "%q has no description", name)
	}
	switch form {
	case formChoice:
		s.choice(name, kind, property)
	case formScore:
		s.score(name, property)
	default:
		s.criteria(name, property, map[string]bool{"true": true, "false": true})
	}
	return form
}

func questionForm(kind string, property *Object) string {
	switch {
	case property.Has("enum"):
		return formChoice
	case kind == "boolean":
		return formYesNo
	case kind == "integer":
		return formScore
	default:
		return formOther
	}
}

// soleType is a property's type, null left aside; "" where it has none or several.
func soleType(property *Object) string {
	value, _ := property.Get("type")
	if one, ok := value.(string); ok {
		return one
	}
	var found []string
	kinds, _ := value.([]any)
	for _, kind := range kinds {
		if name, ok := kind.(string); ok && name != "null" {
			found = append(found, name)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return ""
}

func (s *questionSet) choice(name, kind string, property *Object) {
	options := list(property, "enum")
	known := map[string]bool{}
	texts := kind == "string"
	for _, option := range options {
		switch option := option.(type) {
		case string:
			known[option] = true
		case nil: // a nullable choice lists null as well
		default:
			texts = false
		}
	}
	if !texts || len(known) == 0 {
		s.fault("question_not_string_enum", "%q has an enum, but not type string and texts as options", name)
		return
	}
	if len(known) > maxOptions {
		s.fault("question_too_many_options", "%q has %d options", name, len(known))
	}
	s.criteria(name, property, known)
}

func (s *questionSet) criteria(name string, property *Object, options map[string]bool) {
	criteria, _ := object(property, "criteria")
	for option := range criteria.All() {
		if !options[option] {
			s.fault("question_criteria_unknown", "the criteria of %q explain %q, which is no answer to it", name, clip(option))
		}
	}
}

func (s *questionSet) score(name string, property *Object) {
	value, given := property.Get("criteria")
	levels, ok := value.([]any)
	if !given || !ok {
		s.fault("question_levels_missing", "%q has no list of levels in criteria", name)
		return
	}
	if len(levels) < minLevels || len(levels) > maxLevels || !allTexts(levels) {
		s.fault("question_levels_count", "%q has %d levels, or one that is no text", name, len(levels))
	}
	if minimum, given := property.Get("minimum"); given && minimum != 0.0 {
		s.fault("question_minimum", "the minimum of %q is %s", name, quoted(minimum))
	}
	if maximum, given := property.Get("maximum"); given && maximum != float64(len(levels)-1) {
		s.fault("question_maximum", "the maximum of %q is %s, its last level is %d", name, quoted(maximum), len(levels)-1)
	}
}

func allTexts(values []any) bool {
	for _, value := range values {
		if s, ok := value.(string); !ok || strings.TrimSpace(s) == "" {
			return false
		}
	}
	return true
}
