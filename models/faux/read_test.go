package faux

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// view is what the tests look at in a conversation.
type view struct {
	System, First, Last string
	Turn, Step          int64
	FromUser            bool
	Results             []string
	Tools               []string
}

func viewOf(talk *conversation) view {
	seen := view{
		System: talk.system, First: talk.firstUser, Last: talk.lastUser,
		Turn: talk.turn, Step: talk.step, FromUser: talk.fromUser,
	}
	for _, result := range talk.results {
		seen.Results = append(seen.Results, result.name+"="+result.text)
	}
	for _, tool := range talk.tools {
		seen.Tools = append(seen.Tools, tool.name)
	}
	return seen
}

func mustRead(t *testing.T, protocol Protocol, body string) *conversation {
	t.Helper()
	talk, bad := read(protocol, body)
	if bad != nil {
		t.Fatalf("%s: %s", body, bad.message)
	}
	return talk
}

// The same conversation in the three protocols: two turns of the user, the second answered with two parallel calls.
const (
	responsesBody = `{"model":"m","instructions":"Be brief.","prompt_cache_key":"k","max_output_tokens":9,"stream":true,
		"reasoning":{"effort":"low"},"include":["reasoning.encrypted_content"],"text":{"format":{"type":"json_schema"}},
		"tools":[{"type":"function","name":"write"},{"type":"web_search"}],
		"input":[{"role":"developer","content":"Be kind."},
		{"role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]},
		{"type":"message","role":"user","content":"Hello."},
		{"type":"reasoning","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi."}]},
		{"role":"user","content":[{"type":"input_text","text":"Write."},{"type":"input_image","image_url":"data:"}]},
		{"type":"reasoning","summary":[]},
		{"type":"function_call","call_id":"1","name":"write","arguments":"{}"},
		{"type":"custom_tool_call","call_id":"2","name":"patch","input":""},
		{"type":"function_call_output","call_id":"1","output":"a"},
		{"type":"custom_tool_call_output","call_id":"2","output":[{"type":"input_text","text":"b"},{"type":"input_text","text":"c"}]}]}`
	chatBody = `{"model":"m","prompt_cache_key":"k","max_completion_tokens":9,"stream":true,"stream_options":{"include_usage":true},
		"reasoning_effort":"low","response_format":{"type":"json_schema"},
		"tools":[{"type":"function","function":{"name":"write"}}],
		"messages":[{"role":"system","content":"Be brief."},{"role":"developer","content":[{"type":"text","text":"Be kind."}]},
		{"role":"user","content":"Hello."},{"role":"assistant","content":"Hi."},
		{"role":"user","content":[{"type":"text","text":"Write."},{"type":"image_url","image_url":{"url":"data:"}}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"write","arguments":"{}"}},
			{"id":"2","type":"custom","custom":{"name":"patch","input":""}}]},
		{"role":"tool","tool_call_id":"1","content":"a"},
		{"role":"tool","tool_call_id":"2","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}]}]}`
	messagesBody = `{"model":"m","max_tokens":9,"stream":true,"metadata":{"user_id":"k"},"thinking":{"type":"enabled"},
		"output_config":{"effort":"low","format":{"type":"json_schema"}},
		"system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Be kind."}],
		"tools":[{"name":"write","input_schema":{}}],
		"messages":[{"role":"user","content":"Hello."},{"role":"assistant","content":"Hi."},
		{"role":"user","content":[{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"Write."},{"type":"image"}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":""},{"type":"tool_use","id":"1","name":"write","input":{}},
			{"type":"tool_use","id":"2","name":"patch","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"a"},
			{"type":"tool_result","tool_use_id":"2","content":[{"type":"text","text":"b"},{"type":"text","text":"c"}],"is_error":true}]}]}`
)

