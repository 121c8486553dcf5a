package faux

import "encoding/base64"

// message writes the message object; whole is false at the start of a stream.
func (m *messagesWriter) message(whole bool) {
	m.str(`{"id":"msg_` + m.id + `","type":"message","role":"assistant","model":`)
	m.quote(m.talk.model)
	m.str(`,"content":[`)
	if whole {
		m.content()
	}
	m.str(`],`)
	output := int64(1)
	if whole {
		m.stops()
		if m.usage != nil {
			output = m.usage.Output
		}
	} else {
		m.str(`"stop_reason":null,"stop_sequence":null,"stop_details":null`)
	}
	if m.usage != nil {
		m.str(`,"usage":`)
		m.usageObject(output)
	}
	m.str(`}`)
}

func (m *messagesWriter) content() {
	first := len(m.buf)
	if m.reasoning != "" {
		m.str(`{"type":"thinking","thinking":`)
		m.quote(m.reasoning)
		m.str(`,"signature":`)
		m.quote(m.signature())
		m.str(`}`)
	}
	if m.hasBlock() {
		m.comma(first)
		m.str(`{"type":"text","text":`)
		m.quote(m.text)
		m.str(`}`)
	}
	for i := range m.calls {
		m.comma(first)
		m.toolUse(&m.calls[i], asJSON(m.calls[i].args))
	}
}

// asJSON is args where they are JSON, else a JSON string of them: a whole message has no room for anything else.
func asJSON(args string) string {
	if validJSON(args) {
		return args
	}
	return string(appendString(nil, args))
}

func (m *messagesWriter) signature() string {
	return base64.StdEncoding.EncodeToString([]byte("faux:" + m.reasoning))
}

func (m *messagesWriter) stops() {
	reason := "end_turn"
	switch {
	case m.stop == "length":
		reason = "max_tokens"
	case m.refusal != "" || m.stop == "content_filter":
		reason = "refusal"
	case len(m.calls) > 0:
		reason = "tool_use"
	}
	m.str(`"stop_reason":"` + reason + `","stop_sequence":null,"stop_details":`)
	if m.refusal == "" {
		m.str(`null`)
		return
	}
	m.str(`{"type":"refusal","category":null,"explanation":`)
	m.quote(m.refusal)
	m.str(`}`)
}

// usageObject writes the usage. This protocol counts the cached and the cache-written tokens beside the others.
func (m *messagesWriter) usageObject(output int64) {
	m.str(`{"input_tokens":`)
	m.num(max(0, m.usage.Input-m.usage.Cached-m.usage.CacheWrite))
	m.str(`,"cache_creation_input_tokens":`)
	m.num(m.usage.CacheWrite)
	m.str(`,"cache_read_input_tokens":`)
	m.num(m.usage.Cached)
	m.str(`,"output_tokens":`)
	m.num(output)
	m.str(`,"service_tier":"standard"}`)
}
