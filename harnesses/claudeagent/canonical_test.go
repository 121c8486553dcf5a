package claudeagent

import (
	"encoding/json"
	"testing"

	"github.com/agentrun/agentrun/models"
)

const conversationJSON = `[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"text","text":"b"},` +
	`{"type":"tool_use","id":"c1","name":"mcp__host__read","input":{"x":1,"y":"<"}}]},` +
	`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"r"}]}]}]`

func digestOfJSON(t *testing.T, messages string) string {
	t.Helper()
	r, err := readRequest([]byte(`{"messages":` + messages + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return digestOf("be good", []models.Tool{{Name: "read", Schema: json.RawMessage(`{}`)}}, r.messages)
}

func TestDigestsLeaveOutWhatIsNotAsked(t *testing.T) {
	t.Parallel()
	want := digestOfJSON(t, conversationJSON)
	for name, messages := range map[string]string{
		"everything that may differ": `[{"role":"user","content":[{"type":"text","text":"a\n","cache_control":{"type":"ephemeral"}},` +
			`{"type":"text","text":"<system-reminder>\nx\n</system-reminder>"}]},{"role":"system","content":"# Environment"},` +
			`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redacted_thinking","data":"d"},` +
			`{"type":"text","text":"b"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"read",` +
			`"input":{ "y":"\u003c", "x":1 }}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1",` +
			`"is_error":false,"content":"r","cache_control":{"type":"ephemeral"}}]}]`,
	} {
		if got := digestOfJSON(t, messages); got != want {
			t.Errorf("%s changes the digest", name)
		}
	}
}

func TestDigestsTellApartWhatIsAsked(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	note := func(name, digest string) {
		if other, twice := seen[digest]; twice {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[digest] = name
	}
	for name, messages := range map[string]string{
		"the conversation": conversationJSON,
		"two texts":        `[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]`,
		"one text":         `[{"role":"user","content":"ab"}]`,
		"an answer":        `[{"role":"assistant","content":"ab"}]`,
		"a call":           `[{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"n","input":{}}]}]`,
		"other input":      `[{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"n","input":{"a":1.0}}]}]`,
		"a result":         `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":"ab"}]}]`,
		"a failed result":  `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","is_error":true,"content":"ab"}]}]`,
		"an empty result":  `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"i"}]}]`,
		"a picture in it":  `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":[{"type":"image"}]}]}]`,
		"a strange result": `[{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":7}]}]`,
		"a picture":        `[{"role":"user","content":[{"type":"image","source":{"data":"x"}}]}]`,
	} {
		note(name, digestOfJSON(t, messages))
	}
	r, err := readRequest([]byte(`{"messages":` + conversationJSON + `}`))
	if err != nil {
		t.Fatal(err)
	}
	note("other instructions", digestOf("be bad", nil, r.messages))
	note("no tools", digestOf("be good", nil, r.messages))
	note("a described tool", digestOf("be good", []models.Tool{{Name: "read", Description: "d"}}, r.messages))
}
