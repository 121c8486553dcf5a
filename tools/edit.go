package tools

import (
	_ "embed" // edit.md
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/run"
)

//go:embed edit.md
var editDescription string

const editSchema = `{
	"type": "object",
	"properties": {
		"path": {"type": "string", "minLength": 1, "description": "the file, relative to the working directory"},
		"edits": {
			"type": "array",
			"minItems": 1,
			"maxItems": 200,
			"items": {
				"type": "object",
				"properties": {
					"oldText": {"type": "string", "minLength": 1, "description": "text that is in the file exactly once"},
					"newText": {"type": "string", "description": "what takes its place"}
				},
				"required": ["oldText", "newText"],
				"additionalProperties": false
			}
		}
	},
	"required": ["path", "edits"],
	"additionalProperties": false
}`

type editArgs struct {
	Path  string        `json:"path"`
	Edits []replacement `json:"edits"`
}

// replacement is one edit. Its names on the wire are those of the tool models know.
type replacement struct {
	OldText string `json:"oldText"` //nolint:tagliatelle // the spelling of pi's tool
	NewText string `json:"newText"` //nolint:tagliatelle // the same
}

func editTool() entry {
	return entry{
		Tool: Tool{Name: "edit", Description: editDescription, Schema: json.RawMessage(editSchema)},
		change: func(files files, args json.RawMessage) (run.FileChange, error) {
			asked := decode[editArgs](args)
			name, err := files.Resolve(asked.Path)
			if err != nil {
				return run.FileChange{}, err
			}
			content, err := files.ReadFile(name, 0)
			if err != nil {
				return run.FileChange{}, err
			}
			edited, err := replace(name, string(content), asked.Edits)
			if err != nil {
				return run.FileChange{}, err
			}
			return files.Write(name, []byte(edited), 0)
		},
		said: func(args json.RawMessage, file run.FileChange) string {
			if n := len(decode[editArgs](args).Edits); n > 1 {
				return fmt.Sprintf("Made %d replacements in %s.", n, file.Path)
			}
			return fmt.Sprintf("Made 1 replacement in %s.", file.Path)
		},
	}
}
