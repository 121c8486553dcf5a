package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// maxConformIssues is how many issues the last pass reports.
const maxConformIssues = 8

// conform holds a whole document against the table of fields: the values that no rule of its own has looked at.
type conform struct {
	tables *tables
	issues []Issue
}

func checkConformity(t *tables, doc *Object) []Issue {
	c := &conform{tables: t}
	c.closed(doc, t.document, &place{step: "workflow"})
	return c.issues
}

func (c *conform) full() bool { return len(c.issues) >= maxConformIssues }

func (c *conform) reportf(at *place, format string, args ...any) {
	if !c.full() {
		c.issues = append(c.issues, Issue{
			Code: "schema_document", Path: at.String(), Label: at.label, Message: fmt.Sprintf(format, args...),
			Hint: c.tables.hints["schema_document"],
		})
	}
}

// closed checks an object that has these fields and no others.
func (c *conform) closed(o *Object, fields []Field, at *place, others ...string) {
	known := make([]string, 0, len(fields)+len(others))
	for i := range fields {
		known = append(known, fields[i].Name)
	}
	allowed := append(slices.Clone(known), others...)
	for _, key := range o.Keys() {
		if !slices.Contains(allowed, key) {
			c.reportf(at, "it has %q; it may have %s", clip(key), strings.Join(known, ", "))
		}
	}
	for i := range fields {
		if c.full() {
			return
		}
		value, given := o.Get(fields[i].Name)
		switch {
		case given:
			c.field(value, &fields[i], at.at("/"+fields[i].Name))
		case fields[i].Required:
			c.reportf(at, "it has no %s: %s", fields[i].Name, fields[i].Doc)
		}
	}
}

func (c *conform) field(value any, field *Field, at *place) {
	switch field.Type {
	case TypeText:
		c.text(value, field, at)
	case TypeTexts, TypeTextOrAll:
		c.texts(value, field, at)
	case TypeNumber, TypeWhole:
		c.number(value, field, at)
	case TypeFlag:
		if _, ok := value.(bool); !ok {
			c.reportf(at, "it must be true or false and is %s", article(value))
		}
	case TypePart:
		if part := c.object(value, at); part != nil {
			c.closed(part, field.Fields, at)
		}
	case TypePredicate:
		c.predicate(value, at)
	case TypeDocument:
		if doc := c.object(value, at); doc != nil {
			c.closed(doc, c.tables.document, at)
		}
	case TypeScalars:
		c.scalars(value, at)
	default:
		c.nodes(value, field, at)
	}
}

func (c *conform) nodes(value any, field *Field, at *place) {
	switch field.Type {
	case TypeNode:
		c.node(value, at)
	case TypeNodes:
		items, _ := value.([]any)
		for i, item := range items {
			if c.full() {
				return
			}
			c.node(item, at.at(fmt.Sprintf("/%d", i)))
		}
	case TypeBranches:
		branches := c.object(value, at)
		for name, item := range branches.All() {
			if c.full() {
				return
			}
			inner := at.at("/" + pointerToken(strings.TrimPrefix(named(name), ".")))
			if branch := c.object(item, inner); branch != nil {
				c.closed(branch, field.Fields, inner)
			}
		}
	default: // data, and what the first pass has seen
	}
}

func (c *conform) object(value any, at *place) *Object {
	o, ok := value.(*Object)
	if !ok {
		c.reportf(at, "it must be an object and is %s", article(value))
	}
	return o
}

func (c *conform) node(value any, at *place) {
	node := c.object(value, at)
	if node == nil {
		return
	}
	at.label = clip(text(node, "label"))
	c.closed(node, c.tables.kinds[Kind(text(node, "node"))].fields, at, "node", "metadata")
}

func (c *conform) predicate(value any, at *place) {
	p := c.object(value, at)
	if p == nil {
		return
	}
	spec := c.tables.predicates[text(p, "predicate")]
	c.closed(p, spec.Fields, at, "predicate")
}

func (c *conform) text(value any, field *Field, at *place) {
	s, ok := value.(string)
	switch {
	case !ok:
		c.reportf(at, "it must be a text and is %s", article(value))
	case field.Values != nil && !slices.Contains(field.Values, s):
		c.reportf(at, "it is %s, not one of %s", quoted(s), strings.Join(field.Values, ", "))
	}
}

func (c *conform) texts(value any, field *Field, at *place) {
	items, ok := value.([]any)
	if !ok {
		if _, one := value.(string); !one || field.Type != TypeTextOrAll {
			c.reportf(at, "it must be a list of texts and is %s", article(value))
		}
		return
	}
	for i, item := range items {
		if c.full() {
			return
		}
		c.text(item, field, at.at(fmt.Sprintf("/%d", i)))
	}
}

func (c *conform) number(value any, field *Field, at *place) {
	n, ok := value.(float64)
	if field.Type == TypeWhole && ok {
		_, ok = whole(value)
	}
	switch {
	case !ok:
		c.reportf(at, "it must be a %s and is %s", numberWord(field.Type), quoted(value))
	case field.Min != nil && n < *field.Min, field.Above != nil && n <= *field.Above,
		field.Max != nil && n > *field.Max, field.Below != nil && n >= *field.Below:
		c.reportf(at, "it is %s, which is out of bounds: %s", quoted(value), field.Doc)
	}
}

func numberWord(kind FieldType) string {
	if kind == TypeWhole {
		return "whole number"
	}
	return "number"
}

func (c *conform) scalars(value any, at *place) {
	items, ok := value.([]any)
	if !ok {
		c.reportf(at, "it must be a list and is %s", article(value))
	}
	for _, item := range items {
		switch item.(type) {
		case string, float64, bool:
		default:
			c.reportf(at, "it has %s; texts, numbers and booleans are allowed", article(item))
			return
		}
	}
}
