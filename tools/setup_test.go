package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/tools"
)

// workspace makes a workspace with these files.
func workspace(t testing.TB, files map[string]string) *places.Workspace {
	t.Helper()
	return workspaceAt(t, filepath.Join(t.TempDir(), "work"), files)
}

func workspaceAt(t testing.TB, dir string, files map[string]string) *places.Workspace {
	t.Helper()
	ws, err := places.OpenWorkspace(dir, places.Options{NoSync: true, MaxFileBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	for name, content := range files {
		put(t, ws, name, content)
	}
	return ws
}

// put writes a file past the workspace.
func put(t testing.TB, ws *places.Workspace, name, content string) {
	t.Helper()
	file := filepath.Join(ws.Dir(), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// content is what a file holds, or "(none)".
func content(t testing.TB, ws *places.Workspace, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(ws.Dir(), name))
	if os.IsNotExist(err) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

type object = map[string]any

// call makes a call of arguments that encode.
func call(name string, args any) tools.Call {
	data, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return tools.Call{ID: "call_1", Name: name, Args: data}
}

func write(path, content string) tools.Call {
	return call("write", object{"path": path, "content": content})
}

// edit makes an edit call of pairs of old and new text.
func edit(path string, pairs ...string) tools.Call {
	edits := []object{}
	for i := 0; i < len(pairs); i += 2 {
		edits = append(edits, object{"oldText": pairs[i], "newText": pairs[i+1]})
	}
	return call("edit", object{"path": path, "edits": edits})
}

// do runs a call with the default limits.
func do(t testing.TB, ws *places.Workspace, call tools.Call) run.ToolResult {
	t.Helper()
	return tools.Run(t.Context(), ws, call, tools.Options{})
}
