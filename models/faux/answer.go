package faux

import (
	"encoding/json"
	"strconv"
)

// bytesPerToken is how many bytes of text count as one token where a script does not say what a request used.
const bytesPerToken = 4

// answer is what a reply says to one request, whatever the protocol.
type answer struct {
	// id is the stem of the answer's ids; no two answers of a gateway share it.
	id   string
	at   int64 // Unix seconds
	talk *conversation

	reasoning, text, refusal string
	calls                    []answerCall
	// pieces are what text, or refusal, is streamed in.
	pieces []string
	stop   string
	usage  *Usage
	failed *ErrorBody
}

// answerCall is a tool call of an answer. The arguments of a custom tool are a plain text.
type answerCall struct {
	id, name, args, namespace string
	custom                    bool
}

// makeAnswer fills in a reply for a request.
func makeAnswer(from *reply, fill *filling, id string, at int64, fallback *Usage, unlimited bool) *answer {
	made := &answer{
		id: id, at: at, talk: fill.talk,
		reasoning: from.reasoning.fill(fill),
		text:      from.text.fill(fill),
		refusal:   from.refusal.fill(fill),
		stop:      from.Stop,
		failed:    from.Error,
	}
	if from.Output != nil {
		made.text = from.output.fill(fill)
	}
	if fill.talk.protocol == Messages && !fill.talk.thinking {
		made.reasoning = "" // thinking blocks go to clients alone that ask for them
	}
	for i, one := range from.calls {
		made.calls = append(made.calls, makeCall(one, fill, id, i))
	}
	switch {
	case from.NoUsage:
	case from.Usage != nil:
		made.usage = from.Usage
	case fallback != nil:
		made.usage = fallback
	default:
		if !unlimited && from.Stop == "" {
			made.truncate(fill.talk.outputLimit)
		}
		made.count()
	}
	if made.refusal != "" {
		made.pieces = pieces(made.refusal, from.Chunks)
	} else {
		made.pieces = pieces(made.text, from.Chunks)
	}
	return made
}

func makeCall(from call, fill *filling, id string, index int) answerCall {
	tool := fill.talk.tool(from.name)
	made := answerCall{
		id: from.id, name: tool.name, namespace: tool.namespace, custom: tool.custom,
		args: from.args.fill(fill),
	}
	if made.id == "" {
		made.id = callPrefix(fill.talk.protocol) + id + "_" + strconv.Itoa(index)
	}
	if made.custom && !from.raw {
		made.args = customInput(made.args)
	}
	return made
}

// customInput is the text of a custom tool's arguments: the text itself where they are a JSON string.
func customInput(args string) string {
	var text string
	if json.Unmarshal([]byte(args), &text) == nil {
		return text
	}
	return args
}

func callPrefix(protocol Protocol) string {
	if protocol == Messages {
		return "toolu_"
	}
	return "call_"
}

// count sets the usage to one token for every bytesPerToken bytes, the request's body taken as its input.
func (a *answer) count() {
	a.usage = &Usage{
		Input:     tokens(len(a.talk.body)),
		Output:    tokens(a.bytes()),
		Reasoning: tokens(len(a.reasoning)),
	}
}

func tokens(bytes int) int64 { return int64((bytes + bytesPerToken - 1) / bytesPerToken) }

func (a *answer) bytes() int {
	n := len(a.reasoning) + len(a.text) + len(a.refusal)
	for _, call := range a.calls {
		n += len(call.name) + len(call.args)
	}
	return n
}

// truncate cuts the answer where a model would have to stop at limit tokens (0: none): within its reasoning, its text or
// the arguments of a call.
func (a *answer) truncate(limit int64) {
	const most = 1 << 40 / bytesPerToken
	if limit <= 0 || limit > most || tokens(a.bytes()) <= limit {
		return
	}
	left := int(limit * bytesPerToken)
	cut := func(s string) string {
		kept := head(s, left)
		left -= len(kept)
		if len(kept) < len(s) {
			left = 0
		}
		return kept
	}
	a.stop = "length"
	a.reasoning = cut(a.reasoning)
	a.text = cut(a.text)
	a.refusal = cut(a.refusal)
	for i := range a.calls {
		if left <= len(a.calls[i].name) {
			a.calls = a.calls[:i]
			return
		}
		left -= len(a.calls[i].name)
		a.calls[i].args = cut(a.calls[i].args)
	}
}
