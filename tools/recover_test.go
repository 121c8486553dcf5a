package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/tools"
)

func TestRecover(t *testing.T) {
	t.Parallel()
	first, second := edit("f", "one", "two"), edit("f", "two", "three")
	planned := tools.Plan(workspace(t, map[string]string{"f": "one"}), []tools.Call{first, second, write("g", "two")})
	later := []run.ToolProof{*planned[1], *planned[2]}
	cases := []struct {
		name  string
		file  string
		call  tools.Call
		proof *run.ToolProof
		later []run.ToolProof
		want  tools.Verdict
	}{
		{"the file after", "two", first, planned[0], nil, tools.Done},
		{"the file before", "one", first, planned[0], later, tools.NotDone},
		{"the file after a later call", "three", first, planned[0], later, tools.Done},
		{"that file with no such later call", "three", first, planned[0], nil, tools.Unknown},
		{"that file with such a call on another path", "two", second, planned[1], []run.ToolProof{{Path: "g", After: digest("two")}}, tools.NotDone},
		{"a stranger's file", "stranger", first, planned[0], later, tools.Unknown},
		{"a stranger's file that a refused call names", "", first, planned[0], []run.ToolProof{{Path: "f", Refusal: "no"}}, tools.Unknown},
		{"a file that went", "(none)", first, planned[0], later, tools.Unknown},
		{"a write of a new file, not there", "(none)", write("f", "x"), &run.ToolProof{Path: "f", After: digest("x")}, nil, tools.NotDone},
		{"a write of what was there", "x", write("f", "x"), &run.ToolProof{Path: "f", Before: digest("x"), After: digest("x")}, nil, tools.Done},
		{"no proof", "two", first, nil, later, tools.Unknown},
		{"an empty proof", "two", first, &run.ToolProof{}, later, tools.Unknown},
		{"a read", "two", call("read", object{"path": "f"}), nil, nil, tools.NotDone},
		{"no tool", "two", call("bash", object{}), nil, nil, tools.NotDone},
		{"a call that was planned to fail", "two", first, &run.ToolProof{Refusal: "edit failed: so it was."}, nil, tools.Done},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ws := workspace(t, nil)
			if c.file != "(none)" {
				put(t, ws, "f", c.file)
			}
			got, result := tools.Recover(ws, c.call, c.proof, c.later)
			if got != c.want {
				t.Errorf("verdict %v, want %v", got, c.want)
			}
			switch c.want {
			case tools.NotDone:
				if diff := cmp.Diff(run.ToolResult{}, result); diff != "" {
					t.Errorf("a result of a call that did not happen:\n%s", diff)
				}
			case tools.Done:
				if !result.Proved || result.Interrupted || result.OK == (c.proof.Refusal != "") {
					t.Errorf("result %+v", result)
				}
			case tools.Unknown:
				if diff := cmp.Diff(tools.Interrupted(c.call), result); diff != "" {
					t.Errorf("result (-want +got):\n%s", diff)
				}
			}
			if c.file != content(t, ws, "f") {
				t.Error("recovery changed the file")
			}
		})
	}
}

func TestARecoveredResultIsTheOneThatWasLost(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{"f": "one"})
	calls := []tools.Call{
		write("g/h", "new"), edit("f", "one", "two"), edit("./f", "t", "T", "w", "W"), edit("f", "none", "x"), write("f", ""),
	}
	proofs := tools.Plan(ws, calls)
	var lost []run.ToolResult
	for _, asked := range calls {
		result := do(t, ws, asked)
		result.Proved = true
		lost = append(lost, result)
	}
	var recovered []run.ToolResult
	for i, asked := range calls {
		_, result := tools.Recover(ws, asked, proofs[i], rest(proofs, i))
		recovered = append(recovered, result)
	}
	if diff := cmp.Diff(lost, recovered); diff != "" {
		t.Errorf("results (-lost +recovered):\n%s", diff)
	}
}

// rest are the proofs of the calls after i.
func rest(proofs []*run.ToolProof, i int) []run.ToolProof {
	var later []run.ToolProof
	for _, proof := range proofs[i+1:] {
		if proof != nil {
			later = append(later, *proof)
		}
	}
	return later
}

func TestWhatTookTheFilesPlaceIsUnknown(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{"g": "two"})
	if err := os.Symlink("g", filepath.Join(ws.Dir(), "f")); err != nil {
		t.Fatal(err)
	}
	proof := &run.ToolProof{Path: "f", Before: digest("one"), After: digest("two")}
	if verdict, _ := tools.Recover(ws, edit("f", "one", "two"), proof, nil); verdict != tools.Unknown {
		t.Errorf("a link to a file with the digest is %v", verdict)
	}
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	got := tools.Interrupted(tools.Call{ID: "c7", Name: "write"})
	if got.OK || !got.Interrupted || got.CallID != "c7" || got.Name != "write" || got.File != nil {
		t.Errorf("%+v", got)
	}
	if !strings.Contains(got.Content, "not known") {
		t.Errorf("the model is told %q", got.Content)
	}
}

func TestVerdictsHaveNames(t *testing.T) {
	t.Parallel()
	names := []string{tools.Unknown.String(), tools.NotDone.String(), tools.Done.String()}
	if diff := cmp.Diff([]string{"unknown", "not done", "done"}, names); diff != "" {
		t.Error(diff)
	}
}
