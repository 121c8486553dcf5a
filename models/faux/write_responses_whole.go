package faux

// status is the status of the whole response.
func (r *responsesWriter) status() string {
	if r.stop == "length" || r.stop == "content_filter" {
		return "incomplete"
	}
	return "completed"
}

// response writes the response object; whole is false while it is in progress.
func (r *responsesWriter) response(status string, whole bool) {
	r.str(`{"id":"resp_` + r.id + `","object":"response","created_at":`)
	r.num(r.at)
	r.str(`,"status":"` + status + `","background":false,"error":`)
	if status == "failed" {
		r.str(`{"code":`)
		r.quote(r.failure().Code)
		r.str(`,"message":`)
		r.quote(r.failure().Message)
		r.str(`}`)
	} else {
		r.str(`null`)
	}
	r.str(`,"incomplete_details":`)
	switch {
	case status != "incomplete":
		r.str(`null`)
	case r.stop == "content_filter":
		r.str(`{"reason":"content_filter"}`)
	default:
		r.str(`{"reason":"max_output_tokens"}`)
	}
	r.str(`,"instructions":null,"max_output_tokens":`)
	if r.talk.outputLimit > 0 {
		r.num(r.talk.outputLimit)
	} else {
		r.str(`null`)
	}
	r.str(`,"model":`)
	r.quote(r.talk.model)
	r.str(`,"output":[`)
	if whole {
		r.output()
	}
	r.str(`],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":`)
	if r.talk.effort != "" {
		r.quote(r.talk.effort)
	} else {
		r.str(`null`)
	}
	r.str(`,"summary":null},"store":false,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1,"truncation":"disabled","usage":`)
	r.usageObject(whole)
	r.str(`,"user":null,"metadata":{}}`)
}

// output writes the items of the whole response.
func (r *responsesWriter) output() {
	first := len(r.buf)
	if r.reasoning != "" {
		r.reasoningItem(true)
	}
	if r.hasMessage() {
		r.comma(first)
		r.messageItem(true)
	}
	for i := range r.calls {
		r.comma(first)
		r.callItem(i, true)
	}
}

func (r *responsesWriter) usageObject(whole bool) {
	if !whole || r.usage == nil {
		r.str(`null`)
		return
	}
	r.str(`{"input_tokens":`)
	r.num(r.usage.Input)
	r.str(`,"input_tokens_details":{"cached_tokens":`)
	r.num(r.usage.Cached)
	r.str(`,"cache_write_tokens":`)
	r.num(r.usage.CacheWrite)
	r.str(`},"output_tokens":`)
	r.num(r.usage.Output)
	r.str(`,"output_tokens_details":{"reasoning_tokens":`)
	r.num(r.usage.Reasoning)
	r.str(`},"total_tokens":`)
	r.num(r.usage.Input + r.usage.Output)
	r.str(`}`)
}

// fail writes the event by which a stream says that it failed.
func (r *responsesWriter) fail() {
	r.open("response.failed")
	r.str(`,"response":`)
	r.response("failed", false)
	r.close()
}
