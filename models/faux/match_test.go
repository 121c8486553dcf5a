package faux

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func compiled(t *testing.T, script string) *program {
	t.Helper()
	parsed, err := Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	made, err := compile(parsed)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestWhen tries every condition on one conversation: alone in a rule, it holds or it does not.
func TestWhen(t *testing.T) {
	t.Parallel()
	talk := func() *conversation {
		return &conversation{
			protocol: Responses, model: "faux-1", body: `{"model":"faux-1","secret":"x"}`, effort: "low",
			system: "Be brief.", firstUser: "Hello.", lastUser: "Read notes.md.", turn: 3, step: 1, outputLimit: 500, stream: true,
			tools: []offeredTool{{name: "read"}, {name: "mcp__host__write"}},
			results: []toolResult{
				{name: "read", text: "one line"}, {name: "mcp__host__write", text: "no space", failed: true},
			},
		}
	}
	numbers := counts{request: 9, conversation: 4, attempt: 2}
	for when, want := range map[string]bool{
		`{}`:                                           true,
		`{first_user: Hello.}`:                         true,
		`{first_user: hello.}`:                         false,
		`{first_user_matches: ^H}`:                     true,
		`{first_user_matches: ^h}`:                     false,
		`{user: Read notes.md., step: 1}`:              true,
		`{user: " Read notes.md.\n", step: 1}`:         true,
		`{user: Read notes.md.}`:                       false, // it has been answered: the result is next
		`{user: Read notes.md., step: 0}`:              false,
		`{user: Read notes.md., last: tool}`:           true,
		`{user_matches: notes}`:                        false,
		`{user_matches: notes, tool_result: {}}`:       true,
		`{user_matches: letters, tool_result: {}}`:     false,
		`{user: Hello., step: 1}`:                      false,
		`{system_matches: brief}`:                      true,
		`{system_matches: ^brief}`:                     false,
		`{body_matches: '"secret":"x"'}`:               true,
		`{body_matches: '"secret":"y"'}`:               false,
		`{tool_result: {name: read}}`:                  true,
		`{tool_result: {name: write}}`:                 true,
		`{tool_result: {name: edit}}`:                  false,
		`{tool_result: {matches: line$}}`:              true,
		`{tool_result: {name: write, matches: line}}`:  false,
		`{tool_result: {name: write, is_error: true}}`: true,
		`{tool_result: {name: read, is_error: true}}`:  false,
		`{last: tool}`:                                 true,
		`{last: user}`:                                 false,
		`{turn: 3}`:                                    true,
		`{turn: {min: 1, max: 3}}`:                     true,
		`{turn: {min: 4}}`:                             false,
		`{step: {max: 0}}`:                             false,
		`{request: 9}`:                                 true,
		`{request: {max: 8}}`:                          false,
		`{conversation_request: 4}`:                    true,
		`{conversation_request: 1}`:                    false,
		`{attempt: 2}`:                                 true,
		`{attempt: 1}`:                                 false,
		`{output_limit: {min: 500}}`:                   true,
		`{output_limit: {max: 499}}`:                   false,
		`{model: faux-1}`:                              true,
		`{model: faux-2}`:                              false,
		`{protocol: responses}`:                        true,
		`{protocol: chat}`:                             false,
		`{effort: low}`:                                true,
		`{effort: high}`:                               false,
		`{has_tool: write}`:                            true,
		`{has_tool: mcp__host__write}`:                 true,
		`{has_tool: rite}`:                             false,
		`{wants_output: false}`:                        true,
		`{wants_output: true}`:                         false,
		`{stream: true}`:                               true,
		`{stream: false}`:                              false,
		`{stream: true, model: faux-2}`:                false,
	} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			made := compiled(t, fmt.Sprintf("rules: [{name: it, when: %s, reply: {text: a}}]", when))
			if _, got := made.choose(talk(), numbers); got != want {
				t.Errorf("matches: %v, want %v (%s)", got, want, made.explain(talk(), numbers))
			}
		})
	}
}

