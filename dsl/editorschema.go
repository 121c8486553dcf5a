package dsl

import (
	"bytes"
	"encoding/json"
)

// EditorSchema is a JSON Schema (draft 2020-12) of a workflow document, as indented JSON text: with it an editor
// completes and explains the fields. It accepts every valid document; the rules between fields are Validate's alone.
func EditorSchema() []byte {
	var text bytes.Buffer
	// What is indented was made right here, so it is JSON.
	_ = json.Indent(&text, []byte(JSON(editorSchema())), "", "  ")
	text.WriteByte('\n')
	return text.Bytes()
}

func editorSchema() *Object {
	schema := ObjectOf("$schema", "https://json-schema.org/draft/2020-12/schema", "title", "Workflow document",
		"description", "A workflow document of version 2.", "$ref", "#/$defs/document")
	definitions := ObjectOf("document", closedSchema(DocumentFields()))
	definitions.Set("node", nodeSchema())
	definitions.Set("predicate", predicateSchema())
	for _, spec := range Kinds() {
		node := closedSchema(spec.Fields)
		node.Set("description", spec.Doc)
		properties, _ := object(node, "properties")
		properties.Set("node", ObjectOf("const", string(spec.Kind)))
		properties.Set("metadata", ObjectOf("type", "object", "description", "Notes of the author's own; never read."))
		definitions.Set("node-"+string(spec.Kind), node)
	}
	for _, spec := range Predicates() {
		predicate := closedSchema(spec.Fields)
		predicate.Set("description", spec.Doc)
		properties, _ := object(predicate, "properties")
		properties.Set("predicate", ObjectOf("const", spec.Name))
		definitions.Set("predicate-"+spec.Name, predicate)
	}
	schema.Set("$defs", definitions)
	return schema
}

// nodeSchema and predicateSchema look at the one field that names the kind, and then only at that kind's schema: so an
// editor's message is about the kind that the author meant.
func nodeSchema() *Object {
	names := make([]string, 0, len(Kinds()))
	for _, spec := range Kinds() {
		names = append(names, string(spec.Kind))
	}
	return chosenBy("node", "The kind of node.", names)
}

func predicateSchema() *Object {
	names := make([]string, 0, len(Predicates()))
	for _, spec := range Predicates() {
		names = append(names, spec.Name)
	}
	return chosenBy("predicate", "The condition.", names)
}

func chosenBy(key, doc string, names []string) *Object {
	values, choices := make([]any, len(names)), make([]any, len(names))
	for i, name := range names {
		values[i] = name
		choices[i] = ObjectOf(
			"if", ObjectOf("properties", ObjectOf(key, ObjectOf("const", name)), "required", []any{key}),
			"then", ObjectOf("$ref", "#/$defs/"+key+"-"+name))
	}
	return ObjectOf("type", "object", "required", []any{key},
		"properties", ObjectOf(key, ObjectOf("enum", values, "description", doc)), "allOf", choices)
}

func closedSchema(fields []Field) *Object {
	properties := NewObject(len(fields))
	needed := []any{}
	for i := range fields {
		properties.Set(fields[i].Name, fieldSchema(&fields[i]))
		if fields[i].Required {
			needed = append(needed, fields[i].Name)
		}
	}
	return ObjectOf("type", "object", "properties", properties, "required", needed, "additionalProperties", false)
}

func fieldSchema(field *Field) *Object {
	schema := typeSchema(field)
	schema.Set("description", field.Doc)
	for _, limit := range []struct {
		keyword string
		value   *float64
	}{
		{"minimum", field.Min},
		{"exclusiveMinimum", field.Above},
		{"maximum", field.Max},
		{"exclusiveMaximum", field.Below},
	} {
		if limit.value != nil {
			schema.Set(limit.keyword, *limit.value)
		}
	}
	if field.Ignored {
		schema.Set("deprecated", true)
	}
	return schema
}

func typeSchema(field *Field) *Object {
	switch field.Type {
	case TypeText:
		return textSchema(field)
	case TypeTexts:
		return ObjectOf("type", "array", "items", textSchema(field))
	case TypeTextOrAll:
		return ObjectOf("type", []any{"string", "array"}, "items", textSchema(field))
	case TypeNumber:
		return ObjectOf("type", "number")
	case TypeWhole:
		return ObjectOf("type", "integer")
	case TypeFlag:
		return ObjectOf("type", "boolean")
	case TypeScalars:
		return ObjectOf("type", "array", "minItems", 1.0, "items", ObjectOf("type", []any{"string", "number", "boolean"}))
	case TypeMap:
		return ObjectOf("type", "object")
	case TypePart:
		return closedSchema(field.Fields)
	case TypeBranches:
		return ObjectOf("type", "object", "minProperties", 2.0, "additionalProperties", closedSchema(field.Fields))
	case TypeAny:
		return NewObject(1)
	default:
		return referenceSchema(field.Type)
	}
}

func referenceSchema(kind FieldType) *Object {
	switch kind {
	case TypeNodes:
		return ObjectOf("type", "array", "minItems", 1.0, "items", ObjectOf("$ref", "#/$defs/node"))
	case TypeSchemas:
		return ObjectOf("type", "object", "additionalProperties", ObjectOf("type", "object"))
	default: // a node, a predicate, a document
		return ObjectOf("$ref", "#/$defs/"+string(kind))
	}
}

func textSchema(field *Field) *Object {
	schema := ObjectOf("type", "string")
	if field.Values != nil {
		values := make([]any, len(field.Values))
		for i, value := range field.Values {
			values[i] = value
		}
		schema.Set("enum", values)
	}
	return schema
}
