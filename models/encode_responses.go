package models

import (
	"bytes"
	"encoding/json"
)

// encodeResponses writes the body of a Responses request. What grows or changes between requests of one conversation
// comes last, so that each body begins with the one before it.
func encodeResponses(r Request) []byte {
	b := body{buf: make([]byte, 0, sizeHint(r))}
	b.open('{')
	b.field("model", r.Model.Name)
	b.boolField("stream", true)
	b.boolField("store", false)
	if r.Model.Reasoning {
		b.rawField("include", json.RawMessage(`["reasoning.encrypted_content"]`))
	}
	if effort := FitEffort(r.Model, r.Effort); effort != "" {
		b.key("reasoning")
		b.open('{')
		b.field("effort", effort)
		b.close('}')
	}
	if len(r.Output) > 0 {
		b.key("text")
		b.open('{')
		b.key("format")
		b.open('{')
		b.field("type", "json_schema")
		b.field("name", outputName)
		b.boolField("strict", strictJSON.takes(r.Output))
		b.rawField("schema", r.Output)
		b.close('}')
		b.close('}')
	}
	if r.CacheKey != "" {
		b.field("prompt_cache_key", r.CacheKey)
	}
	if r.Instructions != "" {
		b.field("instructions", r.Instructions)
	}
	if len(r.Tools) > 0 {
		b.key("tools")
		b.open('[')
		for _, tool := range r.Tools {
			b.responsesTool(tool)
		}
		b.close(']')
	}
	b.key("input")
	b.open('[')
	for _, message := range r.Messages {
		b.responsesItems(message)
	}
	b.close(']')
	if limit := ceiling(r); limit > 0 {
		b.intField("max_output_tokens", limit)
	}
	b.close('}')
	return b.buf
}

// responsesTool offers a tool. It is not strict: strict schemas have no optional arguments, ours do.
func (b *body) responsesTool(tool Tool) {
	b.open('{')
	b.field("type", "function")
	b.field("name", tool.Name)
	b.field("description", tool.Description)
	b.rawField("parameters", tool.Schema)
	b.boolField("strict", false)
	b.close('}')
}

func (b *body) responsesItems(m Message) {
	switch m.Role {
	case RoleUser:
		b.responsesText("user", "input_text", m.Text)
	case RoleTool:
		b.open('{')
		b.field("type", "function_call_output")
		b.field("call_id", m.CallID)
		b.field("output", m.Text)
		b.close('}')
	case RoleAssistant:
		if items := nativeItems(m, APIResponses); items != nil {
			b.raw(items)
			return
		}
		if m.Text != "" {
			b.responsesText("assistant", "output_text", m.Text)
		}
		for _, call := range m.Calls {
			b.open('{')
			b.field("type", "function_call")
			b.field("call_id", call.ID)
			b.field("name", call.Name)
			b.field("arguments", argumentText(call.Args))
			b.close('}')
		}
	}
}

func (b *body) responsesText(role, kind, text string) {
	b.open('{')
	b.field("type", "message")
	b.field("role", role)
	b.key("content")
	b.open('[')
	b.open('{')
	b.field("type", kind)
	b.field("text", text)
	b.close('}')
	b.close(']')
	b.close('}')
}

// nativeItems are the elements of a message's native array without its brackets, or nil where the message has none of
// this protocol.
func nativeItems(m Message, api string) json.RawMessage {
	if m.NativeAPI != api {
		return nil
	}
	items := bytes.TrimSpace(m.Native)
	if len(items) < 2 || items[0] != '[' || items[len(items)-1] != ']' {
		return nil
	}
	items = bytes.TrimSpace(items[1 : len(items)-1])
	if len(items) == 0 {
		return nil
	}
	return items
}

// argumentText is what a protocol that carries arguments as text is sent: for arguments that were no JSON, exactly what
// the model wrote.
func argumentText(args json.RawMessage) string {
	if len(args) == 0 {
		return "{}"
	}
	if args[0] == '"' {
		var text string
		if json.Unmarshal(args, &text) == nil {
			return text
		}
	}
	return string(args)
}

// sizeHint is about how large a request's body is (bytes), so that it is seldom moved while it is written.
func sizeHint(r Request) int {
	size := 1024 + len(r.Instructions) + len(r.Output)
	for _, tool := range r.Tools {
		size += 128 + len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	for _, m := range r.Messages {
		size += 128 + len(m.Text) + len(m.Text)/16 + len(m.Native)
		for _, call := range m.Calls {
			size += 128 + len(call.Args)
		}
	}
	return size
}
