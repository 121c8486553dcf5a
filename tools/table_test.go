package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/tools"
)

func TestTable(t *testing.T) {
	t.Parallel()
	replay := map[string]run.Replay{}
	for _, tool := range tools.Table() {
		replay[tool.Name] = tool.Replay
		if found, ok := tools.Lookup(tool.Name); !ok || found.Name != tool.Name {
			t.Errorf("%s is not found by its name", tool.Name)
		}
		if !tool.Instant {
			t.Errorf("%s is not instant", tool.Name)
		}
		if tool.Description == "" || tool.Description != strings.TrimSpace(tool.Description) {
			t.Errorf("%s is described as %q", tool.Name, tool.Description)
		}
		var schema struct {
			Type                 string
			Properties           map[string]any
			Required             []string
			AdditionalProperties bool
		}
		if err := json.Unmarshal(tool.Schema, &schema); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		if schema.Type != "object" || schema.Properties["path"] == nil || len(schema.Required) == 0 {
			t.Errorf("%s takes %+v", tool.Name, schema)
		}
	}
	want := map[string]run.Replay{"read": run.ReplaySafe, "write": run.ReplayNever, "edit": run.ReplayNever}
	if diff := cmp.Diff(want, replay); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if _, ok := tools.Lookup("bash"); ok {
		t.Error("bash is on the runner")
	}
}

func TestATableIsItsCallersOwn(t *testing.T) {
	t.Parallel()
	tools.Table()[0].Name = "changed"
	if tools.Table()[0].Name != "read" {
		t.Error("a caller changed the table")
	}
}
