package dsl

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func compiledEditorSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(EditorSchema()))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:///editor", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("mem:///editor")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestEditorSchemaTakesWhatValidates holds the editor schema against the validator on every conformance case.
func TestEditorSchemaTakesWhatValidates(t *testing.T) {
	t.Parallel()
	schema := compiledEditorSchema(t)
	for _, file := range conformanceFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		doc, _ := decoded.(*Object).Get("workflow")
		if len(Validate(doc, Check{})) > 0 {
			continue
		}
		if err := schema.Validate(plain(doc)); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}

func TestEditorSchemaTakesEveryKind(t *testing.T) {
	t.Parallel()
	schema := compiledEditorSchema(t)
	for name, root := range validRoots() {
		if err := schema.Validate(plain(decodeText(t, documentText(root)))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEditorSchemaRefuses(t *testing.T) {
	t.Parallel()
	schema := compiledEditorSchema(t)
	code := func() *Object { return ObjectOf("node", "code", "label", "a", "code", "s => 1") }
	if err := schema.Validate(plain(docWith(code()))); err != nil {
		t.Fatal(err)
	}
	cases := map[string]*Object{
		"no version":         docWith(code()).Without("v"),
		"another version":    docWith(code()).With("v", 3.0),
		"a field too many":   docWith(code()).With("extra", 1.0),
		"an unknown kind":    docWith(ObjectOf("node", "wat")),
		"a stray field":      docWith(code().With("instructions", "i")),
		"an effort":          docWith(ObjectOf("node", "agent", "label", "a", "instructions", "i", "out", "O", "effort", "max")),
		"a condition":        docWith(ObjectOf("node", "loop", "label", "l", "maxIters", 1.0, "body", code(), "until", ObjectOf("predicate", "maybe"))),
		"a number too small": docWith(ObjectOf("node", "loop", "label", "l", "maxIters", 0.0, "body", code(), "until", ObjectOf("predicate", "empty", "path", "p"))),
		"a bad child":        docWith(ObjectOf("node", "workflow", "label", "l", "as", "a", "input", ObjectOf(), "out", "O", "workflow", docWith(ObjectOf("node", "wat")))),
	}
	for name, doc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if schema.Validate(plain(doc)) == nil {
				t.Error("the editor schema takes it")
			}
		})
	}
}
