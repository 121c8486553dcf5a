package claudeagent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// block is one content block of a message, or another object of a request, whose fields are passed on as they are.
type block map[string]json.RawMessage

// text is a field that is a string, "" for any other.
func (b block) text(name string) string {
	var value string
	_ = json.Unmarshal(b[name], &value)
	return value
}

// set sets a field to a value of this package's own making.
func (b block) set(name string, value any) { b[name] = encoded(value) }

// encoded is a value as JSON, without the escapes that are for HTML only.
func encoded(value any) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return json.RawMessage("null") // texts, numbers and JSON that was read before: it cannot fail
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

func textBlock(text string) block {
	return block{"type": json.RawMessage(`"text"`), "text": encoded(text)}
}

// message is one entry of a request's conversation.
type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// request is a model request of the program's.
type request struct {
	// fields are all of it but the ones below.
	fields   block
	system   []block
	tools    []block
	messages []message
}

// readRequest reads the body of a request.
func readRequest(body []byte) (*request, error) {
	r := &request{}
	if err := json.Unmarshal(body, &r.fields); err != nil {
		return nil, fmt.Errorf("the request is not a JSON object: %w", err)
	}
	var err error
	if r.system, err = readBlocks(r.fields["system"]); err != nil {
		return nil, fmt.Errorf("the request's system prompt: %w", err)
	}
	if err := decode(r.fields["tools"], &r.tools); err != nil {
		return nil, fmt.Errorf("the request's tools: %w", err)
	}
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := decode(r.fields["messages"], &messages); err != nil {
		return nil, fmt.Errorf("the request's messages: %w", err)
	}
	if len(messages) == 0 {
		return nil, errors.New("the request has no messages")
	}
	for i, m := range messages {
		blocks, err := readBlocks(m.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d of the request: %w", i, err)
		}
		r.messages = append(r.messages, message{Role: m.Role, Content: blocks})
	}
	for _, name := range []string{"system", "tools", "messages"} {
		delete(r.fields, name)
	}
	return r, nil
}

// readBlocks reads content: blocks, or a string for one text block.
func readBlocks(content json.RawMessage) ([]block, error) {
	var text string
	if len(content) > 0 && content[0] == '"' {
		if err := decode(content, &text); err != nil {
			return nil, err
		}
		return []block{textBlock(text)}, nil
	}
	var blocks []block
	if err := decode(content, &blocks); err != nil {
		return nil, err
	}
	for _, b := range blocks {
		if b == nil {
			return nil, errors.New("null is no block")
		}
	}
	return blocks, nil
}

// decode reads JSON that may be absent.
func decode(data json.RawMessage, into any) error {
	if len(data) == 0 {
		return nil
	}
	return json.Unmarshal(data, into)
}

// number is a field that is an integer, 0 for any other.
func (b block) number(name string) int64 {
	var value int64
	_ = json.Unmarshal(b[name], &value)
	return value
}

// streams tells whether the answer is wanted as a stream.
func (r *request) streams() bool { return string(r.fields["stream"]) == "true" }
