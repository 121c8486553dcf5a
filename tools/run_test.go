package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/tools"
)

func TestAnUnknownToolIsSaid(t *testing.T) {
	t.Parallel()
	got := do(t, workspace(t, nil), tools.Call{ID: "c1", Name: "bash", Args: json.RawMessage(`{"command":"ls"}`)})
	want := run.ToolResult{CallID: "c1", Name: "bash", Content: "Tool bash not found"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if long := do(t, workspace(t, nil), tools.Call{Name: strings.Repeat("x", 1<<20)}); len(long.Content) > 200 {
		t.Errorf("the answer to a huge name is %d bytes", len(long.Content))
	}
}

func TestInvalidArgumentsAreAnsweredToTheModel(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, tool, args string
		want             []string
	}{
		{"none", "read", "", []string{"missing property 'path'"}},
		{"null", "read", "null", []string{"got null, want object"}},
		{"a list", "write", "[]", []string{"got array, want object"}},
		{"cut off", "write", `{"path":"a","content":"x`, []string{"not JSON"}},
		{"two values", "write", `{"path":"a","content":"x"} {}`, []string{"not JSON"}},
		{"a name models know from elsewhere", "read", `{"file_path":"a"}`, []string{"missing property 'path'", "'file_path' not allowed"}},
		{"names of its own, always in one order", "read", `{"path":"a","e":1,"d":1,"c":1,"b":1}`, []string{"'b', 'c', 'd', 'e' not allowed"}},
		{"a number for text", "write", `{"path":"a","content":5}`, []string{"content: got number, want string"}},
		{"an empty path", "read", `{"path":""}`, []string{"path: minLength"}},
		{"a line before the first", "read", `{"path":"a","offset":0}`, []string{"offset: minimum"}},
		{"half a line", "read", `{"path":"a","limit":1.5}`, []string{"limit: got number, want integer"}},
		{"beyond all lines", "read", `{"path":"a","limit":1e300}`, []string{"limit: maximum"}},
		{"no edits", "edit", `{"path":"a","edits":[]}`, []string{"edits: minItems"}},
		{"an edit of nothing", "edit", `{"path":"a","edits":[{"oldText":"","newText":"x"}]}`, []string{"edits/0/oldText: minLength"}},
		{"an edit without its new text", "edit", `{"path":"a","edits":[{"oldText":"x","newText":""},{"oldText":"x"}]}`, []string{"edits/1: missing property 'newText'"}},
		{"a repeated name, the last one wrong", "write", `{"path":"a","content":"x","content":5}`, []string{"content: got number"}},
		{"very many faults", "edit", `{"path":"a","edits":[` + strings.Repeat(`{},`, 150) + `{}]}`, []string{"and 141 more"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ws := workspace(t, map[string]string{"a": "x"})
			got := do(t, ws, tools.Call{ID: "c1", Name: c.tool, Args: json.RawMessage(c.args)})
			if got.OK || !strings.HasPrefix(got.Content, "Invalid arguments for "+c.tool+": ") || len(got.Content) > 2000 {
				t.Errorf("result %+v", got)
			}
			for _, want := range c.want {
				if !strings.Contains(got.Content, want) {
					t.Errorf("%q does not say %q", got.Content, want)
				}
			}
			if got := content(t, ws, "a"); got != "x" {
				t.Errorf("the file holds %q now", got)
			}
		})
	}
}

func TestArgumentsAreReadAsTheyWereChecked(t *testing.T) {
	t.Parallel()
	ws := workspace(t, nil)
	got := do(t, ws, tools.Call{Name: "write", Args: json.RawMessage(`{"path":1,"content":"x","path":"a","PATH":"b"}`)})
	if got.OK {
		t.Errorf("a name of another case passed: %+v", got)
	}
	got = do(t, ws, tools.Call{Name: "write", Args: json.RawMessage(`{"path":1,"content":"x","path":"a"}`)})
	if !got.OK || content(t, ws, "a") != "x" {
		t.Errorf("the last of two paths was not taken: %+v", got)
	}
}

func TestACancelledCallDoesNothing(t *testing.T) {
	t.Parallel()
	ws := workspace(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got := tools.Run(ctx, ws, write("a", "x"), tools.Options{})
	if got.OK || content(t, ws, "a") != "(none)" {
		t.Errorf("result %+v, file %q", got, content(t, ws, "a"))
	}
}

// FuzzRun throws anything at the tools: they answer, and what they say of a file is so.
func FuzzRun(f *testing.F) {
	for _, seed := range []tools.Call{
		write("a", "x"), edit("a", "x", "y"), call("read", object{"path": "a", "offset": 2, "limit": 3.0}),
		write("../a", ""),
		{Name: "edit", Args: json.RawMessage(`{"path":1,"path":"a","edits":[{"oldText":"\ud800"}]}`)},
		{Name: "read", Args: json.RawMessage(`{"path":"a","offset":1e-400,"limit":1E+9}`)},
	} {
		f.Add(seed.Name, []byte(seed.Args))
	}
	ws := workspace(f, nil)
	f.Fuzz(func(t *testing.T, name string, args []byte) {
		put(t, ws, "a", "one\ntwo\r\nthree")
		put(t, ws, "d/b", "")
		asked := tools.Call{ID: "c", Name: name, Args: args}
		proof := tools.Plan(ws, []tools.Call{asked})[0]
		got := do(t, ws, asked)
		if !got.OK && got.Content == "" {
			t.Fatalf("a refusal without words: %+v", got)
		}
		if len(got.Content) > 10_000 {
			t.Fatalf("%d bytes of result", len(got.Content))
		}
		switch {
		case got.File != nil:
			if proof == nil || proof.Refusal != "" || proof.Path != got.File.Path || proof.After != got.File.Digest {
				t.Fatalf("planned %+v, done %+v", proof, got.File)
			}
			if digest, err := ws.Digest(got.File.Path); err != nil || digest != got.File.Digest {
				t.Fatalf("told %+v, but %s, %v", got.File, digest, err)
			}
		case proof != nil && proof.Refusal != got.Content:
			t.Fatalf("planned %+v, answered %q", proof, got.Content)
		}
	})
}
