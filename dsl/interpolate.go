package dsl

import "strings"

// A placeholder is a path in braces: letters, digits, underscore, dot and dollar. Other braces are text.

// missingPath is a placeholder whose path the state does not have.
type missingPath struct{ path string }

func (m *missingPath) Error() string { return "the state has no value at " + m.path }

// interpolateObject fills the placeholders of an object's values; nil stays nil. Keys are never filled.
func interpolateObject(template, state *Object) (*Object, error) {
	if template == nil {
		return NewObject(0), nil
	}
	filled, err := interpolate(template, state)
	if err != nil {
		return nil, err
	}
	return filled.(*Object), nil //nolint:forcetypeassert // an object is filled to an object
}

// interpolate fills the placeholders of a template by value: a text that is one placeholder becomes the value with its
// type, others are replaced inside of the text.
func interpolate(template any, state *Object) (any, error) {
	switch t := template.(type) {
	case string:
		return interpolateText(t, state)
	case []any:
		filled := make([]any, len(t))
		for i, item := range t {
			value, err := interpolate(item, state)
			if err != nil {
				return nil, err
			}
			filled[i] = value
		}
		return filled, nil
	case *Object:
		filled := NewObject(t.Len())
		for key, item := range t.All() {
			value, err := interpolate(item, state)
			if err != nil {
				return nil, err
			}
			filled.Set(key, value)
		}
		return filled, nil
	default:
		return template, nil
	}
}

func interpolateText(template string, state *Object) (any, error) {
	if path, ok := wholePlaceholder(template); ok {
		value, found := resolve(state, path)
		if !found {
			return nil, &missingPath{path: path}
		}
		return value, nil
	}
	var missing error
	filled := fill(template, func(path string) string {
		value, found := resolve(state, path)
		if !found && missing == nil {
			missing = &missingPath{path: path}
		}
		return textOf(value)
	})
	if missing != nil {
		return nil, missing
	}
	return filled, nil
}

// render fills a template for people to read: what is missing or null says so, and nothing fails.
func render(template string, state *Object) string {
	return fill(template, func(path string) string {
		value, found := resolve(state, path)
		if !found || value == nil {
			return "(" + path + " unset)"
		}
		return textOf(value)
	})
}

// fill replaces each placeholder of a text.
func fill(template string, value func(path string) string) string {
	var out strings.Builder
	for {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			break
		}
		size := placeholderSize(template[open:])
		if size == 0 {
			out.WriteString(template[:open+1])
			template = template[open+1:]
			continue
		}
		out.WriteString(template[:open])
		out.WriteString(value(template[open+1 : open+size-1]))
		template = template[open+size:]
	}
	if out.Len() == 0 {
		return template
	}
	out.WriteString(template)
	return out.String()
}

// placeholderSize is the length of the placeholder that a text begins with; 0 where it begins with none.
func placeholderSize(text string) int {
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '}' && i > 1:
			return i + 1
		case !placeholderByte(c):
			return 0
		}
	}
	return 0
}

func placeholderByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$'
}

func wholePlaceholder(text string) (path string, ok bool) {
	if text == "" || text[0] != '{' || placeholderSize(text) != len(text) {
		return "", false
	}
	return text[1 : len(text)-1], true
}

// resolve reads a placeholder's path: as it is, or without a leading `state.`.
func resolve(state *Object, path string) (any, bool) {
	if value, ok := lookup(state, path); ok {
		return value, true
	}
	if rest, ok := strings.CutPrefix(path, "state."); ok {
		return lookup(state, rest)
	}
	return nil, false
}

func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return JSON(value)
}
