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

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func writeTool() entry {
	return entry{
		Tool: Tool{Name: "write", Description: writeDescription, Schema: json.RawMessage(writeSchema)},
		change: func(files files, args json.RawMessage) (run.FileChange, error) {
			asked := decode[writeArgs](args)
			name, err := files.Resolve(asked.Path)
			if err != nil {
				return run.FileChange{}, err
			}
			return files.Write(name, []byte(asked.Content), 0)
		},
		said: func(_ json.RawMessage, file run.FileChange) string {
			return fmt.Sprintf("Wrote %d bytes to %s.", file.Size, file.Path)
		},
	}
}
