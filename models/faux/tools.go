package faux

import "strings"

// offeredTool is a tool that a request offers the model.
type offeredTool struct {
	name string
	// custom tools take a text instead of a JSON object. namespace is the group a tool belongs to, if any.
	custom    bool
	namespace string
}

// tool finds an offered tool by its name, or by the end of its name after "__", as hosts rename tools: "write" is
// "mcp__host__write". The name is returned as it is where no tool, or more than one, fits.
func (c *conversation) tool(name string) offeredTool {
	found := offeredTool{name: name}
	matches := 0
	for _, tool := range c.tools {
		if tool.name == name {
			return tool
		}
		if strings.HasSuffix(tool.name, "__"+name) {
			found = tool
			matches++
		}
	}
	if matches != 1 {
		return offeredTool{name: name}
	}
	return found
}

// sameTool tells whether a tool's name in a request is the one a rule means.
func sameTool(actual, meant string) bool {
	return actual == meant || strings.HasSuffix(actual, "__"+meant)
}

// offers tells whether the request offers a tool of that name.
func (c *conversation) offers(name string) bool {
	for _, tool := range c.tools {
		if sameTool(tool.name, name) {
			return true
		}
	}
	return false
}
