package codex

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/harnesses/cli"
)

// The parts of conversations in tests.
const (
	asks     = `{"type":"message","role":"user","content":[{"type":"input_text","text":"q"}]}`
	says     = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}`
	thinks   = `{"type":"reasoning","summary":[],"encrypted_content":"x"}`
	calls1   = `{"type":"function_call","call_id":"c1","name":"read","arguments":"{}"}`
	calls2   = `{"type":"function_call","call_id":"c2","name":"read","arguments":"{}"}`
	results1 = `{"type":"function_call_output","call_id":"c1","output":"r1"}`
	results2 = `{"type":"function_call_output","call_id":"c2","output":"r2"}`
	system   = `{"type":"message","role":"developer","content":[{"type":"input_text","text":"You are a tester."}]}`
)

func requestOf(t *testing.T, items ...string) *request {
	t.Helper()
	r, err := readRequest([]byte(`{"model":"m","input":[` + strings.Join(items, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhereAConversationStands(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		items []string
		place int
		words string
		calls string
	}{
		"nothing":                    {nil, 0, "", ""},
		"a question":                 {[]string{system, asks}, 0, "q", ""},
		"an answer of many items":    {[]string{asks, thinks, says, calls1, calls2}, 1, "q", "c1 c2"},
		"with its results":           {[]string{asks, says, calls1, calls2, results1, results2}, 1, "q", "c1 c2"},
		"the answer to those":        {[]string{asks, calls1, results1, says}, 2, "q", ""},
		"the next call":              {[]string{asks, calls1, results1, calls2, results2}, 2, "q", "c2"},
		"two answers in a row":       {[]string{asks, says, says, says}, 1, "q", ""},
		"a question after an answer": {[]string{asks, says, strings.Replace(asks, `"q"`, `"more"`, 1)}, 1, "more", ""},
		"a summary to begin with":    {[]string{asks, asks, says}, 1, "q", ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := requestOf(t, tc.items...)
			if r.place() != tc.place || r.words() != tc.words || strings.Join(r.calls(), " ") != tc.calls {
				t.Errorf("place %d, words %q, calls %q", r.place(), r.words(), r.calls())
			}
		})
	}
}

func TestIsMain(t *testing.T) {
	t.Parallel()
	compacts := strings.Replace(asks, `"q"`, `"`+compactPrompt+`"`, 1)
	cases := map[string]struct {
		items        []string
		instructions string
		want         bool
	}{
		"the conversation":      {[]string{system, asks}, "You are a tester.", true},
		"other instructions":    {[]string{system, asks}, "You are another.", false},
		"none where some are":   {[]string{asks}, "You are a tester.", false},
		"none where none are":   {[]string{asks}, "", true},
		"a summary of it":       {[]string{system, asks, says, compacts}, "You are a tester.", false},
		"nothing in it":         {nil, "", true},
		"instructions, no more": {[]string{system}, "You are a tester.", true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := requestOf(t, tc.items...).main(tc.instructions); got != tc.want {
				t.Errorf("it is %v", got)
			}
		})
	}
}

func digestOf(t *testing.T, r *request, spec cli.Spec) string {
	t.Helper()
	digest, err := r.digest(spec)
	if err != nil {
		t.Fatal(err)
	}
	return digest
}

func TestDigestSeesWhatIsAsked(t *testing.T) {
	t.Parallel()
	spec := cli.Spec{Model: testModel, Tools: testTools}
	base := digestOf(t, example(t), spec)
	change := func(old, fresh string) func(*testing.T, *request) *request {
		return func(t *testing.T, r *request) *request {
			t.Helper()
			body, err := compact(r.fields)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(body), old) {
				t.Fatalf("there is no %s in %s", old, body)
			}
			changed, err := readRequest([]byte(strings.ReplaceAll(string(body), old, fresh)))
			if err != nil {
				t.Fatal(err)
			}
			return changed
		}
	}
	cases := map[string]struct {
		change func(*testing.T, *request) *request
		same   bool
	}{
		"a thread's id":               {change("01a229cb-0569-71e2-b419-8e5a86588e51", "other"), true},
		"an item's id":                {change("msg_01a229cb", "msg_other"), true},
		"an item's status":            {change(`"status":"completed",`, ""), true},
		"annotations":                 {change(`,"annotations":[]`, ""), true},
		"the date":                    {change("2026-11-30", "2026-12-01"), true},
		"what it may do":              {change("only permits reading", "permits anything but"), true},
		"a tool nobody offers":        {change("request_user_input", "request_anything"), true},
		"instructions":                {change("You are a tester.", "You are another."), false},
		"what the user says":          {change("please two files", "please three files"), false},
		"what the model says":         {change("Let me write.", "Let me think."), false},
		"a call's id":                 {change(`"call_id":"call_0"`, `"call_id":"call_9"`), false},
		"a call's arguments":          {change(`\"content\":\"A\"`, `\"content\":\"B\"`), false},
		"a call's name":               {change(`"name":"read"`, `"name":"look"`), false},
		"a result":                    {change(`"output":"r0"`, `"output":"r9"`), false},
		"the effort":                  {change(`"effort":"high"`, `"effort":"low"`), false},
		"the order of a tool's words": {change(`"required":["path","content"]`, `"required":["content","path"]`), true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := digestOf(t, tc.change(t, example(t)), spec); (got == base) != tc.same {
				t.Errorf("the same digest: %v", got == base)
			}
		})
	}
}

func TestDigestSeesTheSpec(t *testing.T) {
	t.Parallel()
	spec := cli.Spec{Model: testModel, Tools: testTools}
	base := digestOf(t, example(t), spec)
	cases := map[string]struct {
		change func(*cli.Spec)
		same   bool
	}{
		"another model":     {func(s *cli.Spec) { s.Model.Name = "n" }, false},
		"another price":     {func(s *cli.Spec) { s.Model.MaxOutput = 7 }, true},
		"a tool less":       {func(s *cli.Spec) { s.Tools = s.Tools[:1] }, false},
		"other words":       {func(s *cli.Spec) { s.Tools[0].Description = "x" }, false},
		"another schema":    {func(s *cli.Spec) { s.Tools[0].Schema = json.RawMessage(`{}`) }, false},
		"a schema's spaces": {func(s *cli.Spec) { s.Tools[0].Schema = append(json.RawMessage("\n "), s.Tools[0].Schema...) }, true},
		"another folder":    {func(s *cli.Spec) { s.Dir, s.Marker = "/x", "y/z" }, true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := spec
			changed.Tools = slices.Clone(testTools)
			tc.change(&changed)
			if got := digestOf(t, example(t), changed); (got == base) != tc.same {
				t.Errorf("the same digest: %v", got == base)
			}
		})
	}
}

func TestThoughtsAreNotAsked(t *testing.T) {
	t.Parallel()
	spec := cli.Spec{Model: testModel}
	if digestOf(t, requestOf(t, asks, thinks, says), spec) != digestOf(t, requestOf(t, asks, says), spec) {
		t.Error("hidden reasoning changes what is asked")
	}
	other := `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"b":1,"a":2}}`
	same := `{"action":{"a":2,"b":1},"type":"web_search_call","id":"ws_2"}`
	if digestOf(t, requestOf(t, asks, other), spec) != digestOf(t, requestOf(t, asks, same), spec) {
		t.Error("an id or the order of fields changes what is asked")
	}
}
