package faux

import (
	"encoding/base64"
	"strconv"
)

func (r *responsesWriter) reasoningItem(done bool) {
	r.str(`{"id":"rs_` + r.id + `","type":"reasoning","summary":[`)
	if done {
		r.str(`{"type":"summary_text","text":`)
		r.quote(r.reasoning)
		r.str(`}`)
	}
	r.str(`]`)
	if done && r.talk.encrypted {
		r.str(`,"encrypted_content":"`)
		r.buf = base64.StdEncoding.AppendEncode(r.buf, []byte("faux:"+r.reasoning))
		r.str(`"`)
	}
	r.str(`}`)
}

func (r *responsesWriter) messageItem(done bool) {
	r.str(`{"id":"msg_` + r.id + `","type":"message","status":"` + r.itemStatus(done, len(r.calls) == 0) + `","role":"assistant","content":[`)
	if done {
		r.contentPart(true)
	}
	r.str(`]}`)
}

func (r *responsesWriter) contentPart(done bool) {
	text, refusal := "", ""
	if done {
		text, refusal = r.text, r.refusal
	}
	if r.refusal != "" {
		r.str(`{"type":"refusal","refusal":`)
		r.quote(refusal)
	} else {
		r.str(`{"type":"output_text","annotations":[],"logprobs":[],"text":`)
		r.quote(text)
	}
	r.str(`}`)
}

func (r *responsesWriter) callItem(i int, done bool) {
	call := &r.calls[i]
	kind, field, args := "function_call", `,"arguments":`, ""
	if call.custom {
		kind, field = "custom_tool_call", `,"input":`
	}
	if done {
		args = call.args
	}
	r.str(`{"id":"` + callItemID(r.id, call, i) + `","type":"` + kind + `","status":"` + r.itemStatus(done, i == len(r.calls)-1) + `","call_id":`)
	r.quote(call.id)
	r.str(`,"name":`)
	r.quote(call.name)
	if call.namespace != "" {
		r.str(`,"namespace":`)
		r.quote(call.namespace)
	}
	r.str(field)
	r.quote(args)
	r.str(`}`)
}

func callItemID(id string, call *answerCall, i int) string {
	prefix := "fc_"
	if call.custom {
		prefix = "ctc_"
	}
	return prefix + id + "_" + strconv.Itoa(i)
}

// itemStatus: the last item of an answer that was cut short is incomplete.
func (r *responsesWriter) itemStatus(done, last bool) string {
	switch {
	case !done:
		return "in_progress"
	case last && r.status() == "incomplete":
		return "incomplete"
	}
	return "completed"
}
