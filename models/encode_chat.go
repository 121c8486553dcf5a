package models

import (
	"bytes"
	"net/url"
)

// openAIHost is OpenAI's own address. Servers that speak its protocols know less than it does.
const openAIHost = "api.openai.com"

// encodeChat writes the body of a Chat Completions request. What grows or changes between requests of one conversation
// comes last, so that each body begins with the one before it.
func encodeChat(r Request) []byte {
	b := body{buf: make([]byte, 0, sizeHint(r))}
	own := hostOf(r.BaseURL) == openAIHost
	b.open('{')
	b.field("model", r.Model.Name)
	b.boolField("stream", true)
	b.key("stream_options")
	b.open('{')
	b.boolField("include_usage", true)
	b.close('}')
	if effort := FitEffort(r.Model, r.Effort); effort != "" {
		b.field("reasoning_effort", effort)
	}
	if len(r.Output) > 0 {
		b.key("response_format")
		b.open('{')
		b.field("type", "json_schema")
		b.key("json_schema")
		b.open('{')
		b.field("name", outputName)
		b.boolField("strict", strictJSON.takes(r.Output))
		b.rawField("schema", r.Output)
		b.close('}')
		b.close('}')
	}
	if own && r.CacheKey != "" {
		b.field("prompt_cache_key", r.CacheKey)
	}
	if len(r.Tools) > 0 {
		b.key("tools")
		b.open('[')
		for _, tool := range r.Tools {
			b.chatTool(tool)
		}
		b.close(']')
	}
	b.key("messages")
	b.open('[')
	if r.Instructions != "" {
		b.chatText("system", r.Instructions)
	}
	for _, message := range r.Messages {
		b.chatMessage(message)
	}
	b.close(']')
	if limit := ceiling(r); limit > 0 {
		b.intField(ceilingName(r, own), limit)
	}
	b.close('}')
	return b.buf
}

// ceilingName is what the server calls an output ceiling: OpenAI's reasoning models refuse max_tokens, wherever they
// are served; other servers may know nothing else.
func ceilingName(r Request, own bool) string {
	if own || (r.Model.Provider == "openai" && r.Model.Reasoning) {
		return "max_completion_tokens"
	}
	return "max_tokens"
}

func (b *body) chatTool(tool Tool) {
	b.open('{')
	b.field("type", "function")
	b.key("function")
	b.open('{')
	b.field("name", tool.Name)
	b.field("description", tool.Description)
	b.rawField("parameters", tool.Schema)
	b.close('}')
	b.close('}')
}

func (b *body) chatText(role, text string) {
	b.open('{')
	b.field("role", role)
	b.field("content", text)
	b.close('}')
}

func (b *body) chatMessage(m Message) {
	switch m.Role {
	case RoleUser:
		b.chatText("user", m.Text)
	case RoleTool:
		b.open('{')
		b.field("role", "tool")
		b.field("tool_call_id", m.CallID)
		b.field("content", m.Text)
		b.close('}')
	case RoleAssistant:
		native := bytes.TrimSpace(m.Native)
		switch {
		case m.NativeAPI == APIChat && len(native) > 2 && native[0] == '{':
			b.raw(native)
		case len(m.Calls) > 0:
			b.chatCalls(m.Text, m.Calls, chatExtras{})
		case m.Text != "":
			b.chatText("assistant", m.Text)
		}
	}
}

// chatCalls writes an assistant's message that has calls.
func (b *body) chatCalls(text string, calls []Call, extras chatExtras) {
	b.open('{')
	b.field("role", "assistant")
	b.key("content")
	if text == "" {
		b.raw(nil)
	} else {
		b.str(text)
	}
	if extras.reasoning != "" {
		b.field("reasoning_content", extras.reasoning)
	}
	b.key("tool_calls")
	b.open('[')
	for i, call := range calls {
		b.open('{')
		b.field("id", call.ID)
		b.field("type", "function")
		b.key("function")
		b.open('{')
		b.field("name", call.Name)
		b.field("arguments", argumentText(call.Args))
		b.close('}')
		if i < len(extras.calls) && len(extras.calls[i]) > 0 {
			b.rawField("extra_content", extras.calls[i])
		}
		b.close('}')
	}
	b.close(']')
	b.close('}')
}

// hostOf is the host of an address, with its port where it names one.
func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Host
}
