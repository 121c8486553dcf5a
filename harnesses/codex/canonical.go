package codex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agentrun/agentrun/harnesses/cli"
)

// place counts the answers in a conversation. Items that the model made are one answer until somebody else speaks.
func (r *request) place() int {
	answers, within := 0, false
	for _, one := range r.items {
		if one.made() && !within {
			answers++
		}
		within = one.made()
	}
	return answers
}

// words is the last thing a user says.
func (r *request) words() string {
	for _, one := range slices.Backward(r.items) {
		if !one.is(roleUser) {
			continue
		}
		if said := one.said(); len(said) > 0 {
			return said[len(said)-1].Text
		}
	}
	return ""
}

// calls are the ids of the calls of the last answer.
func (r *request) calls() []string {
	end := len(r.items)
	for end > 0 && !r.items[end-1].made() {
		end--
	}
	start := end
	for start > 0 && r.items[start-1].made() {
		start--
	}
	var ids []string
	for _, one := range r.items[start:end] {
		if one.Type == typeCall {
			ids = append(ids, one.CallID)
		}
	}
	return ids
}

// main tells whether the request goes on with the conversation that has these instructions. The program asks for a
// summary with a prompt that its settings name.
func (r *request) main(instructions string) bool {
	if r.words() == compactPrompt {
		return false
	}
	first := ""
	if len(r.items) > 0 && r.items[0].is(roleDeveloper) {
		first = r.items[0].text()
	}
	return first+r.known.Instructions == instructions
}

// The canonical form of a request: what is asked, in an order and with fields that do not depend on which session of the
// program asks.
type (
	canonical struct {
		Model        string          `json:"model"`
		API          string          `json:"api"`
		Effort       string          `json:"effort"`
		Output       any             `json:"output"`
		Instructions string          `json:"instructions"`
		Tools        []canonicalTool `json:"tools"`
		Items        []canonicalItem `json:"items"`
	}
	canonicalTool struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Schema      any    `json:"schema"`
	}
	canonicalItem struct {
		Type      string `json:"type"`
		Role      string `json:"role,omitempty"`
		Parts     []part `json:"parts,omitempty"`
		CallID    string `json:"call_id,omitempty"`
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments,omitempty"`
		Other     any    `json:"other,omitempty"`
	}
)

// digest names a request by what it asks for. Left out are the ids of items, what a provider says about an answer beside
// its words, hidden reasoning, and what the program adds to what people say.
func (r *request) digest(spec cli.Spec) (string, error) {
	form := canonical{
		Model: spec.Model.Name, API: spec.Model.API, Effort: r.known.Reasoning.Effort, Instructions: r.known.Instructions,
	}
	var err error
	if form.Output, err = plain(r.known.Text.Format.Schema); err != nil {
		return "", fmt.Errorf("the schema of the answer: %w", err)
	}
	offered := r.offered()
	for _, one := range spec.Tools {
		if !offered[one.Name] {
			continue
		}
		schema, err := plain(one.Schema)
		if err != nil {
			return "", fmt.Errorf("the schema of tool %s: %w", one.Name, err)
		}
		form.Tools = append(form.Tools, canonicalTool{one.Name, one.Description, schema})
	}
	for _, one := range r.items {
		told, ok, err := one.canonical()
		if err != nil {
			return "", err
		}
		if ok {
			form.Items = append(form.Items, told)
		}
	}
	data, err := json.Marshal(form)
	if err != nil {
		return "", fmt.Errorf("write the canonical form of a request: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// offered are the names of the request's tools.
func (r *request) offered() map[string]bool {
	names := map[string]bool{}
	for _, one := range r.tools {
		names[one.name] = true
	}
	return names
}

// canonical tells an item; false where it is left out.
func (i item) canonical() (canonicalItem, bool, error) {
	switch i.Type {
	case typeMessage:
		parts := i.said()
		return canonicalItem{Type: i.Type, Role: i.Role, Parts: parts}, len(parts) > 0, nil
	case typeCall:
		return canonicalItem{Type: i.Type, CallID: i.CallID, Name: i.Name, Arguments: i.Arguments}, true, nil
	case typeOutput:
		output, err := plain(i.Output)
		if err != nil {
			return canonicalItem{}, false, fmt.Errorf("the result of call %s: %w", i.CallID, err)
		}
		return canonicalItem{Type: i.Type, CallID: i.CallID, Other: output}, true, nil
	case "reasoning":
		return canonicalItem{}, false, nil
	}
	other := map[string]any{}
	for name, raw := range i.fields {
		if name == "id" || name == "status" {
			continue
		}
		value, err := plain(raw)
		if err != nil {
			return canonicalItem{}, false, fmt.Errorf("an item of type %q: %w", i.Type, err)
		}
		other[name] = value
	}
	return canonicalItem{Type: i.Type, Other: other}, true, nil
}

// plain is JSON as a value that is written in one way only: objects by their keys, numbers as they came.
func plain(data json.RawMessage) (any, error) {
	if len(data) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return value, nil
}