func TestReadSeesTheSameConversationInEveryProtocol(t *testing.T) {
	t.Parallel()
	for protocol, body := range map[Protocol]string{Responses: responsesBody, Chat: chatBody, Messages: messagesBody} {
		talk := mustRead(t, protocol, body)
		want := view{
			System: "Be brief.\nBe kind.", First: "Hello.", Last: "Write.", Turn: 2, Step: 1,
			Results: []string{"write=a", "patch=b\nc"}, Tools: []string{"write"},
		}
		if diff := cmp.Diff(want, viewOf(talk)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", protocol, diff)
		}
		if talk.key != "k" || talk.outputLimit != 9 || !talk.stream || talk.effort != "low" || !talk.wantsOutput || len(talk.digest) != 64 {
			t.Errorf("%s: %+v", protocol, talk)
		}
	}
	if !mustRead(t, Responses, responsesBody).encrypted || !mustRead(t, Chat, chatBody).includeUsage ||
		!mustRead(t, Messages, messagesBody).thinking || !mustRead(t, Messages, messagesBody).results[1].failed {
		t.Error("what only one protocol has was not read")
	}
}

func TestReadSimpleForms(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		protocol Protocol
		body     string
		want     view
	}{
		"input as text": {Responses, `{"model":"m","input":"Hi"}`, view{First: "Hi", Last: "Hi", FromUser: true}},
		"a follow-up without an answer": {
			Responses, `{"model":"m","input":[{"role":"user","content":"Take your time."},{"role":"user","content":"Go on."}]}`,
			view{First: "Take your time.", Last: "Go on.", FromUser: true},
		},
		"a message between results and answer": {
			Chat, `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"w"}}]},
				{"role":"tool","tool_call_id":"1","content":"r"},{"role":"user","content":"b"}]}`,
			view{First: "a", Last: "b", Turn: 1, FromUser: true, Results: []string{"w=r"}},
		},
		"nothing but a note": {
			Messages, `{"model":"m","messages":[{"role":"user","content":"<system-reminder>a</system-reminder>"}]}`, view{},
		},
		"system among the messages": {
			Messages, `{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]}`,
			view{System: "s", First: "a", Last: "a", FromUser: true},
		},
		"unknown items are passed over": {
			Responses, `{"model":"m","input":[{"role":"user","content":"a"},{"type":"web_search_call"},{"type":"compaction"},{"type":"local_shell_call_output"}]}`,
			view{First: "a", Last: "a", Turn: 1, Step: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, viewOf(mustRead(t, test.protocol, test.body))); diff != "" {
				t.Errorf("conversation (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefusals(t *testing.T) {
	t.Parallel()
	call := `{"type":"function_call","call_id":"1","name":"w","arguments":"{}"}`
	for name, test := range map[string]struct {
		protocol      Protocol
		body, message string
	}{
		"not JSON":                  {Responses, `{`, "not valid JSON"},
		"not an object":             {Chat, `[]`, "not a JSON object"},
		"too deep":                  {Messages, strings.Repeat("[", 1_000_000), "not valid JSON"},
		"deep but closed":           {Messages, strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), "not valid JSON"},
		"no model":                  {Responses, `{"input":"a"}`, "model is required"},
		"no input":                  {Responses, `{"model":"m"}`, "input is required"},
		"no messages, chat":         {Chat, `{"model":"m","messages":1}`, "messages is required"},
		"no messages":               {Messages, `{"model":"m"}`, "a list is required"},
		"item not an object":        {Responses, `{"model":"m","input":[1]}`, "not an object"},
		"role, responses":           {Responses, `{"model":"m","input":[{"role":"robot"}]}`, `the role "robot"`},
		"role, chat":                {Chat, `{"model":"m","messages":[{"role":"robot"}]}`, `the role "robot"`},
		"role, messages":            {Messages, `{"model":"m","messages":[{"role":"robot"}]}`, `the role "robot"`},
		"kept conversations":        {Responses, `{"model":"m","input":"a","previous_response_id":"r"}`, "keeps no conversations"},
		"kept items":                {Responses, `{"model":"m","input":[{"type":"item_reference","id":"r"}]}`, "keeps no items"},
		"call without result":       {Responses, `{"model":"m","input":[` + call + `]}`, `the tool call "1" (w) has no result`},
		"result without call":       {Responses, `{"model":"m","input":[{"type":"function_call_output","call_id":"9","output":""}]}`, "does not have"},
		"two results":               {Responses, `{"model":"m","input":[` + call + strings.Repeat(`,{"type":"function_call_output","call_id":"1","output":""}`, 2) + `]}`, "more than one result"},
		"late result, chat":         {Chat, `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"w"}}]},{"role":"user","content":"a"},{"role":"tool","tool_call_id":"1","content":""}]}`, "has no result"},
		"late result, messages":     {Messages, `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"w"}]},{"role":"user","content":"a"}]}`, "has no result"},
		"assistant twice":           {Messages, `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"w"}]},{"role":"assistant","content":"b"}]}`, "has no result"},
		"result of nothing":         {Messages, `{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"9"}]}]}`, "does not have"},
		"open at the end, chat":     {Chat, `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"w"}}]}]}`, "has no result"},
		"open at the end, messages": {Messages, `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"w"}]}]}`, "has no result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, bad := read(test.protocol, test.body)
			if bad == nil || !strings.Contains(bad.message, test.message) {
				t.Errorf("read gives %v, want %q", bad, test.message)
			}
			if bad != nil && bad.Error() != bad.message {
				t.Errorf("the error is %q", bad.Error())
			}
		})
	}
}

// TestDigest: what is asked makes the digest; how much, how fast and for whom does not.
func TestDigest(t *testing.T) {
	t.Parallel()
	digest := func(body string) string { return mustRead(t, Responses, body).digest }
	base := digest(`{"model":"m","instructions":"s","input":"a","tools":[]}`)
	for _, same := range []string{
		`{"model":"m","instructions":"s","input":"a","tools":[],"max_output_tokens":5,"stream":true,"reasoning":{"effort":"high"},"metadata":{"a":"b"}}`,
		`{"tools":[],"input":"a","instructions":"s","model":"m"}`,
	} {
		if digest(same) != base {
			t.Errorf("%s has another digest", same)
		}
	}
	for _, other := range []string{
		`{"model":"n","instructions":"s","input":"a","tools":[]}`,
		`{"model":"m","instructions":"t","input":"a","tools":[]}`,
		`{"model":"m","instructions":"s","input":"b","tools":[]}`,
		`{"model":"m","instructions":"s","input":"a","tools":[{"type":"function","name":"w"}]}`,
	} {
		if digest(other) == base {
			t.Errorf("%s has the same digest", other)
		}
	}
}

func TestConversationKey(t *testing.T) {
	t.Parallel()
	key := func(body string) string { return mustRead(t, Responses, body).key }
	for body, want := range map[string]string{
		`{"model":"m","input":"a","prompt_cache_key":"k","metadata":{"session_id":"s"}}`: "k",
		`{"model":"m","input":"a","metadata":{"session_id":"s","user_id":"u"}}`:          "s",
		`{"model":"m","input":"a","metadata":{"conversation_id":"c","run_id":"r"}}`:      "c",
		`{"model":"m","input":"a","metadata":{"run_id":"r"}}`:                            "r",
	} {
		if got := key(body); got != want {
			t.Errorf("%s has the key %q, want %q", body, got, want)
		}
	}
	first := key(`{"model":"m","input":"a"}`)
	if first != key(`{"model":"m","input":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]}`) {
		t.Error("a follow-up has another key")
	}
	if first == key(`{"model":"m","input":"b"}`) || first == key(`{"model":"m","instructions":"s","input":"a"}`) {
		t.Error("another conversation has the same key")
	}
}

func TestNotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"<system-reminder>\nx\n</system-reminder>":               true,
		"<environment_context>x</environment_context>":           true,
		"<permissions instructions>x</permissions instructions>": true,
		"# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>":      true,
		"<system-reminder>x</system-reminder> And this.":         false,
		"<system-reminders>x</system-reminders>":                 false,
		"<b>x</b>":                                               false,
		"<system-reminder>":                                      false,
		"What is <b>?":                                           false,
	} {
		if got := isNote(text); got != want {
			t.Errorf("isNote(%q) = %v", text, got)
		}
	}
}
