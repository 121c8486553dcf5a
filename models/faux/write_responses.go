package faux

// responsesWriter writes an answer as OpenAI Responses.
type responsesWriter struct {
	*wire
	*answer
	sequence int64
	index    int64
}

func (r *responsesWriter) write() {
	if !r.talk.stream {
		r.response(r.status(), true)
		return
	}
	r.open("response.created")
	r.str(`,"response":`)
	r.response("in_progress", false)
	r.close()
	r.open("response.in_progress")
	r.str(`,"response":`)
	r.response("in_progress", false)
	r.close()
	if r.reasoning != "" {
		r.streamReasoning()
	}
	if r.hasMessage() {
		r.streamMessage()
	}
	for i := range r.calls {
		r.streamCall(i)
	}
	last := "response.completed"
	if r.status() == "incomplete" {
		last = "response.incomplete"
	}
	r.open(last)
	r.str(`,"response":`)
	r.response(r.status(), true)
	r.close()
}

// open begins an event.
func (r *responsesWriter) open(kind string) {
	r.event(kind)
	r.str(`{"type":"`)
	r.str(kind)
	r.str(`","sequence_number":`)
	r.num(r.sequence)
	r.sequence++
}

// openAt begins an event about a part of the item that is being written.
func (r *responsesWriter) openAt(kind, item, part string) {
	r.open(kind)
	r.str(`,"item_id":"`)
	r.str(item)
	r.str(`","output_index":`)
	r.num(r.index)
	r.str(part)
}

func (r *responsesWriter) close() {
	r.str("}")
	r.end()
}

// item writes the event that an item has been added or is done.
func (r *responsesWriter) item(kind string, write func(done bool), done bool) {
	r.open(kind)
	r.str(`,"output_index":`)
	r.num(r.index)
	r.str(`,"item":`)
	write(done)
	r.close()
}

func (r *responsesWriter) streamReasoning() {
	const part = `,"summary_index":0`
	id := "rs_" + r.id
	r.item("response.output_item.added", r.reasoningItem, false)
	r.openAt("response.reasoning_summary_part.added", id, part+`,"part":{"type":"summary_text","text":""}`)
	r.close()
	r.openAt("response.reasoning_summary_text.delta", id, part+`,"delta":`)
	r.quote(r.reasoning)
	r.close()
	r.openAt("response.reasoning_summary_text.done", id, part+`,"text":`)
	r.quote(r.reasoning)
	r.close()
	r.openAt("response.reasoning_summary_part.done", id, part+`,"part":{"type":"summary_text","text":`)
	r.quote(r.reasoning)
	r.str("}")
	r.close()
	r.item("response.output_item.done", r.reasoningItem, true)
	r.index++
}

func (r *responsesWriter) streamMessage() {
	const part = `,"content_index":0`
	id := "msg_" + r.id
	r.item("response.output_item.added", r.messageItem, false)
	r.openAt("response.content_part.added", id, part+`,"part":`)
	r.contentPart(false)
	r.close()
	delta, done, field := "response.output_text.delta", "response.output_text.done", `,"logprobs":[],"text":`
	extra := `,"logprobs":[]`
	if r.refusal != "" {
		delta, done, field, extra = "response.refusal.delta", "response.refusal.done", `,"refusal":`, ""
	}
	r.wire.pieces(r.answer.pieces, func(piece string) {
		r.openAt(delta, id, part+extra+`,"delta":`)
		r.quote(piece)
		r.close()
	})
	r.openAt(done, id, part+field)
	r.quote(r.text + r.refusal)
	r.close()
	r.openAt("response.content_part.done", id, part+`,"part":`)
	r.contentPart(true)
	r.close()
	r.item("response.output_item.done", r.messageItem, true)
	r.index++
}

func (r *responsesWriter) streamCall(i int) {
	call := &r.calls[i]
	id := callItemID(r.id, call, i)
	delta, done, field := "response.function_call_arguments.delta", "response.function_call_arguments.done", `,"arguments":`
	if call.custom {
		delta, done, field = "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done", `,"input":`
	}
	write := func(done bool) { r.callItem(i, done) }
	r.item("response.output_item.added", write, false)
	r.openAt(delta, id, `,"delta":`)
	r.quote(call.args)
	r.close()
	r.openAt(done, id, field)
	r.quote(call.args)
	r.close()
	r.item("response.output_item.done", write, true)
	r.index++
}