func TestFirstMatchingRuleAnswers(t *testing.T) {
	t.Parallel()
	server := setup(t, `
rules:
  - {when: {user: a}, times: 2, reply: {text: twice}}
  - {when: {user: a}, reply: {text: "then {{request}}"}}
  - {when: {user_matches: '^(\w+) (?P<second>\w+)$'}, reply: {text: "{{match.second}} {{match.1}}"}}
  - {when: {user: retry, attempt: 1}, reply: {status: 500}}
  - {when: {user: retry}, reply: {text: second time}}
`, Options{})
	for _, step := range [][2]string{
		{"a", "twice"},
		{"b c", "c b"},
		{"a", "twice"},
		{"a", "then 4"},
		{"retry", "server_error"},
		{"retry", "second time"},
		{"nothing", "no_rule_matches"},
	} {
		if got := server.ask(t, step[0]); got != step[1] {
			t.Errorf("%s gives %q, want %q", step[0], got, step[1])
		}
	}
}

func TestRepliesAnswerStepByStep(t *testing.T) {
	t.Parallel()
	made := compiled(t, `
rules:
  - replies:
      - {repeat: 3, text: three times}
      - {text: once}
      - {repeat: 2, text: twice}
`)
	var got []string
	for step := range int64(7) {
		chosen, ok := made.choose(&conversation{step: step}, counts{})
		if !ok {
			got = append(got, "none")
			continue
		}
		got = append(got, chosen.reply.Text)
	}
	want := []string{"three times", "three times", "three times", "once", "twice", "twice", "none"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	if why := made.explain(&conversation{step: 6}, counts{}); !strings.Contains(why, "all of them are given") {
		t.Errorf("the reason is %q", why)
	}
}

func TestExplainNamesWhatDoesNotHold(t *testing.T) {
	t.Parallel()
	var script strings.Builder
	script.WriteString("rules:\n  - {name: used-up, times: 1, reply: {text: a}}\n")
	for range 9 {
		script.WriteString("  - {name: other, when: {user: b}, reply: {text: b}}\n")
	}
	made := compiled(t, script.String())
	if _, ok := made.choose(&conversation{}, counts{}); !ok {
		t.Fatal("the first rule does not match")
	}
	why := made.explain(&conversation{}, counts{})
	if !strings.HasPrefix(why, `; "used-up": times; "other": user; `) || !strings.HasSuffix(why, "; and 2 more") {
		t.Errorf("the reasons are %s", why)
	}
}

func TestToolNamesOfHosts(t *testing.T) {
	t.Parallel()
	talk := &conversation{tools: []offeredTool{
		{name: "mcp__host__write"}, {name: "read"}, {name: "mcp__a__find"}, {name: "mcp__b__find"}, {name: "x__read"},
	}}
	for meant, want := range map[string]string{
		"write": "mcp__host__write", "read": "read", "find": "find", "unknown": "unknown", "mcp__a__find": "mcp__a__find",
	} {
		if got := talk.tool(meant).name; got != want {
			t.Errorf("%s is called %s, want %s", meant, got, want)
		}
	}
}

func TestExtends(t *testing.T) {
	t.Parallel()
	made := compiled(t, `
extends: priced
rules: [{when: {user: mine}, reply: {text: a}}]
`)
	base := Default()
	if len(made.rules) != 1+len(base.Rules) || made.models[0].ID != "faux-priced" || made.usage.Output != 100 {
		t.Errorf("%d rules, models %v, usage %v", len(made.rules), made.models, made.usage)
	}
	own := compiled(t, `{extends: priced, models: [{id: mine}], usage: {output: 1}}`)
	if own.models[0].ID != "mine" || own.usage.Output != 1 {
		t.Errorf("models %v, usage %v", own.models, own.usage)
	}
}
