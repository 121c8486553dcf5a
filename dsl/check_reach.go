package dsl

import (
	"iter"
	"slices"
	"strings"
)

// knowledge is which keys the state has when a node runs. It is lost after the first node that may write keys nobody
// can name in advance; from then on nothing is checked against it.
type knowledge struct {
	off   bool
	outer *knowledge
	keys  map[string]known
	// order are the keys as they came, for messages.
	order []string
}

// known is what is known of the value at a key: the schema it meets, nil where there is none.
type known struct {
	schema *Object
	// declared says that the value has the properties its schema declares and no others, even where the schema is open.
	declared bool
}

func newKnowledge() *knowledge { return &knowledge{keys: map[string]known{}} }

// branch is what one way of several knows: what it learns stays with it.
func (k *knowledge) branch() *knowledge {
	return &knowledge{off: k.off, outer: k, keys: map[string]known{}}
}

func (k *knowledge) lose() { k.off = true }

// sees tells whether keys are still known.
func (k *knowledge) sees() bool { return !k.off }

func (k *knowledge) add(key string, value known) {
	if k.off || key == "" {
		return
	}
	if _, there := k.keys[key]; !there {
		k.order = append(k.order, key)
	}
	k.keys[key] = value
}

func (k *knowledge) get(key string) (known, bool) {
	for at := k; at != nil; at = at.outer {
		if value, ok := at.keys[key]; ok {
			return value, true
		}
	}
	return known{}, false
}

// names are some of the keys, enough for a message.
func (k *knowledge) names() []string {
	var names []string
	for at := k; at != nil && len(names) <= maxNamed; at = at.outer {
		names = append(names, at.order[:min(len(at.order), maxNamed+1)]...)
	}
	return names
}

// knowInput starts the knowledge with the keys of the input.
func (c *checker) knowInput(keys []string) {
	given, _ := object(c.doc, "input")
	schema, _ := object(c.schemas, text(given, "schemaId"))
	properties, _ := object(schema, "properties")
	if !plainSchema(schema) {
		properties = nil
	}
	for _, key := range keys {
		property, _ := object(properties, key)
		c.know.add(key, known{schema: property})
	}
}

// reads checks a path that a node reads: its key exists by then, and the rest follows the schema of the value.
func (c *checker) reads(at *place, code, what, path string) {
	if !c.know.sees() {
		return
	}
	key, rest, _ := strings.Cut(path, ".")
	value, ok := c.know.get(key)
	if !ok {
		c.reportf(at, code, "%s reads %q, but nothing has written %q by then; there is %s%s", what, clip(path), clip(key),
			listed(c.know.names()), suggestion(key, c.know.names()))
		return
	}
	if segment, ok := value.excludes(rest); !ok {
		c.reportf(at, "typed_path_excluded", "%s reads %q, but the schema of %q has no %q", what, clip(path), clip(key), clip(segment))
	}
}

// readsCondition checks the path of a condition over the state.
func (c *checker) readsCondition(at *place, path string) {
	if !c.know.sees() {
		return
	}
	key, rest, _ := strings.Cut(path, ".")
	value, ok := c.know.get(key)
	if ok && value.declared {
		if segment, ok := value.excludes(rest); !ok {
			c.reportf(at, "predicate_path_not_produced", "the condition reads %q, but %q has no %q", clip(path), clip(key), clip(segment))
		}
		return
	}
	c.reads(at, "predicate_unreachable", "the condition", path)
}

// fills checks the placeholders in the texts of a map.
func (c *checker) fills(at *place, what string, values *Object) {
	if !c.know.sees() {
		return
	}
	for _, value := range values.All() {
		c.fillsValue(at, what, value)
	}
}

func (c *checker) fillsValue(at *place, what string, value any) {
	switch v := value.(type) {
	case string:
		for name := range placeholders(v) {
			c.fill(at, what, name)
		}
	case []any:
		for _, item := range v {
			c.fillsValue(at, what, item)
		}
	case *Object:
		c.fills(at, what, v)
	}
}

// fill checks one placeholder. `{state.x}` means x, unless there is a key named state: then it may mean either.
func (c *checker) fill(at *place, what, name string) {
	if inner, ok := strings.CutPrefix(name, "state."); ok {
		if _, there := c.know.get("state"); there {
			return
		}
		name = inner
	}
	c.reads(at, "interpolation_unreachable", what, name)
}

// excludes looks for a segment of a path that the value cannot have. What follows an open or a composed schema may be
// anything.
func (k known) excludes(path string) (segment string, ok bool) {
	schema := k.schema
	for path != "" && plainSchema(schema) {
		var step string
		step, path, _ = strings.Cut(path, ".")
		properties, has := object(schema, "properties")
		switch {
		case properties.Has(step):
			schema, _ = object(properties, step)
		case digits(step) && schema.Has("items"):
			schema, _ = object(schema, "items")
		case closed(schema) || k.declared && has:
			return step, false
		default:
			return "", true
		}
	}
	return "", true
}

// plainSchema tells whether a schema says by itself which properties there are.
func plainSchema(schema *Object) bool {
	if schema == nil {
		return false
	}
	return !slices.ContainsFunc([]string{"$ref", "anyOf", "oneOf", "allOf", "if", "prefixItems"}, schema.Has)
}

func closed(schema *Object) bool {
	additional, _ := schema.Get("additionalProperties")
	return additional == false && !schema.Has("patternProperties")
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// placeholders yields the paths in braces of a text.
func placeholders(template string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for {
			open := strings.IndexByte(template, '{')
			if open < 0 {
				return
			}
			template = template[open:]
			size := placeholderSize(template)
			if size > 0 && !yield(template[1:size-1]) {
				return
			}
			template = template[max(size, 1):]
		}
	}
}
