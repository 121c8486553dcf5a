package faux

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// maxScriptDepth bounds how deep a script may nest.
const maxScriptDepth = 64

// toJSON turns the text of a script, JSON or YAML, into JSON with its members in the order they were written. A name
// given twice, an anchor, an alias and a second document are refused.
func toJSON(data []byte) ([]byte, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("is not UTF-8")
	}
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '{' && json.Valid(trimmed) {
		return trimmed, checkNames(trimmed)
	}
	return yamlToJSON(data)
}

// checkNames refuses a member name given twice in one object.
func checkNames(text []byte) error {
	type object struct {
		names map[string]bool
		value bool // a value comes next
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	var open []*object // nil for an array
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if token == json.Delim('}') || token == json.Delim(']') {
			open = open[:len(open)-1]
			continue
		}
		if len(open) > 0 {
			if top := open[len(open)-1]; top != nil {
				if name, ok := token.(string); ok && !top.value {
					if top.names[name] {
						return fmt.Errorf("gives the name %q twice in one object", name)
					}
					top.names[name], top.value = true, true
					continue
				}
				top.value = false
			}
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &object{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, nil)
		}
		if len(open) > maxScriptDepth {
			return fmt.Errorf("nests deeper than %d levels", maxScriptDepth)
		}
	}
}
