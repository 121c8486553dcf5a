package faux

import (
	"strings"

	"github.com/tidwall/gjson"
)

// readResponses reads the body of a POST /v1/responses.
func (c *conversation) readResponses(root gjson.Result) *badRequest {
	var instructions, input, tools gjson.Result
	var cacheKey, metadata string
	var bad *badRequest
	root.ForEach(func(name, value gjson.Result) bool {
		switch name.Str {
		case "model":
			c.model = value.String()
		case "instructions":
			instructions = value
		case "input":
			input = value
		case "tools":
			tools = value
		case "stream":
			c.stream = value.Bool()
		case "max_output_tokens":
			c.outputLimit = value.Int()
		case "prompt_cache_key":
			cacheKey = value.String()
		case "metadata":
			metadata = metadataKey(value)
		case "include":
			c.encrypted = strings.Contains(value.Raw, `"reasoning.encrypted_content"`)
		case "text":
			c.wantsOutput = value.Get("format.type").String() == "json_schema"
		case "reasoning":
			c.effort = value.Get("effort").String()
		case "previous_response_id", "conversation":
			if value.Type != gjson.Null {
				bad = &badRequest{
					message: "the gateway keeps no conversations: send the whole of it as input, without " + name.Str,
					param:   name.Str,
				}
			}
		}
		return bad == nil
	})
	if bad != nil {
		return bad
	}
	if instructions.Type == gjson.String {
		c.addSystem(instructions.String())
	}
	c.readResponsesTools(tools, "")
	if bad := c.readInput(input); bad != nil {
		return bad
	}
	if cacheKey == "" {
		cacheKey = metadata
	}
	c.identify(cacheKey, instructions, input, tools)
	return c.allAnswered()
}

func (c *conversation) readResponsesTools(tools gjson.Result, namespace string) {
	if !tools.IsArray() {
		return
	}
	tools.ForEach(func(_, tool gjson.Result) bool {
		name := tool.Get("name").String()
		switch tool.Get("type").String() {
		case "function":
			c.tools = append(c.tools, offeredTool{name: name, namespace: namespace})
		case "custom":
			c.tools = append(c.tools, offeredTool{name: name, namespace: namespace, custom: true})
		case "namespace":
			if namespace == "" {
				c.readResponsesTools(tool.Get("tools"), name)
			}
		}
		return true
	})
}

// readInput reads the conversation of a Responses request.
func (c *conversation) readInput(input gjson.Result) *badRequest {
	if input.Type == gjson.String {
		c.addUser(input.String())
		return nil
	}
	if !input.IsArray() {
		return &badRequest{message: "input is required: a text or a list of items", param: "input"}
	}
	var bad *badRequest
	input.ForEach(func(_, item gjson.Result) bool {
		if bad = c.readItem(item); bad != nil {
			bad.param = "input"
		}
		return bad == nil
	})
	return bad
}

func (c *conversation) readItem(item gjson.Result) *badRequest {
	if !item.IsObject() {
		return &badRequest{message: "an item of input is not an object"}
	}
	kind := item.Get("type").String()
	switch kind {
	case "", "message":
		content := item.Get("content")
		switch role := item.Get("role").String(); role {
		case "user":
			c.addUserContent(content)
		case "assistant":
			c.addAssistant()
		case "system", "developer":
			c.addSystem(textOf(content))
		default:
			return &badRequest{message: "a message of input has the role " + quoted(role)}
		}
	case "function_call", "custom_tool_call":
		c.addAssistant()
		c.addCall(item.Get("call_id").String(), item.Get("name").String())
	case "function_call_output", "custom_tool_call_output":
		return c.addResult(item.Get("call_id").String(), textOf(item.Get("output")), false)
	case "item_reference":
		return &badRequest{message: "the gateway keeps no items: send them whole instead of an item_reference"}
	case "compaction", "compaction_summary", "additional_tools", "configuration_update":
	default: // reasoning and the provider's own tools
		if !strings.HasSuffix(kind, "_output") {
			c.addAssistant()
		}
	}
	return nil
}
