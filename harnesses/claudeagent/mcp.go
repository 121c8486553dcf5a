package claudeagent

import (
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/harnesses/cli"
)

// rpc is a JSON-RPC message of the program's MCP client.
type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		ProtocolVersion string          `json:"protocolVersion"` //nolint:tagliatelle // the protocol's name
		Name            string          `json:"name"`
		Arguments       json.RawMessage `json:"arguments"`
		Meta            struct {
			ToolUseID string `json:"claudecode/toolUseId"` //nolint:tagliatelle // the program's name
		} `json:"_meta"` //nolint:tagliatelle // the protocol's name
	} `json:"params"`
}

// JSON-RPC's codes of errors.
const (
	codeNoMethod = -32601
	codeInvalid  = -32602
)

// mcpVersion is spoken where the client does not say what it speaks.
const mcpVersion = "2025-06-18"

// answerRPC answers everything but a call of a tool.
func answerRPC(m rpc, box toolbox) block {
	switch m.Method {
	case "initialize":
		version := m.Params.ProtocolVersion
		if version == "" {
			version = mcpVersion
		}
		return resultRPC(m, map[string]any{
			"protocolVersion": version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]string{"name": serverName, "version": "1"},
		})
	case "tools/list":
		return resultRPC(m, map[string]any{"tools": listed(box)})
	case "ping":
		return resultRPC(m, map[string]any{})
	default:
		if len(m.ID) == 0 { // a notification; the control protocol wants an answer all the same
			m.ID = json.RawMessage("0")
			return resultRPC(m, map[string]any{})
		}
		return errorRPC(m, codeNoMethod, "there is no method "+bounded(m.Method, quoted))
	}
}

// listed are the tools as the program is told of them. It is not told the schemas of their arguments: it would refuse a call
// that is not as they say by itself, and the journal would miss it. The model is told them (toolsOf).
func listed(box toolbox) []map[string]any {
	list := []map[string]any{}
	add := func(name, description string) {
		list = append(list, map[string]any{
			"name": name, "description": description, "inputSchema": map[string]string{"type": "object"},
			"annotations": map[string]bool{"readOnlyHint": name == "read"},
			"_meta":       map[string]int{"anthropic/maxResultSizeChars": maxResultChars},
		})
	}
	for _, tool := range box.tools {
		add(tool.Name, bounded(tool.Description, shownDescription))
	}
	add(box.unlisted, "Never call this tool.")
	return list
}

const (
	// maxResultChars is the largest result the program keeps in the conversation instead of in a file.
	maxResultChars = 500_000
	// shownDescription is how much of a tool's description the program is told (bytes): it only shows it.
	shownDescription = 1000
)

// callOf is the host's call that the program asks for.
func callOf(m rpc, box toolbox, book *ledger) (cli.Call, error) {
	call := cli.Call{ID: m.Params.Meta.ToolUseID, Name: m.Params.Name, Args: m.Params.Arguments}
	if call.ID == "" {
		return call, fmt.Errorf("the call of %s has no id", bounded(call.Name, quoted))
	}
	if call.Name == box.unlisted {
		call.Name = plain(book.name(call.ID))
	} else if !box.offered[call.Name] {
		return call, fmt.Errorf("there is no tool %s", bounded(call.Name, quoted))
	}
	if call.Name == "" {
		return call, fmt.Errorf("no answer asked for the call %s", bounded(call.ID, quoted))
	}
	if len(call.Args) == 0 {
		call.Args = json.RawMessage("{}")
	}
	return call, nil
}

// resultOf is a call's result in the protocol's words.
func resultOf(m rpc, result cli.Result) block {
	return resultRPC(m, map[string]any{"content": []block{textBlock(result.Text)}, "isError": result.IsError})
}

func resultRPC(m rpc, result any) block {
	return block{"jsonrpc": json.RawMessage(`"2.0"`), "id": idOf(m), "result": encoded(result)}
}

func errorRPC(m rpc, code int, message string) block {
	return block{
		"jsonrpc": json.RawMessage(`"2.0"`), "id": idOf(m), "error": encoded(map[string]any{"code": code, "message": message}),
	}
}

func idOf(m rpc) json.RawMessage {
	if len(m.ID) == 0 {
		return json.RawMessage("null")
	}
	return m.ID
}
