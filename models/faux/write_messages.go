package faux

// messagesWriter writes an answer as Anthropic Messages.
type messagesWriter struct {
	*wire
	*answer
	index int64
}

func (m *messagesWriter) write() {
	if !m.talk.stream {
		m.message(true)
		return
	}
	m.event("message_start")
	m.str(`{"type":"message_start","message":`)
	m.message(false)
	m.str(`}`)
	m.end()
	m.event("ping")
	m.str(`{"type":"ping"}`)
	m.end()
	if m.reasoning != "" {
		m.start(func() { m.str(`{"type":"thinking","thinking":"","signature":""}`) })
		m.delta(`{"type":"thinking_delta","thinking":`, m.reasoning)
		m.delta(`{"type":"signature_delta","signature":`, m.signature())
		m.blockStop()
	}
	if m.hasBlock() {
		m.start(func() { m.str(`{"type":"text","text":""}`) })
		m.wire.pieces(m.answer.pieces, func(piece string) { m.delta(`{"type":"text_delta","text":`, piece) })
		m.blockStop()
	}
	for i := range m.calls {
		m.start(func() { m.toolUse(&m.calls[i], `{}`) })
		m.delta(`{"type":"input_json_delta","partial_json":`, m.calls[i].args)
		m.blockStop()
	}
	m.event("message_delta")
	m.str(`{"type":"message_delta","delta":{`)
	m.stops()
	m.str(`}`)
	if m.usage != nil {
		m.str(`,"usage":`)
		m.usageObject(m.usage.Output)
	}
	m.str(`}`)
	m.end()
	m.event("message_stop")
	m.str(`{"type":"message_stop"}`)
	m.end()
}

// hasBlock: the answer has a text block; a refusal's words go into its stop details instead.
func (m *messagesWriter) hasBlock() bool { return m.hasMessage() && m.refusal == "" }

func (m *messagesWriter) start(block func()) {
	m.event("content_block_start")
	m.str(`{"type":"content_block_start","index":`)
	m.num(m.index)
	m.str(`,"content_block":`)
	block()
	m.str(`}`)
	m.end()
}

func (m *messagesWriter) delta(open, text string) {
	m.event("content_block_delta")
	m.str(`{"type":"content_block_delta","index":`)
	m.num(m.index)
	m.str(`,"delta":`)
	m.str(open)
	m.quote(text)
	m.str(`}}`)
	m.end()
}

func (m *messagesWriter) blockStop() {
	m.event("content_block_stop")
	m.str(`{"type":"content_block_stop","index":`)
	m.num(m.index)
	m.str(`}`)
	m.end()
	m.index++
}

func (m *messagesWriter) toolUse(call *answerCall, input string) {
	m.str(`{"type":"tool_use","id":`)
	m.quote(call.id)
	m.str(`,"name":`)
	m.quote(call.name)
	m.str(`,"input":`)
	m.str(input)
	m.str(`}`)
}

// fail writes the event by which a stream says that it failed.
func (m *messagesWriter) fail() {
	m.event("error")
	m.buf = appendError(m.buf, Messages, m.failure(), "", "req_"+m.id)
	m.end()
}
