package claudeagent

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

const testMarker = "go on (nonce)"

// cleaned cleans messages written as JSON and writes them again.
func cleaned(t *testing.T, c cleaner, messages string) []message {
	t.Helper()
	r, err := readRequest([]byte(`{"messages":` + messages + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return c.clean(r.messages)
}

func testCleaner() cleaner {
	book := newLedger(nil)
	book.settle("c1", cli.Result{Text: " one \n"})
	book.settle("c2", cli.Result{IsError: true})
	book.rename("c3", "nosuch")
	return cleaner{box: newToolbox([]models.Tool{{Name: "read"}}), book: book, marker: testMarker, gap: 1}
}

func TestCleaningTakesOutWhatTheProgramPutIn(t *testing.T) {
	t.Parallel()
	const calls = `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"mcp__host__read","input":{}},` +
		`{"type":"tool_use","id":"c2","name":"mcp__host__read","input":{}}]}`
	for _, c := range []struct{ name, messages, want string }{
		{
			"a marker among results",
			`[{"role":"user","content":"a"},{"role":"user","content":[{"type":"text","text":"b"},` +
				`{"type":"text","text":"go on (nonce)\n","cache_control":{"type":"ephemeral"}}]}]`,
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b","cache_control":{"type":"ephemeral"}}]}]`,
		},
		{
			"a stand-in answer before the marker, and the breakpoint goes back",
			`[{"role":"user","content":"a"},` + calls + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"c9","content":"x"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"No response requested."}]},` +
				`{"role":"user","content":[{"type":"text","text":"go on (nonce)","cache_control":{"type":"ephemeral"}}]}]`,
			`[{"role":"user","content":[{"type":"text","text":"a"}]},` + calls +
				`,{"role":"user","content":[{"type":"tool_result","tool_use_id":"c9","content":"x","cache_control":{"type":"ephemeral"}}]}]`,
		},
		{
			"the same words of the model's at another place",
			`[{"role":"user","content":"a"},{"role":"assistant","content":"No response requested."},{"role":"user","content":"b"}]`,
			`[{"role":"user","content":[{"type":"text","text":"a"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"No response requested."}]},` +
				`{"role":"user","content":[{"type":"text","text":"b"}]}]`,
		},
		{
			"an answer without content",
			`[{"role":"user","content":"a"},{"role":"assistant","content":"(no content)"},{"role":"user","content":"\n/b"}]`,
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"/b"}]}]`,
		},
		{
			"an answer that only thinks",
			`[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"(no content)"}]},` +
				`{"role":"user","content":"b"},{"role":"assistant","content":[{"type":"text","text":" "}]}]`,
			`[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`,
		},
		{
			"results out of order and in the program's words",
			`[` + calls + `,{"role":"user","content":[{"type":"text","text":"and"},` +
				`{"type":"tool_result","tool_use_id":"c2","content":"<persisted-output>"},` +
				`{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"one","cache_control":{"type":"ephemeral"}}]}]`,
			`[` + calls + `,{"role":"user","content":[` +
				`{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":" one \n"}]},` +
				`{"type":"tool_result","tool_use_id":"c2","is_error":true},` +
				`{"type":"text","text":"and","cache_control":{"type":"ephemeral"}}]}]`,
		},
		{
			"a call of a tool that nobody offered",
			`[{"role":"assistant","content":[{"type":"tool_use","id":"c3","name":"mcp__host__unlisted","input":{}},` +
				`{"type":"tool_use","id":"c4","name":"mcp__host__unlisted","input":{}}]}]`,
			`[{"role":"assistant","content":[{"type":"tool_use","id":"c3","name":"nosuch","input":{}},` +
				`{"type":"tool_use","id":"c4","name":"mcp__host__unlisted","input":{}}]}]`,
		},
		{
			"words of the system's stay where they are",
			`[{"role":"user","content":"a"},{"role":"system","content":"# Environment"},{"role":"user","content":"b"}]`,
			`[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"system","content":[{"type":"text","text":"# Environment"}]},` +
				`{"role":"user","content":[{"type":"text","text":"b"}]}]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := normal(encoded(cleaned(t, testCleaner(), c.messages)))
			if diff := cmp.Diff(normal(json.RawMessage(c.want)), got); diff != "" {
				t.Errorf("it differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestABreakpointIsNeverOnThinking(t *testing.T) {
	t.Parallel()
	blocks := []block{{"type": encoded("thinking"), "cache_control": encoded("x")}}
	putBreakpoint(blocks, takeBreakpoint(blocks))
	if _, there := blocks[0]["cache_control"]; there {
		t.Error("the provider refuses a breakpoint on thinking")
	}
}
