package tools

import (
	_ "embed" // write.md
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/run"
)

//go:embed write.md
var writeDescription string

const writeSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "minLength": 1, "description": "the file, relative to the working directory"},
		"content": {"type": "string", "description": "the whole content of the file"}
	},
	"required": ["path", "content"],
	"additionalProperties": false
}`

func writeTool() entry {
	return entry{
		Tool: Tool{Name: "write", Description: writeDescription, Schema: json.RawMessage(writeSchema)},
		change: func(files files, args arguments) (run.FileChange, error) {
			name, err := files.Resolve(args.text("path"))
			if err != nil {
				return run.FileChange{}, err
			}
			return files.Write(name, []byte(args.text("content")), 0)
		},
		said: func(_ arguments, file run.FileChange) string {
			return fmt.Sprintf("Wrote %d bytes to %s.", file.Size, file.Path)
		},
	}
}
