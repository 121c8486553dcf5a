package dsl

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// problems lists the ends of a tree of errors.
func (s *Schemas) problems(err *jsonschema.ValidationError) []string {
	var found []string
	leaves(err, func(leaf *jsonschema.ValidationError) bool {
		found = append(found, s.schemaPath(leaf)+": "+problem(leaf.ErrorKind))
		return len(found) < maxProblems
	})
	return found
}

// leaves calls yield with every error that has no causes until it says to stop.
func leaves(err *jsonschema.ValidationError, yield func(*jsonschema.ValidationError) bool) bool {
	if len(err.Causes) == 0 {
		return yield(err)
	}
	for _, cause := range err.Causes {
		if !leaves(cause, yield) {
			return false
		}
	}
	return true
}

// schemaPath is where in the document's schemas a keyword stands.
func (s *Schemas) schemaPath(err *jsonschema.ValidationError) string {
	where, fragment, _ := strings.Cut(err.SchemaURL, "#")
	path := fragment
	var pathSb39 strings.Builder
	for _, token := range err.ErrorKind.KeywordPath() {
		pathSb39.WriteString("/" + pointerToken(token))
	}
	path += pathSb39.String()
	i, parseErr := strconv.Atoi(strings.TrimPrefix(where, schemaURLPrefix))
	if parseErr != nil || i >= len(s.ids) {
		return path
	}
	return "/schemas/" + pointerToken(s.ids[i]) + path
}

// problem says what a keyword asks for; what was given stays out of it, since values may be private.
func problem(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "must be " + strings.Join(k.Want, " or ")
	case *kind.Required:
		return "must have " + strings.Join(k.Missing, ", ")
	case *kind.Enum:
		return "must be one of the values allowed"
	case *kind.Const:
		return "must be the value allowed"
	case *kind.Format:
		return "must be of the format " + k.Want
	case *kind.Pattern:
		return "must match the pattern " + k.Want
	case *kind.AdditionalProperties, *kind.FalseSchema:
		return "must have no property or item beyond those declared"
	case *kind.PropertyNames:
		return "has a property name that is not allowed"
	case *kind.AdditionalItems:
		return "must have no more items"
	case *kind.UniqueItems:
		return "must have no item twice"
	default:
		return boundProblem(k)
	}
}

func boundProblem(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items", k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items", k.Want)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %d properties", k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %d properties", k.Want)
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.ExclusiveMinimum:
		return "must be more than " + k.Want.RatString()
	case *kind.ExclusiveMaximum:
		return "must be less than " + k.Want.RatString()
	case *kind.MultipleOf:
		return "must be a multiple of " + k.Want.RatString()
	default:
		return "does not meet this keyword"
	}
}
