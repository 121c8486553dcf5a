package dsl

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxMadeDepth is how deep a made value may be: a schema that refers to itself has no end.
const maxMadeDepth = 32

// maker makes values of schemas.
type maker struct{ definitions *Object }

func makerOf(definitions *Object) maker { return maker{definitions} }

// value is the plainest value of a schema: a constant, else the first of what is allowed, else the smallest.
func (m maker) value(schema *Object, depth int) any {
	if depth > maxMadeDepth {
		return nil
	}
	if found, ok := m.fixed(schema, depth); ok {
		return found
	}
	switch {
	case hasType(schema, "object") || schema.Has("properties"):
		return m.object(schema, depth)
	case hasType(schema, "array"):
		return m.list(schema, depth)
	case hasType(schema, "string"):
		return strings.Repeat("x", int(max(1, number(schema, "minLength", 1))))
	case hasType(schema, "integer"):
		return madeNumber(schema, 1)
	case hasType(schema, "number"):
		return madeNumber(schema, 0)
	case hasType(schema, "boolean"):
		return false
	default:
		return nil
	}
}

// fixed is the value of a schema that names one: a constant, an enumeration, a choice of schemas, a reference.
func (m maker) fixed(schema *Object, depth int) (any, bool) {
	if value, ok := schema.Get("const"); ok {
		return value, true
	}
	if values := list(schema, "enum"); len(values) > 0 {
		return values[0], true
	}
	if name, ok := strings.CutPrefix(text(schema, "$ref"), "#/definitions/"); ok {
		own, _ := object(schema, "definitions")
		target, found := object(own, name)
		if !found {
			target, _ = object(m.definitions, name)
		}
		return m.value(target, depth+1), true
	}
	for _, option := range list(schema, "anyOf") {
		if branch, ok := option.(*Object); ok && text(branch, "type") != "null" {
			return m.inner(schema).value(branch, depth+1), true
		}
	}
	for _, option := range list(schema, "oneOf") {
		if branch, ok := option.(*Object); ok {
			return m.inner(schema).value(branch, depth+1), true
		}
	}
	return nil, false
}

// inner is the maker inside of a schema, whose own definitions come first.
func (m maker) inner(schema *Object) maker {
	own, ok := object(schema, "definitions")
	if !ok {
		return m
	}
	return maker{merged(m.definitions, own)}
}

func (m maker) object(schema *Object, depth int) *Object {
	properties, _ := object(schema, "properties")
	made := NewObject(properties.Len())
	for key := range properties.All() {
		property, _ := object(properties, key)
		made.Set(key, m.inner(schema).value(property, depth+1))
	}
	return made
}

func (m maker) list(schema *Object, depth int) []any {
	items, ok := object(schema, "items")
	if !ok {
		return []any{}
	}
	made := make([]any, int(max(1, number(schema, "minItems", 1))))
	for i := range made {
		made[i] = m.inner(schema).value(items, depth+1)
	}
	return made
}

// madeNumber is the lowest number that a schema allows, or 0; step is 1 for whole numbers.
func madeNumber(schema *Object, step float64) float64 {
	lowest, hasLowest := limitOf(schema, "minimum")
	highest, hasHighest := limitOf(schema, "maximum")
	above, hasAbove := limitOf(schema, "exclusiveMinimum")
	below, hasBelow := limitOf(schema, "exclusiveMaximum")
	if hasAbove && (!hasLowest || above >= lowest) {
		lowest, hasLowest = above, true
	} else {
		hasAbove = false
	}
	if hasBelow && (!hasHighest || below <= highest) {
		highest, hasHighest = below, true
	} else {
		hasBelow = false
	}
	switch {
	case step > 0:
		return wholeBetween(lowest, hasLowest, hasAbove, highest, hasHighest, hasBelow)
	case hasLowest && hasHighest && (hasAbove || hasBelow):
		return (lowest + highest) / 2
	case hasLowest && hasAbove:
		return lowest + 1
	case hasLowest:
		return lowest
	case hasHighest && highest < 0 || hasBelow && highest <= 0:
		return highest - 1
	default:
		return 0
	}
}

func wholeBetween(lowest float64, hasLowest, above bool, highest float64, hasHighest, below bool) float64 {
	switch {
	case hasLowest && above:
		return math.Floor(lowest) + 1
	case hasLowest:
		return math.Ceil(lowest)
	case hasHighest && below:
		return min(0, math.Ceil(highest)-1)
	case hasHighest:
		return min(0, math.Floor(highest))
	default:
		return 0
	}
}

func limitOf(schema *Object, key string) (float64, bool) {
	value, _ := schema.Get(key)
	return finite(value)
}

// madeAnswer answers a question: neither yes nor no, the first option without confidence, the middle level.
func madeAnswer(question Question) *Object {
	switch question.Type {
	case typeNoul:
		return ObjectOf("type", typeNoul, "noul", 0.5)
	case typeChoice:
		options := question.Criteria.Keys()
		return ObjectOf("type", typeChoice, "choice", options[0], "probabilities", certain(options, 0), "confidence", 0.0)
	default:
		levels := make([]string, len(question.Levels))
		legend := NewObject(len(levels))
		for i, level := range question.Levels {
			levels[i] = strconv.Itoa(i)
			legend.Set(levels[i], level)
		}
		middle := len(levels) / 2
		return ObjectOf("type", typeScore, "score", float64(middle), "legend", legend,
			"probabilities", certain(levels, middle), "confidence", 0.0)
	}
}

func certain(names []string, which int) *Object {
	spread := NewObject(len(names))
	for i, name := range names {
		weight := 0.0
		if i == which {
			weight = 1
		}
		spread.Set(name, weight)
	}
	return spread
}

// unmakable says which keywords of a document's schemas, its children's included, no value is made for.
func unmakable(w *Workflow) []string {
	found := unmakableIn(w)
	for node := range nodes(w.Root) {
		if child, ok := node.(*Child); ok {
			found = append(found, unmakableIn(child.Workflow)...)
		}
	}
	return found
}

func unmakableIn(w *Workflow) []string {
	var found []string
	for id := range w.Schemas.All() {
		schema, _ := object(w.Schemas, id)
		found = append(found, unmakableSchema(id, schema, 0)...)
	}
	return found
}

func unmakableSchema(path string, schema *Object, depth int) []string {
	var found []string
	if depth > maxMadeDepth {
		return nil
	}
	for _, keyword := range []string{
		"pattern", "format", "not", "allOf", "if", "uniqueItems", "multipleOf", "propertyNames", "patternProperties",
	} {
		if schema.Has(keyword) {
			found = append(found, path+": "+keyword)
		}
	}
	for _, keyword := range []string{"exclusiveMinimum", "exclusiveMaximum"} {
		if at, ok := limitOf(schema, keyword); ok && math.Abs(at) >= 1<<53 {
			found = append(found, path+": "+keyword)
		}
	}
	for _, keyword := range []string{"properties", "definitions"} {
		below, _ := object(schema, keyword)
		for name := range below.All() {
			inner, _ := object(below, name)
			found = append(found, unmakableSchema(path+"/"+keyword+"/"+name, inner, depth+1)...)
		}
	}
	if items, ok := object(schema, "items"); ok {
		found = append(found, unmakableSchema(path+"/items", items, depth+1)...)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for i, option := range list(schema, keyword) {
			inner, _ := option.(*Object)
			found = append(found, unmakableSchema(fmt.Sprintf("%s/%s/%d", path, keyword, i), inner, depth+1)...)
		}
	}
	return found
}
