package dsl

import (
	"fmt"
	"regexp"
	"slices"
)

// value checks the value of a keyword that holds no schema, and says whether the keyword means something.
func (r *schemaReader) value(key string, item any, at *place) bool {
	switch key {
	case "type":
		r.types(item, at)
	case "enum":
		if _, ok := item.([]any); !ok {
			r.faulty(at, "a list", item)
		}
	case "const":
	case "required":
		r.names(item, at)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		if n, ok := item.(float64); !ok || key == "multipleOf" && n <= 0 {
			r.faulty(at, "a number, of multipleOf above 0,", item)
		}
	case "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties":
		if n, ok := whole(item); !ok || n < 0 {
			r.faulty(at, "a whole number from 0 on", item)
		}
	case "pattern":
		r.pattern(item, at)
	case "format":
		if _, ok := item.(string); !ok {
			r.faulty(at, "a text", item)
		}
	case "uniqueItems":
		if _, ok := item.(bool); !ok {
			r.faulty(at, "true or false", item)
		}
	case "dependentRequired":
		r.dependent(item, at)
	default:
		return false
	}
	return true
}

func (r *schemaReader) types(item any, at *place) {
	names := []any{item}
	if several, ok := item.([]any); ok && len(several) > 0 {
		names = several
	}
	seen := map[any]bool{}
	for _, name := range names {
		s, _ := name.(string)
		if seen[s] || !slices.Contains([]string{"null", "boolean", "object", "array", "number", "string", "integer"}, s) {
			r.faulty(at, "null, boolean, object, array, number, string, integer or a list of these without repetition", name)
			return
		}
		seen[s] = true
	}
}

// names checks a list of names without repetition.
func (r *schemaReader) names(item any, at *place) {
	items, ok := item.([]any)
	if !ok {
		r.faulty(at, "a list of names", item)
	}
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		name, ok := item.(string)
		if !ok || seen[name] {
			r.faulty(at, "a list of texts without repetition", item)
			return
		}
		seen[name] = true
	}
}

func (r *schemaReader) dependent(item any, at *place) {
	from, ok := item.(*Object)
	if !ok {
		r.faulty(at, "an object of lists of names", item)
	}
	for _, names := range from.All() {
		r.names(names, at)
	}
}

// maxPatternBytes bounds the work of compiling patterns: each costs more than its length.
const maxPatternBytes = 4096

func (r *schemaReader) pattern(item any, at *place) {
	source, ok := item.(string)
	if !ok {
		r.faulty(at, "a pattern", item)
		return
	}
	if len(source) > maxPatternBytes {
		r.report("schema_compile", fmt.Sprintf("%s is a pattern of more than %d bytes", at, maxPatternBytes))
		return
	}
	if _, err := regexp.Compile(source); err != nil {
		r.report("schema_compile", clip(fmt.Sprintf("%s is no pattern: %v", at, err)))
	}
}
