package codex

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/clitest"
)

// conversation is a script in which everything occurs that a conversation may hold.
const conversation = `
models: [{id: m, api: responses, context_window: 200000, max_output: 32000, reasoning: true}]
rules:
  - when: {user: hello}
    reply: {usage: {input: 9000000, output: 9}, reasoning: Greet back., text: "Hello “you” 😀 <b>&</b>"}
  - when: {user_matches: two at once}
    replies:
      - text: Both now.
        reasoning: Two of them.
        tool_calls:
          - {name: write, args: {path: a.txt, content: "é\u2028\n\"q\""}}
          - {name: read, args: {path: b.txt}}
      - tool_calls: [{name: read, args: {path: c.txt}}]
      - text: "Done. {{tool_result}}"
  - when: {user: fails}
    replies:
      - tool_calls: [{name: read, args: {path: fails}}]
      - text: It failed.
  - when: {user: nonsense}
    replies:
      - tool_calls:
          - {name: write, args_text: '{"path": '}
          - {name: nothing, args: {}}
          - {name: read, args: {path: b.txt}}
          - {name: request_user_input, args: {questions: []}}
      - text: I will behave.
  - when: {user: forbidden}
    reply: {refusal: I will not.}
  - when: {user: silence}
    reply: {reasoning: Nothing to say.}
  - when: {user: long}
    reply: {text: It goes on and, stop: length}
  - when: {user: longer}
    reply: {text: It goes on, stop: length, tool_calls: [{name: read, args: {path: a}}, {name: read, args_text: '{"path'}]}
  - when: {user_matches: ''}
    reply: {text: "You said {{user}}"}
`

// TestAgain holds a conversation in one session, then opens a session anew for each of its requests, from the record of
// what came before: each must ask the same.
func TestAgain(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	j, _ := newJournal(t, conversation)
	j.tool = func(_ context.Context, call cli.Call) (cli.Result, error) {
		switch {
		case strings.Contains(string(call.Args), "fails"):
			return cli.Result{Text: "no such file: fails\n", IsError: true}, nil
		case call.Name == "nothing" || call.Name == "request_user_input":
			return cli.Result{Text: "Tool " + call.Name + " not found", IsError: true}, nil
		case call.Args[0] == '"':
			return cli.Result{Text: "these are no arguments: " + string(call.Args), IsError: true}, nil
		}
		return cli.Result{Text: "ünï ☃ \u2029\n" + string(call.Args)}, nil
	}
	spec := testSpec(t, program)
	prompts := []string{
		"hello", "two at once, please", "fails", "nonsense", "forbidden", "silence", "/compact\n", "long", "longer", "  and then?\n\n",
	}
	spec.Say = j.people(prompts[0])
	session := open(t, spec, j)
	for i, prompt := range prompts {
		if i > 0 {
			if err := session.Say(j.people(prompt)); err != nil {
				t.Fatalf("say %q: %v", prompt, err)
			}
		}
		fault := j.turn(session)
		if (fault != "") != strings.HasPrefix(prompt, "long") {
			t.Errorf("%q ended with the fault %q", prompt, fault)
		}
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	asks := j.list()
	if len(asks) != 14 {
		t.Fatalf("%d requests: %s", len(asks), j.story())
	}
	for i, ask := range asks {
		if !ask.Main || ask.Place != i {
			t.Errorf("request %d: main %v, place %d", i, ask.Main, ask.Place)
		}
		t.Run(fmt.Sprintf("request %d", i), func(t *testing.T) {
			t.Parallel()
			again, _ := newJournal(t, conversation)
			again.conversation = append(again.conversation, ask.history...)
			spec := testSpec(t, program)
			spec.History, spec.Say = ask.history, ask.say
			if ask.say != "" {
				again.people(ask.say)
			}
			session := open(t, spec, again)
			again.arrival(session)
			again.turn(session)
			got := again.list()[0]
			if got.Wire.Digest != ask.Wire.Digest {
				t.Errorf("another digest: %s", cmp.Diff(ask.body, got.body))
			}
			if diff := cmp.Diff(ask.body, got.body); diff != "" {
				t.Errorf("another body: %s", diff)
			}
			if got.Place != ask.Place || got.Words != ask.Words || !cmp.Equal(got.Calls, ask.Calls) {
				t.Errorf("asked %d %q %q, before %d %q %q", got.Place, got.Words, got.Calls, ask.Place, ask.Words, ask.Calls)
			}
		})
	}
}
