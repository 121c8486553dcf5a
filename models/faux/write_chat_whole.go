package faux

// call writes a call from its id on, with those arguments.
func (c *chatWriter) call(call *answerCall, args string) {
	c.str(`"id":`)
	c.quote(call.id)
	if call.custom {
		c.str(`,"type":"custom","custom":{"name":`)
		c.quote(call.name)
		c.str(`,"input":`)
	} else {
		c.str(`,"type":"function","function":{"name":`)
		c.quote(call.name)
		c.str(`,"arguments":`)
	}
	c.quote(args)
	c.str(`}}`)
}

func (c *chatWriter) whole() {
	c.head("chat.completion")
	c.str(`,"choices":[{"index":0,"message":{"role":"assistant","content":`)
	if c.text != "" || (c.refusal == "" && len(c.calls) == 0) {
		c.quote(c.text)
	} else {
		c.str(`null`)
	}
	c.str(`,"refusal":`)
	if c.refusal != "" {
		c.quote(c.refusal)
	} else {
		c.str(`null`)
	}
	c.str(`,"annotations":[]`)
	if c.reasoning != "" {
		c.str(`,"reasoning_content":`)
		c.quote(c.reasoning)
	}
	if len(c.calls) > 0 {
		c.str(`,"tool_calls":[`)
		first := len(c.buf)
		for i := range c.calls {
			c.comma(first)
			c.str(`{`)
			c.call(&c.calls[i], c.calls[i].args)
		}
		c.str(`]`)
	}
	c.str(`},"logprobs":null,"finish_reason":`)
	c.quote(c.finishReason())
	c.str(`}]`)
	if c.usage != nil {
		c.str(`,"usage":`)
		c.usageObject()
	}
	c.str(`}`)
}

func (c *chatWriter) finishReason() string {
	switch {
	case c.stop == "length" || c.stop == "content_filter":
		return c.stop
	case len(c.calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (c *chatWriter) usageObject() {
	c.str(`{"prompt_tokens":`)
	c.num(c.usage.Input)
	c.str(`,"completion_tokens":`)
	c.num(c.usage.Output)
	c.str(`,"total_tokens":`)
	c.num(c.usage.Input + c.usage.Output)
	c.str(`,"prompt_tokens_details":{"cached_tokens":`)
	c.num(c.usage.Cached)
	c.str(`,"cache_write_tokens":`)
	c.num(c.usage.CacheWrite)
	c.str(`},"completion_tokens_details":{"reasoning_tokens":`)
	c.num(c.usage.Reasoning)
	c.str(`}}`)
}
