package faux

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// schemaNode is what the tests look at in the schema.
type schemaNode struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Defs       map[string]schemaNode      `json:"$defs"`
}

// TestSchemaAndTypesAgree: every field of the Go types is in the schema, and every property of the schema in the types.
func TestSchemaAndTypesAgree(t *testing.T) {
	t.Parallel()
	var root schemaNode
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	nested := func(of schemaNode, property, key string) schemaNode {
		var node schemaNode
		data := of.Properties[property]
		if key != "" {
			var holder map[string]json.RawMessage
			if err := json.Unmarshal(data, &holder); err != nil {
				t.Fatal(err)
			}
			data = holder[key]
		}
		if err := json.Unmarshal(data, &node); err != nil {
			t.Fatal(err)
		}
		return node
	}
	reply := root.Defs["reply"]
	for name, pair := range map[string]struct {
		node schemaNode
		made any
	}{
		"script": {root, Script{}}, "model": {root.Defs["model"], Model{}}, "prices": {root.Defs["prices"], Prices{}},
		"rule": {root.Defs["rule"], Rule{}}, "when": {root.Defs["when"], When{}}, "reply": {reply, Reply{}},
		"usage": {root.Defs["usage"], Usage{}}, "range": {root.Defs["range"], Range{}},
		"tool call":   {nested(reply, "tool_calls", "items"), ToolCall{}},
		"error":       {nested(reply, "error", ""), ErrorBody{}},
		"fault":       {nested(reply, "fault", ""), Fault{}},
		"tool result": {nested(root.Defs["when"], "tool_result", ""), ToolResult{}},
	} {
		var fields []string
		for field := range reflect.TypeOf(pair.made).Fields() {
			tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			fields = append(fields, tag)
		}
		slices.Sort(fields)
		properties := slices.Sorted(maps.Keys(pair.node.Properties))
		if diff := cmp.Diff(fields, properties); diff != "" {
			t.Errorf("%s (-type +schema):\n%s", name, diff)
		}
	}
}

func TestSchemaNamesTheReadyScripts(t *testing.T) {
	t.Parallel()
	var root struct {
		Properties struct {
			Extends struct {
				Enum []string `json:"enum"`
			} `json:"extends"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Builtins(), slices.Sorted(slices.Values(root.Properties.Extends.Enum))); diff != "" {
		t.Errorf("ready scripts (-embedded +schema):\n%s", diff)
	}
}

func TestSchemaIsACopy(t *testing.T) {
	t.Parallel()
	Schema()[0] = 'x'
	if !bytes.HasPrefix(Schema(), []byte("{")) {
		t.Error("a caller can change the schema")
	}
}

func TestDotted(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]string{
		"": "", "/rules/0/when": "rules[0].when", "/a~1b/c~0d": "a/b.c~d", "/rules/10": "rules[10]",
	} {
		if got := dotted(pointer); got != want {
			t.Errorf("dotted(%q) = %q, want %q", pointer, got, want)
		}
	}
}
