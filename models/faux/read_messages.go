package faux

import (
	"strings"

	"github.com/tidwall/gjson"
)

// readMessages reads the body of a POST /v1/messages.
func (c *conversation) readMessages(root gjson.Result) *badRequest {
	var system, messages, tools gjson.Result
	var metadata string
	root.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "model":
			c.model = value.String()
		case "system":
			system = value
		case "messages":
			messages = value
		case "tools":
			tools = value
		case "stream":
			c.stream = value.Bool()
		case "max_tokens":
			c.outputLimit = value.Int()
		case "metadata":
			metadata = metadataKey(value)
		case "thinking":
			kind := value.Get("type").String()
			c.thinking = kind == "enabled" || kind == "adaptive"
		case "output_config":
			c.effort = value.Get("effort").String()
			c.wantsOutput = c.wantsOutput || value.Get("format.type").String() == "json_schema"
		case "output_format":
			c.wantsOutput = c.wantsOutput || value.Get("type").String() == "json_schema"
		}
		return true
	})
	c.addSystem(textOf(system))
	if tools.IsArray() {
		tools.ForEach(func(_, tool gjson.Result) bool {
			c.tools = append(c.tools, offeredTool{name: tool.Get("name").String()})
			return true
		})
	}
	if !messages.IsArray() {
		return &badRequest{message: "messages: a list is required", param: "messages"}
	}
	var bad *badRequest
	messages.ForEach(func(_, message gjson.Result) bool {
		bad = c.readMessage(message)
		return bad == nil
	})
	if bad != nil {
		return bad
	}
	c.identify(metadata, system, messages, tools)
	return c.allAnswered()
}

func (c *conversation) readMessage(message gjson.Result) *badRequest {
	content := message.Get("content")
	switch role := message.Get("role").String(); role {
	case "user":
		return c.readUserBlocks(content)
	case "assistant":
		if bad := c.allAnswered(); bad != nil {
			return bad
		}
		c.assistant = false
		c.addAssistant()
		if content.IsArray() {
			content.ForEach(func(_, block gjson.Result) bool {
				if block.Get("type").String() == "tool_use" {
					c.addCall(block.Get("id").String(), block.Get("name").String())
				}
				return true
			})
		}
	case "system":
		c.addSystem(textOf(content))
	default:
		return &badRequest{message: "messages: a message has the role " + quoted(role)}
	}
	return nil
}

// readUserBlocks reads a user message, where every open call must find its result.
func (c *conversation) readUserBlocks(content gjson.Result) *badRequest {
	var bad *badRequest
	if content.IsArray() {
		content.ForEach(func(_, block gjson.Result) bool {
			if block.Get("type").String() == "tool_result" {
				bad = c.addResult(block.Get("tool_use_id").String(), textOf(block.Get("content")), block.Get("is_error").Bool())
			}
			return bad == nil
		})
	}
	if bad == nil {
		bad = c.allAnswered()
	}
	if bad != nil {
		bad.message = "messages: " + strings.TrimPrefix(bad.message, "messages: ")
		return bad
	}
	c.addUserContent(content)
	return nil
}
