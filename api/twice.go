package api

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/tidwall/gjson"

	"github.com/agentrun/agentrun/run"
)

// twice begins the message of a body that gives a field twice; the field's name follows.
const twice = "a field is given twice: "

// jsonFormat is the library's, but that a body must not give a field twice: which of them counts is anybody's guess. What
// is kept as it came, a definition or a document, is read strictly where it is read.
func jsonFormat() huma.Format {
	format := huma.DefaultJSONFormat
	unmarshal := format.Unmarshal
	format.Unmarshal = func(data []byte, v any) error {
		if !utf8.Valid(data) { // or it would be kept as other text than was sent
			return errors.New("it is not UTF-8")
		}
		if err := unmarshal(data, v); err != nil {
			return err
		}
		if _, first := v.(*any); first { // a body is read once as it is, and then as what it is to be
			return givenTwice(data)
		}
		return nil
	}
	return format
}

// twiceDepth is how deep the routes' own objects lie.
const twiceDepth = 4

func givenTwice(data []byte) error {
	if path, found := repeated(gjson.ParseBytes(data), twiceDepth); found {
		return errors.New(twice + path)
	}
	return nil
}

// repeated is the path of the first field that is given twice.
func repeated(value gjson.Result, depth int) (path string, found bool) {
	if depth == 0 || !value.IsObject() {
		return "", false
	}
	seen := map[string]bool{}
	value.ForEach(func(name, inner gjson.Result) bool {
		switch {
		case seen[name.Str]:
			path, found = name.Str, true
		case name.Str == "definition" || name.Str == "workflow":
		default:
			if path, found = repeated(inner, depth-1); found {
				path = name.Str + "." + path
			}
		}
		seen[name.Str] = true
		return !found
	})
	return path, found
}

// twiceProblem is the problem of a body that gives a field twice, nil for any other message.
func twiceProblem(message string) *Problem {
	name, is := strings.CutPrefix(message, twice)
	if !is {
		return nil
	}
	return invalid([]run.Issue{{Path: shortened(name), Code: "duplicate_field", Message: "is given twice"}})
}
