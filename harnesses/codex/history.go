package codex

import (
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/models"
)

// silence is how an answer that says nothing stands in the program's conversation, which else would not have it. It is
// not sent on (sentItems).
const silence = `{"content":[{"type":"output_text","text":"","annotations":[]}],"role":"assistant","status":"completed","type":"message"}`

// historyItems are the items of a conversation, as the program is given it before it goes on.
func historyItems(history []models.Message) ([]json.RawMessage, error) {
	items := []json.RawMessage{}
	for i, message := range history {
		more, err := messageItems(message)
		if err != nil {
			return nil, fmt.Errorf("message %d of the conversation: %w", i, err)
		}
		items = append(items, more...)
	}
	return items, nil
}

func messageItems(m models.Message) ([]json.RawMessage, error) {
	switch m.Role {
	case models.RoleUser:
		return one(map[string]any{
			"type": typeMessage, "role": roleUser, "content": []part{{Type: "input_text", Text: m.Text}},
		})
	case models.RoleTool:
		// The program itself tells a failed call by its text alone.
		return one(map[string]any{"type": typeOutput, "call_id": m.CallID, "output": m.Text})
	case models.RoleAssistant:
		answer := models.Answer{Text: m.Text, Calls: m.Calls}
		if m.NativeAPI == models.APIResponses {
			answer.Native = m.Native
		}
		return answerItems(answer)
	}
	return nil, fmt.Errorf("it has the role %q", m.Role)
}

func one(value any) ([]json.RawMessage, error) {
	raw, err := compact(value)
	if err != nil {
		return nil, err
	}
	return []json.RawMessage{raw}, nil
}

// answerItems are an answer's items as the program keeps them: those on record, without ids. The program knows no
// refusals and drops what says nothing at all, so both are put in ways that it keeps.
func answerItems(a models.Answer) ([]json.RawMessage, error) {
	if len(a.Native) == 0 && a.Text == "" {
		a.Text = a.Refusal
	}
	var whole struct {
		Output []map[string]json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(models.ReplayResponsesWhole(models.Replay{Answer: a}), &whole); err != nil {
		return nil, fmt.Errorf("read an answer's items: %w", err)
	}
	var items []json.RawMessage
	for _, fields := range whole.Output {
		delete(fields, "id")
		if content, ok := unrefused(fields["content"]); ok {
			fields["content"] = content
		}
		raw, err := compact(fields)
		if err != nil {
			return nil, fmt.Errorf("write an answer's items: %w", err)
		}
		items = append(items, raw)
	}
	if len(items) == 0 {
		items = append(items, json.RawMessage(silence))
	}
	return items, nil
}

// unrefused is a message's content with the words of a refusal as its text; false where there are none.
func unrefused(content json.RawMessage) (json.RawMessage, bool) {
	var parts []json.RawMessage
	if json.Unmarshal(content, &parts) != nil {
		return nil, false
	}
	found := false
	for i, raw := range parts {
		var p part
		if json.Unmarshal(raw, &p) != nil || p.Type != "refusal" {
			continue
		}
		text, err := compact(map[string]any{"type": "output_text", "text": p.Refusal, "annotations": []any{}})
		if err != nil {
			return nil, false
		}
		parts[i], found = text, true
	}
	if !found {
		return nil, false
	}
	changed, err := compact(parts)
	return changed, err == nil
}
