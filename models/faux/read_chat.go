package faux

import "github.com/tidwall/gjson"

// readChat reads the body of a POST /v1/chat/completions.
func (c *conversation) readChat(root gjson.Result) *badRequest {
	var messages, tools gjson.Result
	var cacheKey, metadata string
	root.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "model":
			c.model = value.String()
		case "messages":
			messages = value
		case "tools":
			tools = value
		case "stream":
			c.stream = value.Bool()
		case "stream_options":
			c.includeUsage = value.Get("include_usage").Bool()
		case "max_completion_tokens", "max_tokens":
			c.outputLimit = value.Int()
		case "prompt_cache_key":
			cacheKey = value.String()
		case "metadata":
			metadata = metadataKey(value)
		case "response_format":
			c.wantsOutput = value.Get("type").String() == "json_schema"
		case "reasoning_effort":
			c.effort = value.String()
		}
		return true
	})
	if tools.IsArray() {
		tools.ForEach(func(_, tool gjson.Result) bool {
			custom := tool.Get("type").String() == "custom"
			c.tools = append(c.tools, offeredTool{name: tool.Get(chatToolPath(custom)).String(), custom: custom})
			return true
		})
	}
	if !messages.IsArray() {
		return &badRequest{message: "messages is required: a list", param: "messages"}
	}
	var bad *badRequest
	messages.ForEach(func(_, message gjson.Result) bool {
		if bad = c.readChatMessage(message); bad != nil {
			bad.param = "messages"
		}
		return bad == nil
	})
	if bad != nil {
		return bad
	}
	if cacheKey == "" {
		cacheKey = metadata
	}
	c.identify(cacheKey, messages, tools)
	return c.allAnswered()
}

func (c *conversation) readChatMessage(message gjson.Result) *badRequest {
	role := message.Get("role").String()
	if role != "tool" {
		if bad := c.allAnswered(); bad != nil {
			return bad
		}
	}
	content := message.Get("content")
	switch role {
	case "system", "developer":
		c.addSystem(textOf(content))
	case "user":
		c.addUserContent(content)
	case "assistant":
		c.assistant = false
		c.addAssistant()
		message.Get("tool_calls").ForEach(func(_, call gjson.Result) bool {
			custom := call.Get("type").String() == "custom"
			c.addCall(call.Get("id").String(), call.Get(chatToolPath(custom)).String())
			return true
		})
	case "tool":
		return c.addResult(message.Get("tool_call_id").String(), textOf(content), false)
	default:
		return &badRequest{message: "a message has the role " + quoted(role)}
	}
	return nil
}

// chatToolPath is where a tool, or a call, of a Chat Completions request has its name.
func chatToolPath(custom bool) string {
	if custom {
		return "custom.name"
	}
	return "function.name"
}
