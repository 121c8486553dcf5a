package codex

import (
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

func dynamicTools(tools []models.Tool) []dynamicTool {
	told := []dynamicTool{}
	for _, one := range tools {
		told = append(told, dynamicTool{"function", one.Name, one.Description, one.Schema})
	}
	return told
}

// maxCalls is how many tool calls may be under way: no model asks for so many at once.
const maxCalls = 1000

// called answers a tool call of the program's. Calls of one answer come at once and are answered as they end.
func (s *session) called(m message) {
	var call toolCall
	if err := json.Unmarshal(m.Params, &call); err != nil || call.CallID == "" {
		_ = s.peer.refuse(m.ID, m.Method)
		return
	}
	select {
	case s.calling <- struct{}{}:
	default:
		s.fail(fmt.Errorf("codex has more than %d tool calls under way", maxCalls))
		return
	}
	go func() {
		defer func() { <-s.calling }()
		result, err := s.calls.pass(cli.Call{ID: call.CallID, Name: call.Tool, Args: call.Arguments})
		if err != nil {
			return // the session has failed: the program is not told what nobody knows
		}
		told := toolResult{Success: !result.IsError, Content: []toolResultInput{{"inputText", result.Text}}}
		if err := s.peer.reply(m.ID, told); err != nil {
			s.log.Debug("codex was not told a tool's result", "error", err)
		}
	}()
}
