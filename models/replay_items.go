package models

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// outItem is an output item of a Responses answer as a program is given it: begun is how it looks when it begins, whole
// when it is done.
type outItem struct {
	kind, id     string
	begun, whole json.RawMessage
	// content are the parts of a message, arguments what a call is given.
	content   []json.RawMessage
	arguments string
}

// itemPrefixes are how the ids of the kinds of items begin.
var itemPrefixes = map[string]string{"message": "msg_", "function_call": "fc_", "reasoning": "rs_"}

// output are the answer's output items: as the provider wrote them, or made of the text and the calls. The record has
// no ids; those given here are the same each time.
func (r Replay) output() []outItem {
	items := r.recorded()
	if items == nil {
		items = r.madeItems()
	}
	output := make([]outItem, len(items))
	for i, raw := range items {
		output[i] = outputItemOf(raw, r.ID+"_"+strconv.Itoa(i))
	}
	return output
}

func outputItemOf(raw json.RawMessage, id string) outItem {
	fields := valueOf[map[string]json.RawMessage](raw)
	item := outItem{kind: valueOf[string](fields["type"])}
	prefix, known := itemPrefixes[item.kind]
	if !known {
		prefix = "item_"
	}
	item.id = prefix + id
	fields["id"] = appendString(nil, item.id)
	item.whole = ordered(fields)
	begun := json.RawMessage(`"in_progress"`)
	switch item.kind {
	case "message":
		item.content = valueOf[[]json.RawMessage](fields["content"])
		fields["content"], fields["status"] = json.RawMessage("[]"), begun
	case "function_call":
		item.arguments = valueOf[string](fields["arguments"])
		fields["arguments"], fields["status"] = json.RawMessage(`""`), begun
	}
	item.begun = ordered(fields)
	return item
}

// valueOf reads a JSON value; one of another type is the zero value.
func valueOf[T any](data json.RawMessage) T {
	var value, none T
	if json.Unmarshal(data, &value) != nil {
		return none
	}
	return value
}

// ordered writes an object with its fields in the order of their names.
func ordered(fields map[string]json.RawMessage) json.RawMessage {
	b := body{}
	b.open('{')
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		b.rawField(name, fields[name])
	}
	b.close('}')
	return b.buf
}

// madeItems are items for an answer whose own are not on record.
func (r Replay) madeItems() []json.RawMessage {
	b := body{}
	var items []json.RawMessage
	item := func(kind string, write func()) {
		b = body{}
		b.open('{')
		b.field("type", kind)
		b.field("status", r.status())
		write()
		b.close('}')
		items = append(items, b.buf)
	}
	part := func(kind, field, text string) {
		if text == "" {
			return
		}
		b.open('{')
		b.field("type", kind)
		b.field(field, text)
		if kind == "output_text" {
			b.items("annotations", nil)
		}
		b.close('}')
	}
	if r.Answer.Text != "" || r.Answer.Refusal != "" {
		item("message", func() {
			b.field("role", "assistant")
			b.key("content")
			b.open('[')
			part("output_text", "text", r.Answer.Text)
			part("refusal", "refusal", r.Answer.Refusal)
			b.close(']')
		})
	}
	for _, call := range r.Answer.Calls {
		item("function_call", func() {
			b.field("call_id", call.ID)
			b.field("name", call.Name)
			b.field("arguments", spokenArgs(call.Args))
		})
	}
	return items
}
