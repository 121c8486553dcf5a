package models

import (
	"encoding/json"
	"slices"
	"strings"
)

// ReplayMessages writes a recorded answer as the event stream of a Messages request, from message_start to message_stop.
// An answer whose usage is not known says zero.
func ReplayMessages(r Replay) []byte {
	told := messagesScript{Replay: r}
	told.event("message_start", func(b *body) {
		b.object("message", func() {
			r.messageHead(b)
			b.items("content", nil)
			b.null("stop_reason")
			b.null("stop_sequence")
			r.messagesUsage(b, 0)
		})
	})
	for i, block := range r.blocks() {
		told.block(i, block)
	}
	told.event("message_delta", func(b *body) {
		b.object("delta", func() { r.messageStop(b) })
		r.messagesUsage(b, r.Answer.Usage.OutputTokens)
	})
	told.event("message_stop", func(*body) {})
	return told.buf
}

// ReplayMessagesWhole writes a recorded answer as the JSON of a Messages request that asked for no stream.
func ReplayMessagesWhole(r Replay) []byte {
	b := body{}
	b.open('{')
	r.messageHead(&b)
	b.items("content", r.blocks())
	r.messageStop(&b)
	r.messagesUsage(&b, r.Answer.Usage.OutputTokens)
	b.close('}')
	return b.buf
}

// blocks are the answer's content blocks: as the provider wrote them, or made of the text and the calls.
func (r Replay) blocks() []json.RawMessage {
	if blocks := r.recorded(); blocks != nil {
		return blocks
	}
	var blocks []json.RawMessage
	add := func(write func(b *body)) {
		b := body{}
		write(&b)
		blocks = append(blocks, b.buf)
	}
	// A text that nobody can see would be refused when the program sends it back.
	if strings.TrimSpace(r.Answer.Text) != "" {
		add(func(b *body) { b.messagesText(r.Answer.Text, false) })
	}
	for _, call := range r.Answer.Calls {
		add(func(b *body) { b.toolUse(call) })
	}
	return blocks
}

func (r Replay) messageHead(b *body) {
	b.field("id", "msg_"+r.ID)
	b.field("type", "message")
	b.field("role", "assistant")
	b.field("model", r.model())
}

func (r Replay) messageStop(b *body) {
	reason := "end_turn"
	switch r.Answer.Stop {
	case StopToolCalls:
		reason = "tool_use"
	case StopLength:
		reason = "max_tokens"
	case StopRefusal:
		reason = "refusal"
	case StopEnd:
	}
	b.field("stop_reason", reason)
	b.null("stop_sequence")
	if r.Answer.Stop == StopRefusal {
		b.object("stop_details", func() {
			b.field("type", "refusal")
			b.null("category")
			b.field("explanation", r.Answer.Refusal)
		})
	}
}

// messagesUsage writes the usage as the protocol splits it: its input leaves the cache out.
func (r Replay) messagesUsage(b *body, output int64) {
	usage := r.Answer.Usage
	b.object("usage", func() {
		b.intField("input_tokens", max(0, usage.InputTokens-usage.CachedInputTokens-usage.CacheWriteTokens))
		b.intField("cache_creation_input_tokens", usage.CacheWriteTokens)
		b.intField("cache_read_input_tokens", usage.CachedInputTokens)
		b.intField("output_tokens", output)
		if output > 0 && usage.ReasoningTokens > 0 {
			b.object("output_tokens_details", func() { b.intField("thinking_tokens", usage.ReasoningTokens) })
		}
	})
}

// messagesScript writes a Messages stream.
type messagesScript struct {
	Replay
	script
}

// recordedBlock is what a block has that comes in pieces.
type recordedBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
}

// block writes one content block: begun empty, its content, its end. A block of another kind is whole when it begins.
func (s *messagesScript) block(index int, raw json.RawMessage) {
	var block recordedBlock
	if json.Unmarshal(raw, &block) != nil {
		block = recordedBlock{}
	}
	s.event("content_block_start", func(b *body) {
		b.intField("index", int64(index))
		switch block.Type {
		case "text":
			b.rawField("content_block", json.RawMessage(`{"type":"text","text":""}`))
		case "thinking":
			b.rawField("content_block", json.RawMessage(`{"type":"thinking","thinking":"","signature":""}`))
		case "tool_use":
			b.key("content_block")
			b.toolUse(Call{ID: block.ID, Name: block.Name})
		default:
			b.rawField("content_block", raw)
		}
	})
	switch block.Type {
	case "text":
		s.delta(index, "text_delta", "text", block.Text)
	case "thinking":
		s.delta(index, "thinking_delta", "thinking", block.Thinking)
		s.delta(index, "signature_delta", "signature", block.Signature)
	case "tool_use":
		s.delta(index, "input_json_delta", "partial_json", s.input(block))
	}
	s.event("content_block_stop", func(b *body) { b.intField("index", int64(index)) })
}

// delta writes a piece of a block; nothing is no piece.
func (s *messagesScript) delta(index int, kind, field, text string) {
	if text == "" {
		return
	}
	s.event("content_block_delta", func(b *body) {
		b.intField("index", int64(index))
		b.object("delta", func() {
			b.field("type", kind)
			b.field(field, text)
		})
	})
}

// input is a call's input as the model wrote it. The block has it as an object whatever it was; the call has it as it was.
func (s *messagesScript) input(block recordedBlock) string {
	i := slices.IndexFunc(s.Answer.Calls, func(call Call) bool { return call.ID == block.ID })
	if i < 0 {
		return string(block.Input)
	}
	return spokenArgs(s.Answer.Calls[i].Args)
}
