package models

import "encoding/json"

// ReplayResponses writes a recorded answer as the event stream of a Responses request, from response.created to
// response.completed, or response.incomplete where the answer was cut.
func ReplayResponses(r Replay) []byte {
	told := responsesScript{Replay: r}
	told.say("response.created", func(b *body) {
		b.object("response", func() { r.response(b, "in_progress", nil) })
	})
	output := r.output()
	for i, item := range output {
		told.item(i, item)
	}
	status := r.status()
	told.say("response."+status, func(b *body) {
		b.object("response", func() { r.response(b, status, output) })
	})
	return told.buf
}

// ReplayResponsesWhole writes a recorded answer as the JSON of a Responses request that asked for no stream.
func ReplayResponsesWhole(r Replay) []byte {
	b := body{}
	b.open('{')
	r.response(&b, r.status(), r.output())
	b.close('}')
	return b.buf
}

func (r Replay) status() string {
	if r.Answer.Stop == StopLength {
		return "incomplete"
	}
	return "completed"
}

// response writes the fields of a response; one in progress has used nothing yet.
func (r Replay) response(b *body, status string, output []outItem) {
	b.field("id", "resp_"+r.ID)
	b.field("object", "response")
	b.intField("created_at", 0)
	b.field("status", status)
	b.null("error")
	if status == "incomplete" {
		b.rawField("incomplete_details", json.RawMessage(`{"reason":"max_output_tokens"}`))
	} else {
		b.null("incomplete_details")
	}
	b.field("model", r.model())
	b.key("output")
	b.open('[')
	for _, item := range output {
		b.raw(item.whole)
	}
	b.close(']')
	b.boolField("parallel_tool_calls", true)
	b.boolField("store", false)
	usage := r.Answer.Usage
	if r.Answer.NoUsage || status == "in_progress" {
		b.null("usage")
		return
	}
	b.object("usage", func() {
		b.intField("input_tokens", usage.InputTokens)
		b.object("input_tokens_details", func() {
			b.intField("cached_tokens", usage.CachedInputTokens)
			b.intField("cache_write_tokens", usage.CacheWriteTokens)
		})
		b.intField("output_tokens", usage.OutputTokens)
		b.object("output_tokens_details", func() { b.intField("reasoning_tokens", usage.ReasoningTokens) })
		b.intField("total_tokens", usage.InputTokens+usage.OutputTokens)
	})
}

// responsesScript writes a Responses stream, whose events are numbered.
type responsesScript struct {
	Replay
	script
	number int64
}

func (s *responsesScript) say(kind string, write func(b *body)) {
	s.event(kind, func(b *body) {
		b.intField("sequence_number", s.number)
		write(b)
	})
	s.number++
}

// item writes one output item: begun, its content for those who show it as it comes, and whole.
func (s *responsesScript) item(index int, item outItem) {
	put := func(raw json.RawMessage) func(b *body) {
		return func(b *body) {
			b.intField("output_index", int64(index))
			b.rawField("item", raw)
		}
	}
	s.say("response.output_item.added", put(item.begun))
	for i, part := range item.content {
		s.part(index, i, item.id, part)
	}
	if item.kind == "function_call" {
		s.piece("response.function_call_arguments", index, item.id, "arguments", item.arguments, nil)
	}
	s.say("response.output_item.done", put(item.whole))
}

// part writes one part of a message.
func (s *responsesScript) part(index, place int, id string, raw json.RawMessage) {
	var part struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	if json.Unmarshal(raw, &part) != nil {
		return
	}
	at := func(b *body) { b.intField("content_index", int64(place)) }
	put := func(value json.RawMessage) func(b *body) {
		return func(b *body) {
			position(b, index, id)
			at(b)
			b.rawField("part", value)
		}
	}
	begun := raw
	switch part.Type {
	case "output_text":
		begun = json.RawMessage(`{"type":"output_text","text":"","annotations":[]}`)
	case "refusal":
		begun = json.RawMessage(`{"type":"refusal","refusal":""}`)
	}
	s.say("response.content_part.added", put(begun))
	switch part.Type {
	case "output_text":
		s.piece("response.output_text", index, id, "text", part.Text, at)
	case "refusal":
		s.piece("response.refusal", index, id, "refusal", part.Refusal, at)
	}
	s.say("response.content_part.done", put(raw))
}

// piece writes a text as it grows, in one step, and as it is in the end.
func (s *responsesScript) piece(kind string, index int, id, field, text string, at func(b *body)) {
	write := func(field string) func(b *body) {
		return func(b *body) {
			position(b, index, id)
			if at != nil {
				at(b)
			}
			b.field(field, text)
		}
	}
	if text != "" {
		s.say(kind+".delta", write("delta"))
	}
	s.say(kind+".done", write(field))
}

// position says which item an event is of.
func position(b *body, index int, id string) {
	b.field("item_id", id)
	b.intField("output_index", int64(index))
}
