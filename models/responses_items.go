package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// itemReader reads the output items of a Responses answer: what they say, and how they are sent back.
type itemReader struct {
	answer *Answer
	native body
	// thoughts are reasoning items that nothing followed yet; they are sent back only before what they led to.
	thoughts []json.RawMessage
	// texts are the messages; finals those the model marked as its final answer, where it marks any.
	texts, finals []string
}

type outputItem struct {
	Type      string `json:"type"`
	Encrypted string `json:"encrypted_content"`
}

type callItem struct {
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type messageItem struct {
	Phase   string `json:"phase"`
	Content []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

func (r *itemReader) item(raw json.RawMessage) error {
	var item outputItem
	if err := json.Unmarshal(raw, &item); err != nil {
		return fmt.Errorf("an output item is not what the protocol says: %w", err)
	}
	var err error
	switch item.Type {
	case "message":
		err = r.message(raw)
	case "function_call":
		err = r.call(raw)
	case "reasoning":
		if item.Encrypted == "" {
			return nil
		}
	}
	if err != nil {
		return err
	}
	return r.keep(item, raw)
}

func (r *itemReader) call(raw json.RawMessage) error {
	var call callItem
	if err := json.Unmarshal(raw, &call); err != nil {
		return fmt.Errorf("a tool call is not what the protocol says: %w", err)
	}
	if call.CallID == "" || call.Name == "" {
		return errors.New("a tool call has no id or no name")
	}
	r.answer.Calls = append(r.answer.Calls, Call{ID: call.CallID, Name: call.Name, Args: normalArgs(call.Arguments)})
	return nil
}

func (r *itemReader) message(raw json.RawMessage) error {
	var message messageItem
	if err := json.Unmarshal(raw, &message); err != nil {
		return fmt.Errorf("a message is not what the protocol says: %w", err)
	}
	var text strings.Builder
	for _, part := range message.Content {
		text.WriteString(part.Text)
		r.answer.Refusal += part.Refusal
	}
	if text.Len() == 0 {
		return nil
	}
	r.texts = append(r.texts, text.String())
	if message.Phase == "final_answer" {
		r.finals = append(r.finals, text.String())
	}
	return nil
}

// keep adds an item to what is sent back, without its id: with store false the provider keeps no items, and looks for
// one whose id it is given. Reasoning that is not encrypted cannot be sent back at all.
func (r *itemReader) keep(item outputItem, raw json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return fmt.Errorf("an output item is not an object: %w", err)
	}
	delete(fields, "id")
	if item.Type == "reasoning" {
		delete(fields, "status")
	}
	stripped, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("an output item cannot be kept: %w", err)
	}
	if item.Type == "reasoning" {
		r.thoughts = append(r.thoughts, stripped)
		return nil
	}
	if r.native.buf == nil {
		r.native.open('[')
	}
	for _, thought := range append(r.thoughts, stripped) {
		r.native.raw(thought)
	}
	r.thoughts = nil
	return nil
}

// finish sets the answer's text and native items.
func (r *itemReader) finish() {
	texts := r.texts
	if len(r.finals) > 0 {
		texts = r.finals
	}
	r.answer.Text = strings.Join(texts, "\n\n")
	if r.native.buf != nil {
		r.native.close(']')
		r.answer.Native = r.native.buf
	}
}
