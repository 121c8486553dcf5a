package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// Tool is what callers and models know of a tool.
type Tool struct {
	Name string
	// Description is what the model is told.
	Description string
	// Schema is the JSON Schema of the arguments.
	Schema json.RawMessage
	// Replay says what may be done with a call that a crash cut.
	Replay run.Replay
	// Instant tools are local and answer at once (design §3, the local lane).
	Instant bool
}

// Table is every tool, in the order a model is told of them.
func Table() []Tool {
	all := make([]Tool, 0, len(table()))
	for _, t := range table() {
		all = append(all, t.Tool)
	}
	return all
}

// Lookup is the tool of that name.
func Lookup(name string) (Tool, bool) {
	t, ok := find(name)
	return t.Tool, ok
}

// Call is one call a model made. ID is the provider's; Args is what the model wrote, valid JSON or not.
type Call struct {
	ID   string
	Name string
	Args json.RawMessage
}

// files is what a file-changing tool acts on: the workspace, or a draft of it when a call is planned.
type files interface {
	Resolve(path string) (string, error)
	ReadFile(name string, limit int64) ([]byte, error)
	Write(name string, content []byte, mode fs.FileMode) (run.FileChange, error)
}

// entry is a tool with what it does; exactly one of look and change is set. An error is a refusal or a fault; its words
// are the model's answer. said is the answer to a change that happened, made from nothing but the arguments and the file
// after, so that it can be made again in a later process.
type entry struct {
	Tool
	schema *jsonschema.Schema
	look   func(ctx context.Context, view *places.View, args arguments, options Options) (string, error)
	change func(files files, args arguments) (run.FileChange, error)
	said   func(args arguments, file run.FileChange) string
}

var table = sync.OnceValue(func() []entry {
	entries := []entry{readTool(), writeTool(), editTool()}
	for i := range entries {
		entries[i].Description = strings.TrimSpace(entries[i].Description)
		entries[i].Instant = true
		entries[i].Replay = run.ReplayNever
		if entries[i].look != nil {
			entries[i].Replay = run.ReplaySafe
		}
		entries[i].schema = mustCompile(entries[i].Name, entries[i].Schema)
	}
	return entries
})

func find(name string) (entry, bool) {
	for _, t := range table() {
		if t.Name == name {
			return t, true
		}
	}
	return entry{}, false
}

// mustCompile compiles a schema of this package; one that does not compile is a defect of the program.
func mustCompile(name string, schema json.RawMessage) *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		panic(fmt.Sprintf("tools: schema of %s: %v", name, err))
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(name, document); err != nil {
		panic(fmt.Sprintf("tools: schema of %s: %v", name, err))
	}
	return compiler.MustCompile(name)
}
