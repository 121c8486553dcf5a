package models

import (
	"encoding/json"
	"slices"
)

// outputName names the schema of structured output to providers that want a name.
const outputName = "answer"

// dialect is the part of JSON Schema that a provider's constrained decoding takes.
type dialect struct {
	keywords map[string]bool
	// allRequired: every property of an object must be required.
	allRequired bool
}

func keywords(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

var (
	// strictJSON is what OpenAI calls a strict schema.
	strictJSON = dialect{allRequired: true, keywords: keywords(
		"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref", "$defs",
		"title", "description", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"multipleOf", "minItems", "maxItems",
	)}
	// messagesJSON is what the Messages protocol's output format takes. References are left out: it takes no recursion.
	messagesJSON = dialect{keywords: keywords(
		"type", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "title", "description",
	)}
)

// ConstrainsResponses tells whether a Responses provider holds the model to the schema: whether it is a strict one.
func ConstrainsResponses(schema json.RawMessage) bool { return strictJSON.takes(schema) }

// takes tells whether the whole schema is within the dialect, with an object at its root.
func (d dialect) takes(schema json.RawMessage) bool {
	var root map[string]any
	if json.Unmarshal(schema, &root) != nil || root["type"] != "object" {
		return false
	}
	return d.takesNode(root)
}

func (d dialect) takesNode(node map[string]any) bool {
	for name, value := range node {
		if !d.keywords[name] {
			return false
		}
		switch name {
		case "properties", "$defs":
			children, ok := value.(map[string]any)
			if !ok || !d.takesEach(children) {
				return false
			}
		case "items":
			if !d.takesValue(value) {
				return false
			}
		case "anyOf":
			list, ok := value.([]any)
			if !ok || !d.takesList(list) {
				return false
			}
		}
	}
	return !isObject(node) || d.takesObject(node)
}

// takesObject checks what both dialects ask of objects: no properties but the named ones.
func (d dialect) takesObject(node map[string]any) bool {
	if node["additionalProperties"] != false {
		return false
	}
	properties, _ := node["properties"].(map[string]any)
	required, _ := node["required"].([]any)
	for name := range properties {
		if d.allRequired && !slices.Contains(required, any(name)) {
			return false
		}
	}
	return true
}

func (d dialect) takesEach(children map[string]any) bool {
	for _, child := range children {
		if !d.takesValue(child) {
			return false
		}
	}
	return true
}

func (d dialect) takesList(list []any) bool {
	for _, child := range list {
		if !d.takesValue(child) {
			return false
		}
	}
	return true
}

func (d dialect) takesValue(value any) bool {
	child, ok := value.(map[string]any)
	return ok && d.takesNode(child)
}

func isObject(node map[string]any) bool {
	if list, ok := node["type"].([]any); ok {
		return slices.Contains(list, any("object"))
	}
	return node["type"] == "object" || node["properties"] != nil
}
