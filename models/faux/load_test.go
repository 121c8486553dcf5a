package faux

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// issuesOf are the issues of a refused script as "path: code".
func issuesOf(t *testing.T, err error) []string {
	t.Helper()
	var refused *run.Error
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %v, want a refusal", err)
	}
	if refused.Code != ErrScript {
		t.Fatalf("the code is %s, want %s", refused.Code, ErrScript)
	}
	found := make([]string, 0, len(refused.Issues))
	for _, issue := range refused.Issues {
		if issue.Message == "" {
			t.Errorf("the issue at %s has no message", issue.Path)
		}
		found = append(found, issue.Path+": "+issue.Code)
	}
	return found
}

func TestParseRefusesFaultsWithTheirPaths(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		want   []string
	}{
		"unknown field at the top": {`{rulez: []}`, []string{"rulez: unknown_field"}},
		"unknown fields within": {
			`{"rules": [{"when": {"user": "a", "usr": "b"}, "reply": {"text": "x", "txt": "y"}}]}`,
			[]string{"rules[0].reply.txt: unknown_field", "rules[0].when.usr: unknown_field"},
		},
		"wrong type":            {`rules: [{reply: {text: [1]}}]`, []string{"rules[0].reply.text: invalid"}},
		"missing name":          {`rules: [{reply: {tool_calls: [{args: {}}]}}]`, []string{"rules[0].reply.tool_calls[0].name: required"}},
		"bad duration":          {`rules: [{reply: {text: x, delay: 5}}]`, []string{"rules[0].reply.delay: invalid"}},
		"duration without unit": {`rules: [{reply: {text: x, delay: "5"}}]`, []string{"rules[0].reply.delay: invalid"}},
		"status below 400":      {`rules: [{reply: {status: 200}}]`, []string{"rules[0].reply.status: invalid"}},
		"no reply":              {`rules: [{when: {user: a}}]`, []string{"rules[0].reply: required"}},
		"reply and replies":     {`rules: [{reply: {text: a}, replies: [{text: b}]}]`, []string{"rules[0].replies: conflict"}},
		"empty reply":           {`rules: [{reply: {}}]`, []string{"rules[0].reply: required"}},
		"bad regexp":            {`rules: [{when: {user_matches: "("}, reply: {text: a}}]`, []string{"rules[0].when.user_matches: invalid"}},
		"unknown placeholder":   {`rules: [{reply: {text: "{{name}}"}}]`, []string{"rules[0].reply.text: invalid"}},
		"unknown group":         {`rules: [{when: {user_matches: "(a)"}, reply: {text: "{{match.2}}"}}]`, []string{"rules[0].reply.text: invalid"}},
		"placeholder in args":   {`rules: [{reply: {tool_calls: [{name: a, args: {b: ["{{c}}"]}}]}}]`, []string{"rules[0].reply.tool_calls[0].args: invalid"}},
		"text with a status":    {`rules: [{reply: {status: 500, text: a}}]`, []string{"rules[0].reply.status: conflict"}},
		"body without a status": {`rules: [{reply: {text: a, body: b}}]`, []string{"rules[0].reply.body: conflict"}},
		"text and output":       {`rules: [{reply: {text: a, output: 1}}]`, []string{"rules[0].reply.output: conflict"}},
		"refusal and text":      {`rules: [{reply: {text: a, refusal: b}}]`, []string{"rules[0].reply.refusal: conflict"}},
		"args twice":            {`rules: [{reply: {tool_calls: [{name: a, args: {}, args_text: b}]}}]`, []string{"rules[0].reply.tool_calls[0].args_text: conflict"}},
		"pause without chunks":  {`rules: [{reply: {text: a, chunk_delay: 1s}}]`, []string{"rules[0].reply.chunk_delay: conflict"}},
		"two places of a fault": {`rules: [{reply: {text: a, fault: {kind: cut, after_events: 1, after_bytes: 1}}}]`, []string{"rules[0].reply.fault.after_bytes: conflict"}},
		"half an own event":     {`rules: [{reply: {text: a, fault: {kind: error, mid_event: true}}}]`, []string{"rules[0].reply.fault.mid_event: conflict"}},
		"bad header":            {`rules: [{reply: {text: a, headers: {"a b": c}}}]`, []string{"rules[0].reply.headers.a b: invalid"}},
		"header line break":     {`{"rules": [{"reply": {"text": "a", "headers": {"a": "b\r\nc: d"}}}]}`, []string{"rules[0].reply.headers.a: invalid"}},
		"own length":            {`rules: [{reply: {text: a, headers: {Content-Length: "1"}}}]`, []string{"rules[0].reply.headers.Content-Length: invalid"}},
		"repeated single reply": {`rules: [{reply: {text: a, repeat: 2}}]`, []string{"rules[0].reply.repeat: conflict"}},
		"model twice":           {`models: [{id: a}, {id: a}]`, []string{"models[1].id: duplicate"}},
		"price too fine":        {`models: [{id: a, prices: {input: 0.0000001, output: 1}}]`, []string{"models[0].prices.input: invalid"}},
		"price below zero":      {`models: [{id: a, prices: {input: -1, output: 1}}]`, []string{"models[0].prices.input: invalid"}},
		"extends nothing":       {`extends: nothing`, []string{"extends: invalid"}},
		"negative usage":        {`rules: [{reply: {text: a, usage: {input: -1}}}]`, []string{"rules[0].reply.usage.input: invalid"}},
		"same name twice, JSON": {`{"rules": [], "rules": []}`, []string{"script: unreadable"}},
		"same name twice, YAML": {"rules: []\nrules: []\n", []string{"script: unreadable"}},
		"name that is no text":  {"? [a]\n: 2\n", []string{"script: unreadable"}},
		"anchor and alias":      {"models: &m []\nrules: *m\n", []string{"script: unreadable"}},
		"two documents":         {"rules: []\n---\nrules: []\n", []string{"script: unreadable"}},
		"nothing":               {"", []string{"script: unreadable"}},
		"not UTF-8":             {"rules: [\xff]", []string{"script: unreadable"}},
		"unfinished":            {`{"rules": [`, []string{"script: unreadable"}},
		"not a number":          {`usage: {input: .nan}`, []string{"script: unreadable"}},
		"a list":                {`[]`, []string{": invalid"}},
		"deep JSON":             {`{"rules": ` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, []string{"script: unreadable"}},
		"deep YAML, flow":       {`rules: ` + strings.Repeat("[", 100_000), []string{"script: unreadable"}},
		"deep YAML, block":      {strings.Repeat("- ", 100_000), []string{"script: unreadable"}},
		"too large":             {strings.Repeat("#", MaxScriptBytes+1), []string{"script: too_large"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse([]byte(test.script))
			if diff := cmp.Diff(test.want, issuesOf(t, err)); diff != "" {
				t.Errorf("issues (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

func TestParseReadsJSONAndYAMLAlike(t *testing.T) {
	t.Parallel()
	yes, limit := true, int64(3)
	want := Script{
		Models: []Model{{ID: "m", API: "chat", MaxOutput: 10, Prices: &Prices{Input: run.Dollar / 4, Output: 2 * run.Dollar}}},
		Rules: []Rule{{
			Name: "one", Times: 2,
			When: When{UserMatches: "^a$", Turn: Exactly(0), Attempt: &Range{Max: &limit}, Stream: &yes},
			Reply: &Reply{
				Text: "b", Delay: Duration(1500 * time.Millisecond), Usage: &Usage{Input: 1, Output: 2},
				ToolCalls: []ToolCall{{Name: "w", Args: []byte(`{"z":1,"a":[true,null,1.5,"é"]}`)}},
			},
		}},
	}
	texts := map[string]string{
		"YAML": `
models: [{id: m, api: chat, max_output: 10, prices: {input: 0.25, output: 2}}]
rules:
  - name: one
    times: 2
    when: {user_matches: ^a$, turn: 0, attempt: {max: 3}, stream: true}
    reply:
      text: b
      delay: 1.5s
      usage: {input: 1, output: 2}
      tool_calls: [{name: w, args: {z: 1, a: [true, null, 1.5, é]}}]
`,
		"JSON": "\t" + `{"models":[{"id":"m","api":"chat","max_output":10,"prices":{"input":0.25,"output":2}}],
			"rules":[{"name":"one","times":2,"when":{"user_matches":"^a$","turn":0,"attempt":{"max":3},"stream":true},
			"reply":{"text":"b","delay":"1.5s","usage":{"input":1,"output":2},
			"tool_calls":[{"name":"w","args":{"z":1,"a":[true,null,1.5,"é"]}}]}}]}`,
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Parse([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("script (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if _, err := Load(write("good.yaml", "rules: [{reply: {text: a}}]")); err != nil {
		t.Errorf("a good script: %v", err)
	}
	bad := write("bad.json", `{"rulez":[]}`)
	_, err := Load(bad)
	var refused *run.Error
	if !errors.As(err, &refused) || refused.Details["file"] != bad {
		t.Errorf("a bad script: %v, details %v", err, refused.Details)
	}
	if _, err := Load(write("large.yaml", strings.Repeat("#", MaxScriptBytes+1))); run.CodeOf(err) != ErrScript {
		t.Errorf("a large script: %v", err)
	}
	if _, err := Load(filepath.Join(dir, "missing")); run.CodeOf(err) != run.ErrNotFound || !strings.Contains(err.Error(), "output-priced") {
		t.Errorf("a missing script: %v", err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("a directory was read as a script")
	}
	if _, err := BuiltinText("missing"); run.CodeOf(err) != run.ErrNotFound {
		t.Errorf("a missing ready script: %v", err)
	}
}

func TestNewRefusesAScriptMadeInGo(t *testing.T) {
	t.Parallel()
	below := Usage{Input: -1}
	for want, script := range map[string]Script{
		"models[0].id: required":                      {Models: []Model{{}}},
		"extends: invalid":                            {Extends: "./default"},
		"rules[0].reply.status: invalid":              {Rules: []Rule{{Reply: &Reply{Status: 200}}}},
		"rules[0].reply.usage: invalid":               {Rules: []Rule{{Reply: &Reply{Text: "a", Usage: &below}}}},
		"rules[0].reply.fault.kind: invalid":          {Rules: []Rule{{Reply: &Reply{Text: "a", Fault: &Fault{Kind: "x"}}}}},
		"rules[0].reply.output: invalid":              {Rules: []Rule{{Reply: &Reply{Output: []byte("{")}}}},
		"rules[0].reply.tool_calls[0].name: required": {Rules: []Rule{{Reply: &Reply{ToolCalls: []ToolCall{{}}}}}},
		"rules[0].reply.delay: invalid":               {Rules: []Rule{{Reply: &Reply{Text: "a", Delay: -1}}}},
	} {
		_, err := New(script, Options{})
		if diff := cmp.Diff([]string{want}, issuesOf(t, err)); diff != "" {
			t.Errorf("issues (-want +got):\n%s", diff)
		}
	}
}
