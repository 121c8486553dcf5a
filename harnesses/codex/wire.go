//nolint:tagliatelle // the names are the program's
package codex

import "encoding/json"

// message is one line of the protocol, in either direction: a request has an id and a method, a notification only a
// method, an answer only an id. Both sides number their requests by themselves, so an id says nothing without a
// direction.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// turn is what the program is asked to do (turn/start). No input goes on with the conversation as it is.
type turn struct {
	ThreadID     string          `json:"threadId"`
	Input        []turnInput     `json:"input"`
	Environments []string        `json:"environments"`
	Effort       string          `json:"effort,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
}

type turnInput struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// news is what a notification says of a turn or of a fault.
type news struct {
	ThreadID string `json:"threadId"`
	Turn     struct {
		Status string     `json:"status"`
		Error  *turnFault `json:"error"`
	} `json:"turn"`
	Error     *turnFault `json:"error"`
	WillRetry bool       `json:"willRetry"`
}

type turnFault struct {
	Message string `json:"message"`
}

// dynamicTool is a tool as the program is told of it.
type dynamicTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// toolCall is what the program asks of a tool (item/tool/call).
type toolCall struct {
	CallID    string          `json:"callId"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// toolResult is how it is answered.
type toolResult struct {
	Success bool              `json:"success"`
	Content []toolResultInput `json:"contentItems"`
}

type toolResultInput struct {
	Type string `json:"type"`
	Text string `json:"text"`
}
