package codex

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// request is a Responses request as the program wrote it.
type request struct {
	fields map[string]json.RawMessage
	items  []item
	tools  []tool
	known  struct {
		Stream    bool  `json:"stream"`
		MaxOutput int64 `json:"max_output_tokens"`
		Reasoning struct {
			Effort string `json:"effort"`
		} `json:"reasoning"`
		Text struct {
			Format struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"format"`
		} `json:"text"`
		Instructions string            `json:"instructions"`
		Input        json.RawMessage   `json:"input"`
		Tools        []json.RawMessage `json:"tools"`
	}
}

// item is one item of a request's input: its fields as they came, and those that are looked at.
type item struct {
	fields    map[string]json.RawMessage
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments string          `json:"arguments"`
	Output    json.RawMessage `json:"output"`
}

// part is one part of a message's content.
type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal,omitempty"`
}

// tool is one tool of a request, as it came.
type tool struct {
	name string
	raw  json.RawMessage
}

// The types of items and the roles of messages that are told apart.
const (
	typeMessage = "message"
	typeCall    = "function_call"
	typeOutput  = "function_call_output"

	roleUser      = "user"
	roleAssistant = "assistant"
	roleDeveloper = "developer"
)

// readRequest reads a request's body.
func readRequest(body []byte) (*request, error) {
	r := &request{}
	if err := json.Unmarshal(body, &r.fields); err != nil {
		return nil, fmt.Errorf("the request is no JSON object: %w", err)
	}
	if err := json.Unmarshal(body, &r.known); err != nil {
		return nil, fmt.Errorf("the request is not what the protocol says: %w", err)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(r.known.Input, &items); err != nil {
		return nil, errors.New("the request's input is no list of items")
	}
	for i, raw := range items {
		one, err := readItem(raw)
		if err != nil {
			return nil, fmt.Errorf("item %d of the request's input: %w", i, err)
		}
		r.items = append(r.items, one)
	}
	for i, raw := range r.known.Tools {
		var named struct {
			Type string `json:"type"`
			Name string `json:"name"`
		}
		if err := json.Unmarshal(raw, &named); err != nil {
			return nil, fmt.Errorf("tool %d of the request: %w", i, err)
		}
		if named.Type != "function" {
			named.Name = "" // a tool of the provider's own is nobody's here
		}
		r.tools = append(r.tools, tool{named.Name, raw})
	}
	return r, nil
}

func readItem(raw json.RawMessage) (item, error) {
	var one item
	if err := json.Unmarshal(raw, &one.fields); err != nil {
		return item{}, err
	}
	if one.fields == nil {
		return item{}, errors.New("it is no object")
	}
	if err := json.Unmarshal(raw, &one); err != nil {
		return item{}, err
	}
	if one.Type == "" && one.Role != "" {
		one.Type = typeMessage
	}
	return one, nil
}

// parts are the parts of a message's content. Content that is a text is one part of the kind its role has.
func (i item) parts() []part {
	var text string
	if json.Unmarshal(i.Content, &text) == nil {
		kind := "input_text"
		if i.Role == roleAssistant {
			kind = "output_text"
		}
		return []part{{Type: kind, Text: text}}
	}
	var parts []part
	if json.Unmarshal(i.Content, &parts) != nil {
		return nil
	}
	return parts
}

// said are a message's parts but for what the program added by itself.
func (i item) said() []part {
	var said []part
	for _, p := range i.parts() {
		if !ownWords(i.Role, p.Text) {
			said = append(said, p)
		}
	}
	return said
}

// ownWords tells what the program puts beside people's words, where its settings do not keep it from that.
func ownWords(role, text string) bool {
	between := func(name string) bool {
		return strings.HasPrefix(text, "<"+name+">") && strings.HasSuffix(strings.TrimSpace(text), "</"+name+">")
	}
	switch role {
	case roleUser:
		return between("environment_context")
	case roleDeveloper:
		return between("permissions instructions")
	}
	return false
}

// text is all that a message says.
func (i item) text() string {
	var b strings.Builder
	for _, p := range i.said() {
		b.WriteString(p.Text)
	}
	return b.String()
}

// is tells whether the item is a message of the role.
func (i item) is(role string) bool { return i.Type == typeMessage && i.Role == role }

// made tells whether the model made the item.
func (i item) made() bool {
	switch i.Type {
	case typeMessage:
		return i.Role == roleAssistant
	case typeOutput:
		return false
	}
	return !strings.HasSuffix(i.Type, "_output") && i.Type != ""
}
