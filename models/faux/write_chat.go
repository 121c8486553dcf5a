package faux

// chatWriter writes an answer as OpenAI Chat Completions.
type chatWriter struct {
	*wire
	*answer
}

func (c *chatWriter) write() {
	if !c.talk.stream {
		c.whole()
		return
	}
	c.chunk(func() { c.str(`{"role":"assistant","content":"","refusal":null}`) }, "")
	if c.reasoning != "" {
		c.delta(`{"reasoning_content":`, c.reasoning)
	}
	if c.text != "" {
		c.wire.pieces(c.answer.pieces, func(piece string) { c.delta(`{"content":`, piece) })
	}
	if c.refusal != "" {
		c.wire.pieces(c.answer.pieces, func(piece string) { c.delta(`{"refusal":`, piece) })
	}
	for i := range c.calls {
		c.streamCall(i)
	}
	c.chunk(func() { c.str(`{}`) }, c.finishReason())
	if c.talk.includeUsage && c.usage != nil {
		c.head("chat.completion.chunk")
		c.str(`,"choices":[],"usage":`)
		c.usageObject()
		c.str(`}`)
		c.end()
	}
	c.str("data: [DONE]")
	c.end()
}

// head begins a chunk, or the whole completion where the answer is not streamed.
func (c *chatWriter) head(object string) {
	if c.talk.stream {
		c.str(`data: `)
	}
	c.str(`{"id":"chatcmpl-` + c.id + `","object":"` + object + `","created":`)
	c.num(c.at)
	c.str(`,"model":`)
	c.quote(c.talk.model)
	c.str(`,"service_tier":"default","system_fingerprint":"fp_faux"`)
}

// chunk writes one chunk; finish is empty before the last.
func (c *chatWriter) chunk(delta func(), finish string) {
	c.head("chat.completion.chunk")
	c.str(`,"choices":[{"index":0,"delta":`)
	delta()
	c.str(`,"logprobs":null,"finish_reason":`)
	if finish == "" {
		c.str(`null`)
	} else {
		c.quote(finish)
	}
	c.str(`}]`)
	if c.talk.includeUsage {
		c.str(`,"usage":null`)
	}
	c.str(`}`)
	c.end()
}

func (c *chatWriter) delta(open, text string) {
	c.chunk(func() {
		c.str(open)
		c.quote(text)
		c.str(`}`)
	}, "")
}

func (c *chatWriter) streamCall(i int) {
	call := &c.calls[i]
	c.chunk(func() {
		c.str(`{"tool_calls":[{"index":`)
		c.num(int64(i))
		c.str(`,`)
		c.call(call, "")
		c.str(`]}`)
	}, "")
	field := `"function":{"arguments":`
	if call.custom {
		field = `"custom":{"input":`
	}
	c.chunk(func() {
		c.str(`{"tool_calls":[{"index":`)
		c.num(int64(i))
		c.str(`,` + field)
		c.quote(call.args)
		c.str(`}}]}`)
	}, "")
}

// fail writes the event by which a stream says that it failed.
func (c *chatWriter) fail() {
	c.str(`data: `)
	c.buf = appendError(c.buf, Chat, c.failure(), "", "")
	c.end()
}
