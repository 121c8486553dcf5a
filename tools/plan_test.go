package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/tools"
)

func digest(content string) string { return places.DigestOf([]byte(content)) }

func TestPlan(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{"old": "one", "d/x": "x", "script": "s"})
	if err := os.Chmod(filepath.Join(ws.Dir(), "script"), 0o755); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name  string
		calls []tools.Call
		want  []*run.ToolProof
	}{
		{"no calls", nil, []*run.ToolProof{}},
		{
			"calls that change nothing",
			[]tools.Call{call("read", object{"path": "old"}), call("bash", nil), {}},
			[]*run.ToolProof{nil, nil, nil},
		},
		{
			"a new file",
			[]tools.Call{write("new/f", "text")},
			[]*run.ToolProof{{Path: "new/f", After: digest("text"), Size: 4, Mode: 0o644}},
		},
		{
			"an old file keeps its mode",
			[]tools.Call{write("./script", "new")},
			[]*run.ToolProof{{Path: "script", Before: digest("s"), After: digest("new"), Size: 3, Mode: 0o755}},
		},
		{
			"each call builds on the one before",
			[]tools.Call{edit("old", "one", "two"), edit(ws.Dir()+"/old", "two", "three"), write("old", "")},
			[]*run.ToolProof{
				{Path: "old", Before: digest("one"), After: digest("two"), Size: 3, Mode: 0o644},
				{Path: "old", Before: digest("two"), After: digest("three"), Size: 5, Mode: 0o644},
				{Path: "old", Before: digest("three"), After: digest(""), Size: 0, Mode: 0o644},
			},
		},
		{
			"a call that will fail does not disturb the next",
			[]tools.Call{edit("old", "none", "x"), write("d", "x"), edit("old", "one", "1")},
			[]*run.ToolProof{
				{Refusal: "edit failed: edits[0].oldText is not in old: it must match the file exactly, spaces and line " +
					"breaks included; nothing was changed."},
				{Refusal: `write failed: "d" cannot be used as a file: it is a directory.`},
				{Path: "old", Before: digest("one"), After: digest("1"), Size: 1, Mode: 0o644},
			},
		},
		{
			"a file an earlier call makes is in the way",
			[]tools.Call{write("n", ""), write("n/below", ""), edit("n/below", "a", "b")},
			[]*run.ToolProof{
				{Path: "n", After: digest(""), Mode: 0o644},
				{Refusal: `write failed: "n/below" cannot be used as a file: "n" is a file, not a directory.`},
				{Refusal: `edit failed: "n/below" cannot be used as a file: "n" is a file, not a directory.`},
			},
		},
		{
			"arguments that are not",
			[]tools.Call{{Name: "write", Args: json.RawMessage("{")}, edit("old", "one", "1")},
			[]*run.ToolProof{
				{Refusal: "Invalid arguments for write: they are not JSON (unexpected EOF). Nothing was done."},
				{Path: "old", Before: digest("one"), After: digest("1"), Size: 1, Mode: 0o644},
			},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := tools.Plan(ws, c.calls)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("proofs (-want +got):\n%s", diff)
			}
			if content(t, ws, "old") != "one" || content(t, ws, "n") != "(none)" || content(t, ws, "new") != "(none)" {
				t.Error("planning changed the workspace")
			}
		})
	}
}

func TestNothingIsPlannedWhereTheWorkspaceCannotBeRead(t *testing.T) {
	t.Parallel()
	ws, err := places.OpenWorkspace(filepath.Join(t.TempDir(), "work"), places.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ws.Close()
	for _, asked := range []tools.Call{write("a", "x"), edit("a", "x", "y")} {
		if proof := tools.Plan(ws, []tools.Call{asked})[0]; proof != nil {
			t.Errorf("%s: planned %+v", asked.Name, proof)
		}
		if verdict, result := tools.Recover(ws, asked, nil, nil); verdict != tools.Unknown || !result.Interrupted {
			t.Errorf("%s: %v, %+v", asked.Name, verdict, result)
		}
	}
}
