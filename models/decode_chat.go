package models

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// chatExtras are what some servers want back beside the text and calls of an assistant's message: the reasoning that
// led to the calls, and what they attached to each call.
type chatExtras struct {
	reasoning string
	calls     []json.RawMessage
}

// chatDecoder makes an answer of a Chat Completions stream.
type chatDecoder struct {
	room      room
	onDelta   func(Delta)
	text      strings.Builder
	refusal   strings.Builder
	reasoning strings.Builder
	calls     []*chatCall
	// at is where the calls of each index the server named are in calls.
	at     map[int]int
	reason string
	usage  *chatUsage
	model  string
}

type chatCall struct {
	id, name string
	args     strings.Builder
	extra    json.RawMessage
}

type chatChunk struct {
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage"`
	Error   *fault       `json:"error"`
}

type chatChoice struct {
	Index int `json:"index"`
	Delta struct {
		Content          string         `json:"content"`
		Refusal          string         `json:"refusal"`
		ReasoningContent string         `json:"reasoning_content"`
		Reasoning        string         `json:"reasoning"`
		ToolCalls        []chatCallPart `json:"tool_calls"`
	} `json:"delta"`
	FinishReason string `json:"finish_reason"`
}

type chatCallPart struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	ExtraContent json.RawMessage `json:"extra_content"`
}

func (d *chatDecoder) take(e event) (bool, error) {
	if bytes.HasPrefix(e.data, []byte("[DONE]")) {
		return true, nil
	}
	var chunk chatChunk
	if err := decodeEvent(e, &chunk); err != nil {
		return false, err
	}
	if chunk.Error != nil {
		return false, chunk.Error
	}
	if chunk.Usage != nil {
		d.usage = chunk.Usage
	}
	if chunk.Model != "" {
		d.model = chunk.Model
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if err := d.takeChoice(choice); err != nil {
			return false, err
		}
	}
	return false, nil
}

func (d *chatDecoder) takeChoice(choice chatChoice) error {
	delta := choice.Delta
	thought := delta.ReasoningContent
	if thought == "" {
		thought = delta.Reasoning
	}
	if err := d.room.take(len(delta.Content) + len(delta.Refusal) + len(thought)); err != nil {
		return err
	}
	d.text.WriteString(delta.Content)
	d.refusal.WriteString(delta.Refusal)
	d.reasoning.WriteString(delta.ReasoningContent)
	if delta.Content != "" || thought != "" {
		d.onDelta(Delta{Text: delta.Content, Reasoning: thought})
	}
	for _, part := range delta.ToolCalls {
		if err := d.takeCall(part); err != nil {
			return err
		}
	}
	if choice.FinishReason != "" {
		d.reason = choice.FinishReason
	}
	return nil
}

// takeCall adds a piece of a call. Some servers give every call of a turn the same index: another id is another call.
func (d *chatDecoder) takeCall(part chatCallPart) error {
	const overhead = 128
	size := overhead + len(part.ID) + len(part.Function.Name) + len(part.Function.Arguments) + len(part.ExtraContent)
	if err := d.room.take(size); err != nil {
		return err
	}
	if d.at == nil {
		d.at = map[int]int{}
	}
	i, known := d.at[part.Index]
	if !known || (part.ID != "" && d.calls[i].id != "" && part.ID != d.calls[i].id) {
		i = len(d.calls)
		d.at[part.Index] = i
		d.calls = append(d.calls, &chatCall{})
	}
	call := d.calls[i]
	if part.ID != "" {
		call.id = part.ID
	}
	if call.name == "" {
		call.name = part.Function.Name
	}
	call.args.WriteString(part.Function.Arguments)
	if len(part.ExtraContent) > 0 {
		call.extra = slices.Clone(part.ExtraContent)
	}
	return nil
}

func (d *chatDecoder) answer() (Answer, error) {
	if d.reason == "" {
		return Answer{}, errIncomplete
	}
	answer := Answer{Text: d.text.String(), Refusal: d.refusal.String(), ServedModel: d.model}
	answer.Usage, answer.NoUsage = d.usage.neutral()
	extras := chatExtras{reasoning: d.reasoning.String()}
	for i, call := range d.calls {
		if call.name == "" {
			return Answer{}, fmt.Errorf("tool call %d has no name", i+1)
		}
		if call.id == "" {
			call.id = "call_" + rand.Text()
		}
		answer.Calls = append(answer.Calls, Call{ID: call.id, Name: call.name, Args: normalArgs(call.args.String())})
		extras.calls = append(extras.calls, call.extra)
	}
	if err := distinct(answer.Calls); err != nil {
		return Answer{}, err
	}
	if len(answer.Calls) > 0 && (extras.reasoning != "" || slices.ContainsFunc(extras.calls, notEmpty)) {
		var native body
		native.chatCalls(answer.Text, answer.Calls, extras)
		answer.Native = native.buf
	}
	return d.stop(answer)
}

func (d *chatDecoder) stop(answer Answer) (Answer, error) {
	switch {
	case d.reason == "content_filter":
		return Answer{}, &fault{Code: "content_filter", used: &answer}
	case d.reason == "length":
		answer.Stop = StopLength
	case len(answer.Calls) > 0:
		answer.Stop = StopToolCalls
	case answer.Refusal != "":
		answer.Stop = StopRefusal
	default:
		answer.Stop = StopEnd
	}
	return answer, nil
}

func notEmpty(data json.RawMessage) bool { return len(data) > 0 }
