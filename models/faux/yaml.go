package faux

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// yamlToJSON turns one YAML document into JSON.
func yamlToJSON(data []byte) (text []byte, err error) {
	// The YAML library indexes past the end on some malformed documents.
	defer func() {
		if cause := recover(); cause != nil {
			text, err = nil, fmt.Errorf("is not readable YAML: %v", cause)
		}
	}()
	if err := checkNesting(data); err != nil {
		return nil, err
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, fmt.Errorf("is not readable YAML: %w", err)
	}
	documents := 0
	for _, document := range file.Docs {
		if document.Body != nil {
			documents++
		}
	}
	if documents != 1 {
		return nil, fmt.Errorf("holds %d documents instead of one", documents)
	}
	var found refsVisitor
	for _, document := range file.Docs {
		if document.Body != nil {
			ast.Walk(&found, document.Body)
		}
	}
	if found {
		return nil, errors.New("holds an anchor, an alias or a merge key; write the value out")
	}
	var value any
	if err := yaml.UnmarshalWithOptions(data, &value, yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("is not readable YAML: %w", err)
	}
	return appendYAML(nil, value, 0)
}

// refsVisitor turns true at an anchor, an alias or a merge key: with them a short text can stand for a huge one.
type refsVisitor bool

// Visit looks at one node of a YAML document.
func (v *refsVisitor) Visit(node ast.Node) ast.Visitor {
	switch node.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.MergeKeyNode:
		*v = true
		return nil
	}
	return v
}

// checkNesting refuses a text whose nesting, taken generously, could exhaust the parser's stack: more brackets left open,
// or more list dashes on one line, than a script may nest.
func checkNesting(data []byte) error {
	open, dashes := 0, 0
	for i, c := range data {
		switch c {
		case '[', '{':
			open++
		case ']', '}':
			open = max(0, open-1)
		case '\n':
			dashes = 0
		case ' ':
			if i > 0 && (data[i-1] == '-' || data[i-1] == '?') {
				dashes++
			}
		}
		if open > 16*maxScriptDepth || dashes > 16*maxScriptDepth {
			return fmt.Errorf("nests deeper than %d levels", maxScriptDepth)
		}
	}
	return nil
}

// appendYAML writes a decoded YAML value as JSON.
func appendYAML(dst []byte, value any, depth int) ([]byte, error) {
	if depth > maxScriptDepth {
		return nil, fmt.Errorf("nests deeper than %d levels", maxScriptDepth)
	}
	var err error
	switch v := value.(type) {
	case yaml.MapSlice:
		dst = append(dst, '{')
		for i, item := range v {
			name, ok := item.Key.(string)
			if !ok {
				return nil, fmt.Errorf("has the name %v, which is not a text: put it in quotes", item.Key)
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, name), ':')
			if dst, err = appendYAML(dst, item.Value, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendYAML(dst, item, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case string:
		return appendString(dst, v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errors.New("holds a number that is not finite")
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("holds a value that JSON cannot: %w", err)
	}
	return append(dst, text...), nil
}
