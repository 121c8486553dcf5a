package claudeagent

import (
	"strings"

	"github.com/agentrun/agentrun/models"
)

// serverName is what the program calls the host's MCP server, toolPrefix what it puts before the names of its tools.
const (
	serverName = "host"
	toolPrefix = "mcp__" + serverName + "__"
)

// toolbox is what the host offers, and the tool that stands for all it does not offer: the program answers a call of a tool
// it does not know by itself, and such a call would never reach the journal.
type toolbox struct {
	tools   []models.Tool
	offered map[string]bool
	// unlisted is the plain name of the stand-in; no model is told of it.
	unlisted string
}

func newToolbox(tools []models.Tool) toolbox {
	b := toolbox{tools: tools, offered: map[string]bool{}, unlisted: "unlisted"}
	for _, tool := range tools {
		b.offered[tool.Name] = true
	}
	for b.offered[b.unlisted] {
		b.unlisted += "_"
	}
	return b
}

// plain is a tool's own name.
func plain(name string) string { return strings.TrimPrefix(name, toolPrefix) }

// shown is the name under which the program is told of a call, and whether the stand-in's takes the place of it.
func (b toolbox) shown(name string) (string, bool) {
	if b.offered[plain(name)] {
		return toolPrefix + plain(name), false
	}
	return toolPrefix + b.unlisted, true
}
