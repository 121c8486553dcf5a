package models

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// defaultMaxTokens is the output ceiling of a Messages request whose model has none that is known: the protocol demands
// one, and every model takes this one.
const defaultMaxTokens = 4096

// encodeMessages writes the body of a Messages request. Its cache breakpoints are the end of the system prompt (the
// tools come before it) and the ends of the last two user turns: the earlier one is where the request before wrote its
// cache, however many blocks lie between.
func encodeMessages(r Request) []byte {
	b := body{buf: make([]byte, 0, sizeHint(r))}
	limit := ceiling(r)
	if limit == 0 {
		limit = max(r.Model.MaxOutput, defaultMaxTokens)
	}
	b.open('{')
	b.field("model", r.Model.Name)
	b.boolField("stream", true)
	b.messagesThinking(r, limit)
	system := systemText(r)
	if len(r.Tools) > 0 {
		b.key("tools")
		b.open('[')
		for i, tool := range r.Tools {
			b.open('{')
			b.field("name", tool.Name)
			b.field("description", tool.Description)
			b.rawField("input_schema", tool.Schema)
			b.breakpoint(system == "" && i == len(r.Tools)-1)
			b.close('}')
		}
		b.close(']')
	}
	if system != "" {
		b.key("system")
		b.open('[')
		b.messagesText(system, true)
		b.close(']')
	}
	b.messagesTurns(r.Messages)
	b.intField("max_tokens", limit)
	b.close('}')
	return b.buf
}

// messagesThinking writes how hard the model is to think and the format of its answer.
func (b *body) messagesThinking(r Request, limit int64) {
	effort := FitEffort(r.Model, r.Effort)
	config := ""
	switch {
	case r.Model.Reasoning && adaptive(r.Model) && r.Effort == "none":
		b.rawField("thinking", json.RawMessage(`{"type":"disabled"}`))
	case effort != "" && adaptive(r.Model):
		b.rawField("thinking", json.RawMessage(`{"type":"adaptive"}`))
		config = effort
	case effort != "" && r.Effort != "none":
		if budget := thinkingBudget(effort, limit); budget > 0 {
			b.key("thinking")
			b.open('{')
			b.field("type", "enabled")
			b.intField("budget_tokens", budget)
			b.close('}')
		}
	}
	format := len(r.Output) > 0 && Constrains(r.Model, r.Output)
	if config == "" && !format {
		return
	}
	b.key("output_config")
	b.open('{')
	if config != "" {
		b.field("effort", config)
	}
	if format {
		b.key("format")
		b.open('{')
		b.field("type", "json_schema")
		b.rawField("schema", r.Output)
		b.close('}')
	}
	b.close('}')
}

// Constrains tells whether a Messages model can be held to the JSON Schema of its answer by the provider itself. Where it
// cannot, the model is told with SchemaWords.
func Constrains(m run.Model, schema json.RawMessage) bool {
	for _, old := range []string{"claude-3", "claude-opus-4-2", "claude-sonnet-4-2"} {
		if strings.HasPrefix(m.Name, old) {
			return false
		}
	}
	return messagesJSON.takes(schema)
}

// systemText is the system prompt: the instructions, and the schema of the answer where the provider does not hold the
// model to it.
func systemText(r Request) string {
	if len(r.Output) == 0 || Constrains(r.Model, r.Output) {
		return r.Instructions
	}
	return strings.TrimSpace(r.Instructions + "\n\n" + SchemaWords(r.Output))
}

// SchemaWords asks for an answer that matches a JSON Schema, in words for the end of a system prompt.
func SchemaWords(schema json.RawMessage) string {
	return "Answer with one JSON value that matches this JSON Schema, and with nothing else:\n" + string(schema)
}

// messagesTurns writes the conversation. User messages and tool results that follow one another are one turn: all
// results of a turn's calls must be in the next user turn.
func (b *body) messagesTurns(messages []Message) {
	last, before := turnEnds(messages)
	b.key("messages")
	b.open('[')
	role := Role("")
	for i, m := range messages {
		speaker := m.Role
		if speaker == RoleTool {
			speaker = RoleUser
		}
		if speaker == RoleAssistant && silent(m) {
			continue
		}
		if speaker != role {
			if role != "" {
				b.close(']')
				b.close('}')
			}
			role = speaker
			b.open('{')
			b.field("role", string(role))
			b.key("content")
			b.open('[')
		}
		b.messagesBlocks(m, i == last || i == before)
	}
	if role != "" {
		b.close(']')
		b.close('}')
	}
	b.close(']')
}

// turnEnds are the indexes of the last user or tool message, and of the last one before the assistant spoke last; -1
// where there is none.
func turnEnds(messages []Message) (last, before int) {
	last, before = -1, -1
	spoke := false
	for i, m := range slices.Backward(messages) {
		switch {
		case m.Role == RoleAssistant:
			spoke = true
		case !spoke:
			last = max(last, i)
		default:
			return last, i
		}
	}
	return last, before
}

// silent tells whether a message says nothing that can be sent back.
func silent(m Message) bool {
	return m.Text == "" && len(m.Calls) == 0 && len(bytes.TrimSpace(m.Native)) <= len("[]")
}

func (b *body) messagesBlocks(m Message, mark bool) {
	switch m.Role {
	case RoleUser:
		b.messagesText(m.Text, mark)
	case RoleTool:
		b.open('{')
		b.field("type", "tool_result")
		b.field("tool_use_id", m.CallID)
		if strings.TrimSpace(m.Text) != "" {
			b.key("content")
			b.open('[')
			b.messagesText(m.Text, false)
			b.close(']')
		}
		if m.IsError {
			b.boolField("is_error", true)
		}
		b.breakpoint(mark)
		b.close('}')
	case RoleAssistant:
		if blocks := nativeItems(m, APIMessages); blocks != nil {
			b.raw(blocks)
			return
		}
		if strings.TrimSpace(m.Text) != "" || len(m.Calls) == 0 {
			b.messagesText(m.Text, false)
		}
		for _, call := range m.Calls {
			b.toolUse(call)
		}
	}
}

// messagesText writes a text block; the protocol refuses one without a visible character.
func (b *body) messagesText(text string, mark bool) {
	if strings.TrimSpace(text) == "" {
		text = "(empty)"
	}
	b.open('{')
	b.field("type", "text")
	b.field("text", text)
	b.breakpoint(mark)
	b.close('}')
}

func (b *body) toolUse(call Call) {
	b.open('{')
	b.field("type", "tool_use")
	b.field("id", call.ID)
	b.field("name", call.Name)
	b.key("input")
	switch args := bytes.TrimSpace(call.Args); {
	case len(args) == 0:
		b.raw(json.RawMessage("{}"))
	case args[0] == '{':
		b.raw(args)
	default:
		b.open('{')
		b.rawField("INVALID_JSON", args)
		b.close('}')
	}
	b.close('}')
}

func (b *body) breakpoint(mark bool) {
	if mark {
		b.rawField("cache_control", json.RawMessage(`{"type":"ephemeral"}`))
	}
}

// normalArgs are a call's arguments as Call.Args has them.
func normalArgs(text string) json.RawMessage {
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		return json.RawMessage("{}")
	case json.Valid([]byte(trimmed)):
		return json.RawMessage(trimmed)
	default:
		return appendString(nil, text)
	}
}
