// Package examples holds agents and inputs to start from. Every one is run by a test, and the demo uses them.
package examples

import "embed"

// Files are the example files by name.
//
//go:embed *.json *.md workflows
var Files embed.FS
