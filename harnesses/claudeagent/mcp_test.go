package claudeagent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/models"
)

func rpcOf(t *testing.T, text string) rpc {
	t.Helper()
	var m rpc
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnswersOfTheMCPServer(t *testing.T) {
	t.Parallel()
	box := newToolbox([]models.Tool{{Name: "read", Description: strings.Repeat("é", 1000)}})
	for _, c := range []struct{ name, asked, want string }{
		{
			"initialize", `{"id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
			`{"id":0,"jsonrpc":"2.0","result":{"capabilities":{"tools":{}},"protocolVersion":"2025-11-25","serverInfo":{"name":"host","version":"1"}}}`,
		},
		{"a version that is not said", `{"id":"x","method":"initialize"}`, `"protocolVersion":"2025-06-18"`},
		{"a notification", `{"method":"notifications/initialized"}`, `{"id":0,"jsonrpc":"2.0","result":{}}`},
		{"ping", `{"id":7,"method":"ping"}`, `{"id":7,"jsonrpc":"2.0","result":{}}`},
		{"the tools", `{"id":1,"method":"tools/list"}`, `"annotations":{"readOnlyHint":true},"description":"` + strings.Repeat("é", 500) + `…"`},
		{"the stand-in", `{"id":1,"method":"tools/list"}`, `"name":"unlisted"`},
		{"an unknown method", `{"id":1,"method":"prompts/list"}`, `{"error":{"code":-32601,"message":"there is no method prompts/list"},"id":1,"jsonrpc":"2.0"}`},
	} {
		if got := string(encoded(answerRPC(rpcOf(t, c.asked), box))); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

func TestCallsOfTheProgram(t *testing.T) {
	t.Parallel()
	c := testCleaner()
	for _, test := range []struct{ name, params, id, tool, args, fault string }{
		{"a tool", `"name":"read","arguments":{"a":1},"_meta":{"claudecode/toolUseId":"c7"}`, "c7", "read", `{"a":1}`, ""},
		{"no arguments", `"name":"read","_meta":{"claudecode/toolUseId":"c7"}`, "c7", "read", `{}`, ""},
		{"a tool that nobody offered", `"name":"unlisted","_meta":{"claudecode/toolUseId":"c3"}`, "c3", "nosuch", `{}`, ""},
		{"the stand-in itself", `"name":"unlisted","_meta":{"claudecode/toolUseId":"c7"}`, "", "", "", "no answer asked for the call c7"},
		{"a tool that is not listed", `"name":"bash","_meta":{"claudecode/toolUseId":"c7"}`, "", "", "", "there is no tool bash"},
		{"no id", `"name":"read"`, "", "", "", "the call of read has no id"},
	} {
		m := rpcOf(t, `{"id":1,"method":"tools/call","params":{`+test.params+`}}`)
		call, err := callOf(m, c.box, c.book)
		if test.fault != "" {
			if err == nil || err.Error() != test.fault {
				t.Errorf("%s: %v", test.name, err)
			}
			continue
		}
		if err != nil || call.ID != test.id || call.Name != test.tool || string(call.Args) != test.args {
			t.Errorf("%s: %+v, %v", test.name, call, err)
		}
	}
}
