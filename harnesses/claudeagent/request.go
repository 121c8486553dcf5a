package claudeagent

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidwall/gjson"
)

// request is a model request of the program's.
type request struct {
	// fields are all of it but the ones below.
	fields   block
	system   []block
	tools    []block
	messages []message
}

// message is one entry of a request's conversation.
type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// readRequest reads the body of a request. A conversation of half a megabyte is read at each of its turns: the body is
// checked once and then only taken apart.
func readRequest(body []byte) (*request, error) {
	if !json.Valid(body) {
		return nil, errors.New("the request is not JSON")
	}
	r := &request{}
	var err error
	if r.fields, err = objectOf(gjson.ParseBytes(body)); err != nil {
		return nil, fmt.Errorf("the request: %w", err)
	}
	if r.system, err = contentOf(r.fields.field("system")); err != nil {
		return nil, fmt.Errorf("the request's system prompt: %w", err)
	}
	if r.tools, err = blocksOf(r.fields.field("tools")); err != nil {
		return nil, fmt.Errorf("the request's tools: %w", err)
	}
	messages, err := blocksOf(r.fields.field("messages"))
	if err != nil {
		return nil, fmt.Errorf("the request's messages: %w", err)
	}
	if len(messages) == 0 {
		return nil, errors.New("the request has no messages")
	}
	for i, m := range messages {
		blocks, err := contentOf(m.field("content"))
		if err != nil {
			return nil, fmt.Errorf("message %d of the request: %w", i, err)
		}
		r.messages = append(r.messages, message{Role: m.text("role"), Content: blocks})
	}
	for _, name := range []string{"system", "tools", "messages"} {
		delete(r.fields, name)
	}
	return r, nil
}

// streams tells whether the answer is wanted as a stream.
func (r *request) streams() bool { return string(r.fields["stream"]) == "true" }
