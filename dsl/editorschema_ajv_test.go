package dsl

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const ajvFolder = "testdata/ajv"

// installAjv puts ajv in its ignored folder, where it is not there yet. It gives the reason why it cannot.
var installAjv = sync.OnceValue(func() string {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not installed"
		}
	}
	if _, err := os.Stat(filepath.Join(ajvFolder, "node_modules", "ajv")); err == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	command.Dir = ajvFolder
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Sprintf("ajv cannot be installed: %v: %s", err, out)
	}
	return ""
})

// editorMarks asks ajv, which is what editors' checkers are held against, what it would mark in each document.
func editorMarks(t *testing.T, documents map[string]any) map[string][]string {
	t.Helper()
	if why := installAjv(); why != "" {
		t.Skip(why)
	}
	list := []any{}
	for name, document := range documents {
		list = append(list, ObjectOf("name", name, "document", document))
	}
	schema, err := Decode(EditorSchema())
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "node", "check.mjs")
	command.Dir = ajvFolder
	command.Stdin = strings.NewReader(JSON(ObjectOf("schema", schema, "documents", list)))
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil {
		t.Fatalf("ajv refuses the schema: %v\n%s", err, complaints.String())
	}
	marks := map[string][]string{}
	if err := json.Unmarshal(out.Bytes(), &marks); err != nil {
		t.Fatal(err)
	}
	return marks
}

// TestAnEditorMarksNothingInValidDocuments: those of every kind, the published cases and the examples.
func TestAnEditorMarksNothingInValidDocuments(t *testing.T) {
	t.Parallel()
	documents := map[string]any{}
	for name, root := range validRoots() {
		documents[name] = decodeText(t, documentText(root))
	}
	examples, err := filepath.Glob("../examples/workflows/*/workflow.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(examples, "../cmd/agentrun/starter/workflow.json") {
		documents[file] = decodeFile(t, file)
	}
	published, err := filepath.Glob(filepath.Join(conformanceFolder(), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range published {
		document, _ := decodeFile(t, file).(*Object).Get("workflow")
		if len(Validate(document, Check{})) == 0 {
			documents[file] = document
		}
	}
	marks := editorMarks(t, documents)
	for name := range documents {
		for _, mark := range marks[name] {
			t.Errorf("%s: %s", name, mark)
		}
	}
	if len(marks) != len(documents) || len(documents) < 30 {
		t.Errorf("%d documents, %d answers", len(documents), len(marks))
	}
}

// TestAnEditorMarksThePlace: what an editor underlines, and what it says about it.
func TestAnEditorMarksThePlace(t *testing.T) {
	t.Parallel()
	code := `{"node": "code", "label": "a", "expr": "1"}`
	wanted := map[string][2]string{
		steps(code, `{"node": "code", "labl": "a"}`):                              {"/root/steps/1", `"additionalProperty":"labl"`},
		`{"node": "agnet", "label": "a"}`:                                         {"/root/node", "must be equal to one of the allowed values"},
		agent(`, "effort": "huge"`):                                               {"/root/effort", `"allowedValues":["minimal","low","medium","high"]`},
		`{"node": "loop", "label": "l", "maxIters": 0, "body": ` + code + `}`:     {"/root/maxIters", "must be >= 1"},
		`{"node": "map", "label": "m", "itemsPath": "q", "body": ` + code + `}`:   {"/root", `"missingProperty":"as"`},
		escalate(`{"predicate": "gte", "path": "q", "n": "1"}`):                   {"/root/when/n", "must be number"},
		`{"node": "chain", "steps": [{"node": "chain", "steps": [{"node": 1}]}]}`: {"/root/steps/0/steps/0/node", "must be equal to one"},
	}
	documents := map[string]any{}
	for root := range wanted {
		documents[root] = decodeText(t, documentText(root))
	}
	marks := editorMarks(t, documents)
	for root, want := range wanted {
		found := false
		for _, mark := range marks[root] {
			path, message, _ := strings.Cut(mark, " ")
			found = found || path == want[0] && strings.Contains(message, want[1])
		}
		if !found {
			t.Errorf("%s: no mark at %s with %s, but %q", root, want[0], want[1], marks[root])
		}
	}
}

func decodeFile(t *testing.T, file string) any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return decodeText(t, string(text))
}

func conformanceFolder() string {
	if folder := os.Getenv("AGENTRUN_CONFORMANCE"); folder != "" {
		return folder
	}
	return filepath.Join("..", "..", "shared", "conformance")
}
