package tools

import (
	"context"
	_ "embed" // read.md
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/places"
)

//go:embed read.md
var readDescription string

const readSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "minLength": 1, "description": "the file, relative to the working directory"},
		"offset": {"type": "integer", "minimum": 1, "maximum": 1000000000, "description": "the first line wanted, from 1"},
		"limit": {"type": "integer", "minimum": 1, "maximum": 1000000000, "description": "the most lines wanted"}
	},
	"required": ["path"],
	"additionalProperties": false
}`

func readTool() entry {
	return entry{
		Tool: Tool{Name: "read", Description: readDescription, Schema: json.RawMessage(readSchema)},
		look: func(ctx context.Context, view *places.View, args arguments, options Options) (string, error) {
			name, err := view.Resolve(args.text("path"))
			if err != nil {
				return "", err
			}
			file, _, err := view.Open(name)
			if err != nil {
				return "", err
			}
			defer file.Close()
			page := page{first: max(1, args.count("offset")), lines: options.ResultLines, bytes: options.ResultBytes}
			if limit := args.count("limit"); limit > 0 {
				page.lines = min(page.lines, limit)
			}
			if err := page.fill(ctx, file, options.ScanBytes); err != nil {
				return "", fmt.Errorf("read %q: %w", name, err)
			}
			return page.words(name)
		},
	}
}
