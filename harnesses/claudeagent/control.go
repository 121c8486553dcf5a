package claudeagent

import (
	"encoding/json"
	"fmt"
	"strings"
)

// line is what this package reads of a line of the program's.
type line struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`

	// Of a control_request and a control_cancel_request.
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype    string          `json:"subtype"`
		ServerName string          `json:"server_name"`
		Message    json.RawMessage `json:"message"`
	} `json:"request"`

	// Of a control_response.
	Response struct {
		Subtype   string `json:"subtype"`
		RequestID string `json:"request_id"`
		Error     string `json:"error"`
	} `json:"response"`

	// Of a result.
	IsError bool     `json:"is_error"`
	Result  string   `json:"result"`
	Errors  []string `json:"errors"`
}

// maxFault bounds what is passed on of the program's own words for why it gave up (bytes).
const maxFault = 2000

// fault is why the program gave up a turn, "" where the turn came to an end.
func (l line) fault() string {
	if !l.IsError && !strings.HasPrefix(l.Subtype, "error") {
		return ""
	}
	for _, said := range append([]string{l.Result}, l.Errors...) {
		if strings.TrimSpace(said) != "" {
			return bounded(said, maxFault)
		}
	}
	return fmt.Sprintf("the program gave up (%s) and does not say why", bounded(l.Subtype, quoted))
}

// initializeID is the id of the one request this side makes.
const initializeID = "initialize"

// initialize asks the program to start and tells it of the host's MCP server.
func initialize() any {
	return map[string]any{
		"type": "control_request", "request_id": initializeID,
		"request": map[string]any{"subtype": "initialize", "sdkMcpServers": []string{serverName}},
	}
}

// prompt is a line that says something to the program.
func prompt(text string) any {
	return map[string]any{
		"type": "user", "parent_tool_use_id": nil,
		"message": map[string]string{"role": user, "content": text},
	}
}

// controlled answers a control request of the program's.
func controlled(requestID string, response any) any {
	return map[string]any{
		"type":     "control_response",
		"response": map[string]any{"subtype": "success", "request_id": requestID, "response": response},
	}
}

// refused answers a control request that is not served.
func refused(requestID, why string) any {
	return map[string]any{
		"type":     "control_response",
		"response": map[string]any{"subtype": "error", "request_id": requestID, "error": why},
	}
}
