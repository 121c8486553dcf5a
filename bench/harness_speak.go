package main

import (
	"encoding/json"
	"fmt"
)

// object is a JSON object that is sent.
type object = map[string]any

// claude speaks with Claude Code as the server's driver does, but for the calls of tools, which it does itself.
type claude struct{ *alone }

func speakClaude(a *alone) dialogue { return claude{a} }

func (c claude) begin() error {
	err := c.send(object{
		"type": "control_request", "request_id": "initialize",
		"request": object{"subtype": "initialize", "sdkMcpServers": []string{"host"}},
	})
	if err != nil {
		return err
	}
	return c.send(object{
		"type": "user", "parent_tool_use_id": nil, "message": object{"role": "user", "content": c.words},
	})
}

func (c claude) take(line []byte) (bool, error) {
	var said struct {
		Type      string `json:"type"`
		RequestID string `json:"request_id"`
		IsError   bool   `json:"is_error"`
		Request   struct {
			Subtype string `json:"subtype"`
			Message struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
				Params struct {
					Version   string          `json:"protocolVersion"` //nolint:tagliatelle // the protocol's name
					Arguments json.RawMessage `json:"arguments"`
				} `json:"params"`
			} `json:"message"`
		} `json:"request"`
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return false, fmt.Errorf("a line of claude's: %w", err)
	}
	switch {
	case said.Type == "result" && said.IsError:
		return false, fmt.Errorf("claude gave up: %s", line)
	case said.Type == "result":
		return true, nil
	case said.Type != "control_request" || said.Request.Subtype != "mcp_message":
		return false, nil
	}
	message := said.Request.Message
	result := object{}
	switch message.Method {
	case "initialize":
		result = object{
			"protocolVersion": message.Params.Version, "capabilities": object{"tools": object{}},
			"serverInfo": object{"name": "host", "version": "1"},
		}
	case "tools/list":
		result["tools"] = listed(func(name string) object {
			return object{"annotations": object{"readOnlyHint": name == "read"}}
		})
	case "tools/call":
		text, err := c.call(message.Params.Arguments)
		if err != nil {
			return false, err
		}
		result["content"] = []object{{"type": "text", "text": text}}
	}
	id := message.ID
	if len(id) == 0 {
		id = json.RawMessage("0")
	}
	return false, c.send(object{"type": "control_response", "response": object{
		"subtype": "success", "request_id": said.RequestID,
		"response": object{"mcp_response": object{"jsonrpc": "2.0", "id": id, "result": result}},
	}})
}

// codex speaks with Codex in the same way.
type codex struct{ *alone }

func speakCodex(a *alone) dialogue { return codex{a} }

// The requests that are made of codex, by their ids.
const (
	codexInitialize = iota + 1
	codexThread
	codexTurn
)

// codexQuiet are notifications that the server's driver does not want either.
var codexQuiet = []string{
	"item/agentMessage/delta", "item/started", "item/completed", "item/reasoning/textDelta", "item/reasoning/summaryTextDelta",
	"thread/tokenUsage/updated", "account/rateLimits/updated",
}

func (c codex) begin() error {
	return c.ask(codexInitialize, "initialize", object{
		"clientInfo":   object{"name": "agentrun", "version": "1"},
		"capabilities": object{"experimentalApi": true, "optOutNotificationMethods": codexQuiet},
	})
}

func (c codex) ask(id int, method string, params object) error {
	return c.send(object{"id": id, "method": method, "params": params})
}

func (c codex) take(line []byte) (bool, error) {
	var said struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Error  json.RawMessage `json:"error"`
		Result struct {
			Thread struct {
				ID string `json:"id"`
			} `json:"thread"`
		} `json:"result"`
		Params struct {
			Arguments json.RawMessage `json:"arguments"`
			Turn      struct {
				Status string `json:"status"`
			} `json:"turn"`
		} `json:"params"`
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return false, fmt.Errorf("a line of codex's: %w", err)
	}
	switch said.Method {
	case "item/tool/call":
		text, err := c.call(said.Params.Arguments)
		if err != nil {
			return false, err
		}
		return false, c.send(object{"id": said.ID, "result": object{
			"success": true, "contentItems": []object{{"type": "inputText", "text": text}},
		}})
	case "turn/completed":
		if said.Params.Turn.Status != "completed" {
			return false, fmt.Errorf("codex gave up: %s", line)
		}
		return true, nil
	case "":
		if len(said.Error) > 0 {
			return false, fmt.Errorf("codex refuses: %s", said.Error)
		}
		return false, c.goOn(string(said.ID), said.Result.Thread.ID)
	default:
		return false, nil
	}
}

// goOn makes the request after the one that was answered.
func (c codex) goOn(answered, thread string) error {
	switch answered {
	case fmt.Sprint(codexInitialize):
		if err := c.send(object{"method": "initialized"}); err != nil {
			return err
		}
		return c.ask(codexThread, "thread/start", object{
			"model": c.model, "modelProvider": "agentrun", "cwd": c.work, "approvalPolicy": "never", "sandbox": "read-only",
			"environments": []string{}, "ephemeral": true, "baseInstructions": instructions,
			"dynamicTools": listed(func(string) object { return object{"type": "function"} }),
		})
	case fmt.Sprint(codexThread):
		return c.ask(codexTurn, "turn/start", object{
			"threadId": thread, "environments": []string{}, "input": []object{{"type": "text", "text": c.words}},
		})
	default:
		return nil
	}
}
