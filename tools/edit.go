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

func editTool() entry {
	return entry{
		Tool: Tool{Name: "edit", Description: editDescription, Schema: json.RawMessage(editSchema)},
		change: func(files files, args arguments) (run.FileChange, error) {
			name, err := files.Resolve(args.text("path"))
			if err != nil {
				return run.FileChange{}, err
			}
			content, err := files.ReadFile(name, 0)
			if err != nil {
				return run.FileChange{}, err
			}
			edited, err := replace(name, string(content), replacements(args))
			if err != nil {
				return run.FileChange{}, err
			}
			return files.Write(name, []byte(edited), 0)
		},
		said: func(args arguments, file run.FileChange) string {
			if n := len(replacements(args)); n > 1 {
				return fmt.Sprintf("Made %d replacements in %s.", n, file.Path)
			}
			return fmt.Sprintf("Made 1 replacement in %s.", file.Path)
		},
	}
}

func replacements(args arguments) []replacement {
	edits := args.objects("edits")
	replacements := make([]replacement, len(edits))
	for i, edit := range edits {
		replacements[i] = replacement{old: edit.text("oldText"), with: edit.text("newText")}
	}
	return replacements
}
