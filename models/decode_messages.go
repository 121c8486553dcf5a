package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// messagesDecoder makes an answer of a Messages stream.
type messagesDecoder struct {
	room    room
	onDelta func(Delta)
	started bool
	stopped bool
	model   string
	blocks  []*block
	usage   messagesUsage
	reason  string
	details struct {
		Explanation string `json:"explanation"`
	}
}

// block is one content block under way. start is the block as it began, for kinds that do not grow.
type block struct {
	kind, id, name  string
	start           json.RawMessage
	text, signature strings.Builder
	closed          bool
}

type messagesEvent struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message *struct {
		Model string        `json:"model"`
		Usage messagesUsage `json:"usage"`
	} `json:"message"`
	Block json.RawMessage `json:"content_block"`
	Delta struct {
		Type        string `json:"type"`
		Text        string `json:"text"`
		Thinking    string `json:"thinking"`
		Signature   string `json:"signature"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
		StopDetails *struct {
			Explanation string `json:"explanation"`
		} `json:"stop_details"`
	} `json:"delta"`
	Usage messagesUsage `json:"usage"`
}

// messagesKinds are the events that matter; what other events look like is not known.
var messagesKinds = []string{
	"", "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop",
}

func (d *messagesDecoder) take(e event) (bool, error) {
	if e.kind == "error" {
		return false, streamFault(e)
	}
	if !slices.Contains(messagesKinds, e.kind) {
		return false, e.check()
	}
	var got messagesEvent
	if err := decodeEvent(e, &got); err != nil {
		return false, err
	}
	if !d.started && strings.HasPrefix(got.Type, "content_block") {
		return false, errors.New("a block came before its message")
	}
	switch got.Type {
	case "message_start":
		if d.started || got.Message == nil {
			return false, errors.New("a message began twice, or without itself")
		}
		d.started, d.model = true, got.Message.Model
		d.usage.update(got.Message.Usage)
	case "content_block_start":
		return false, d.begin(got)
	case "content_block_delta":
		return false, d.grow(got)
	case "content_block_stop":
		current, err := d.open(got.Index)
		if err != nil {
			return false, err
		}
		current.closed = true
	case "message_delta":
		d.usage.update(got.Usage)
		if got.Delta.StopReason != "" {
			d.reason = got.Delta.StopReason
		}
		if got.Delta.StopDetails != nil {
			d.details.Explanation = got.Delta.StopDetails.Explanation
		}
	case "message_stop":
		d.stopped = true
		return true, nil
	case "error":
		return false, streamFault(e)
	}
	return false, nil
}

func (d *messagesDecoder) begin(got messagesEvent) error {
	if got.Index != len(d.blocks) {
		return fmt.Errorf("block %d began where block %d was due", got.Index, len(d.blocks))
	}
	var start struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Input     json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(got.Block, &start); err != nil {
		return fmt.Errorf("a block is not what the protocol says: %w", err)
	}
	if start.Type == "tool_use" && (start.ID == "" || start.Name == "") {
		return errors.New("a tool call has no id or no name")
	}
	const overhead = 64
	if err := d.room.take(overhead + len(got.Block)); err != nil {
		return err
	}
	current := &block{kind: start.Type, id: start.ID, name: start.Name, start: got.Block}
	current.text.WriteString(start.Text + start.Thinking)
	current.signature.WriteString(start.Signature)
	// Most servers begin with an empty input and send it in pieces; some send it whole at once.
	if len(start.Input) > len("{}") {
		current.text.Write(start.Input)
	}
	d.blocks = append(d.blocks, current)
	return nil
}

func (d *messagesDecoder) grow(got messagesEvent) error {
	current, err := d.open(got.Index)
	if err != nil {
		return err
	}
	delta := got.Delta
	size := len(delta.Text) + len(delta.Thinking) + len(delta.Signature) + len(delta.PartialJSON)
	if err := d.room.take(size); err != nil {
		return err
	}
	switch delta.Type {
	case "text_delta":
		current.text.WriteString(delta.Text)
		d.onDelta(Delta{Text: delta.Text})
	case "thinking_delta":
		current.text.WriteString(delta.Thinking)
		d.onDelta(Delta{Reasoning: delta.Thinking})
	case "signature_delta":
		current.signature.WriteString(delta.Signature)
	case "input_json_delta":
		current.text.WriteString(delta.PartialJSON)
	}
	return nil
}

func (d *messagesDecoder) open(index int) (*block, error) {
	if index < 0 || index >= len(d.blocks) || d.blocks[index].closed {
		return nil, fmt.Errorf("an event is for block %d, which is not open", index)
	}
	return d.blocks[index], nil
}

func (d *messagesDecoder) answer() (Answer, error) {
	if !d.stopped || !d.started || d.reason == "" {
		return Answer{}, errIncomplete
	}
	answer := Answer{ServedModel: d.model}
	answer.Usage, answer.NoUsage = d.usage.neutral()
	var said strings.Builder
	var native body
	native.open('[')
	for i, current := range d.blocks {
		if !current.closed {
			return Answer{}, fmt.Errorf("block %d was never closed", i)
		}
		switch current.kind {
		case "text":
			said.WriteString(current.text.String())
		case "tool_use":
			answer.Calls = append(answer.Calls,
				Call{ID: current.id, Name: current.name, Args: normalArgs(current.text.String())})
		}
		current.write(&native)
	}
	native.close(']')
	answer.Text = said.String()
	if len(native.buf) > len("[]") {
		answer.Native = native.buf
	}
	if err := distinct(answer.Calls); err != nil {
		return Answer{}, err
	}
	return d.stop(answer), nil
}

// write writes the block as it is sent back.
func (current *block) write(b *body) {
	text := current.text.String()
	switch current.kind {
	case "text":
		if strings.TrimSpace(text) != "" {
			b.messagesText(text, false)
		}
	case "thinking":
		b.open('{')
		b.field("type", "thinking")
		b.field("thinking", text)
		b.field("signature", current.signature.String())
		b.close('}')
	case "tool_use":
		b.toolUse(Call{ID: current.id, Name: current.name, Args: normalArgs(text)})
	default:
		b.raw(current.start)
	}
}

func (d *messagesDecoder) stop(answer Answer) Answer {
	switch d.reason {
	case "max_tokens", "model_context_window_exceeded":
		answer.Stop = StopLength
	case "refusal":
		answer.Stop = StopRefusal
		answer.Refusal = firstOf(answer.Text, d.details.Explanation, "The provider's safety system stopped the answer.")
	default:
		answer.Stop = StopEnd
		if len(answer.Calls) > 0 {
			answer.Stop = StopToolCalls
		}
	}
	return answer
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}
