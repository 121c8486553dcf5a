package main

import (
	"strconv"
	"strings"

	"github.com/agentrun/agentrun/dsl"
)

// fields is a table of fields. Those of a part follow it by their whole path.
func (w *writer) fields(fields []dsl.Field) {
	w.linef("| field | holds | what it is for |\n| --- | --- | --- |")
	w.rows("", fields)
}

func (w *writer) rows(before string, fields []dsl.Field) {
	for i := range fields {
		field := &fields[i]
		if field.Ignored {
			w.linef("| `%s` | anything | %s |", before+field.Name, cell(field.Doc))
			continue
		}
		name := "`" + before + field.Name + "`"
		if field.Required {
			name = "**" + name + "**"
		}
		w.linef("| %s | %s | %s |", name, holds(field), cell(field.Doc))
		inner := before + field.Name + "."
		if field.Type == dsl.TypeBranches {
			inner += "NAME."
		}
		w.rows(inner, field.Fields)
	}
}

// holds says what a field may hold, its values and bounds included.
func holds(field *dsl.Field) string {
	text := map[dsl.FieldType]string{
		dsl.TypeText: "text", dsl.TypeTexts: "list of texts", dsl.TypeTextOrAll: "text, or list of texts",
		dsl.TypeNumber: "number", dsl.TypeWhole: "whole number", dsl.TypeFlag: "true or false", dsl.TypeAny: "anything",
		dsl.TypeScalars: "list of texts, numbers, booleans", dsl.TypeMap: "object", dsl.TypePart: "object",
		dsl.TypePredicate: "[condition](#reference-conditions)", dsl.TypeNode: "[node](#reference-nodes)",
		dsl.TypeNodes: "list of [nodes](#reference-nodes)", dsl.TypeBranches: "object of branches by name",
		dsl.TypeDocument: "[document](#reference-the-document)", dsl.TypeSchemas: "object of JSON Schemas by id",
	}[field.Type]
	if notes := limits(field); notes != "" {
		text += ", " + notes
	}
	return text
}

// limits are the values and bounds of a field.
func limits(field *dsl.Field) string {
	var notes []string
	if field.Values != nil {
		values := make([]string, len(field.Values))
		for i, value := range field.Values {
			values[i] = "`" + value + "`"
		}
		notes = append(notes, strings.Join(values, " "))
	}
	if field.Min != nil && field.Max != nil && *field.Min == *field.Max {
		return strings.Join(append(notes, "always "+number(*field.Min)), ", ")
	}
	for _, bound := range []struct {
		words string
		value *float64
	}{{"at least", field.Min}, {"above", field.Above}, {"at most", field.Max}, {"below", field.Below}} {
		if bound.value != nil {
			notes = append(notes, bound.words+" "+number(*bound.value))
		}
	}
	return strings.Join(notes, ", ")
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
