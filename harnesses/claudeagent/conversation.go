package claudeagent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/agentrun/agentrun/models"
)

const (
	user      = string(models.RoleUser)
	assistant = string(models.RoleAssistant)
)

// conversation is the journal's history in the words of the Messages protocol and under the names the program knows.
func conversation(history []models.Message, box toolbox, book *ledger) []message {
	var out []message
	results := false
	for _, m := range history {
		switch m.Role {
		case models.RoleTool:
			result := resultBlock(m)
			if last := len(out) - 1; results {
				out[last].Content = append(out[last].Content, result)
			} else {
				out = append(out, message{Role: user, Content: []block{result}})
			}
		case models.RoleAssistant:
			if blocks := answerBlocks(m); len(blocks) > 0 {
				disguise(blocks, box, book)
				out = append(out, message{Role: assistant, Content: blocks})
			}
		case models.RoleUser:
			out = append(out, message{Role: user, Content: []block{textBlock(guarded(m.Text))}})
		}
		results = m.Role == models.RoleTool
	}
	return out
}

func resultBlock(m models.Message) block {
	b := block{"type": json.RawMessage(`"tool_result"`), "tool_use_id": encoded(m.CallID)}
	setResult(b, m.Text, m.IsError)
	return b
}

// setResult puts a result into a block that has been told which call it is of.
func setResult(b block, text string, isError bool) {
	delete(b, "content")
	delete(b, "is_error")
	if strings.TrimSpace(text) != "" {
		b.set("content", []block{textBlock(text)})
	}
	if isError {
		b.set("is_error", true)
	}
}

// answerBlocks are the blocks of an answer; none where it says nothing that can be said again.
func answerBlocks(m models.Message) []block {
	silent := strings.TrimSpace(m.Text) == "" && len(m.Calls) == 0
	if silent {
		return nil
	}
	if m.NativeAPI == models.APIMessages {
		if blocks, err := readBlocks(m.Native); err == nil && len(blocks) > 0 {
			return blocks
		}
	}
	var blocks []block
	if strings.TrimSpace(m.Text) != "" {
		blocks = append(blocks, textBlock(m.Text))
	}
	for _, call := range m.Calls {
		blocks = append(blocks, block{
			"type": json.RawMessage(`"tool_use"`), "id": encoded(call.ID), "name": encoded(call.Name), "input": input(call.Args),
		})
	}
	return blocks
}

// input are a call's arguments as the protocol wants them: an object, also for arguments that were no JSON.
func input(args json.RawMessage) json.RawMessage {
	switch args = bytes.TrimSpace(args); {
	case len(args) == 0:
		return json.RawMessage("{}")
	case !json.Valid(args):
		return encoded(map[string]string{"INVALID_JSON": string(args)})
	case args[0] == '{':
		return args
	default:
		return encoded(map[string]json.RawMessage{"INVALID_JSON": args})
	}
}

// disguise gives the calls among an answer's blocks the names under which the program knows them, and notes the true name
// where the stand-in takes its place.
func disguise(blocks []block, box toolbox, book *ledger) {
	for _, b := range blocks {
		if b.text("type") != "tool_use" {
			continue
		}
		shown, standIn := box.shown(b.text("name"))
		if standIn {
			book.rename(b.text("id"), b.text("name"))
		}
		b.set("name", shown)
	}
}

// answers counts the answers of a conversation, the ones in a row as one.
func answers(messages []message) int {
	count, before := 0, ""
	for _, m := range messages {
		if m.Role != user && m.Role != assistant {
			continue
		}
		if m.Role == assistant && before != assistant {
			count++
		}
		before = m.Role
	}
	return count
}
