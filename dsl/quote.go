package dsl

import (
	"strconv"
	"strings"
)

// article says what a value is: "a text", "null".
func article(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a text"
	case []any:
		return "a list"
	case *Object:
		return "an object"
	default:
		return "no JSON value"
	}
}

// quoted shows a scalar, and says what anything else is.
func quoted(value any) string {
	switch v := value.(type) {
	case string:
		return strconv.Quote(clip(v))
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	default:
		return article(value)
	}
}

const maxNamed = 12

// named lists names for a message, the first dozen of them.
func listed(names []string) string {
	if len(names) == 0 {
		return "there are none"
	}
	shown := make([]string, 0, maxNamed)
	for _, name := range names[:min(maxNamed, len(names))] {
		shown = append(shown, clip(name))
	}
	if len(names) > maxNamed {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}
