package claudeagent

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/clitest"
	"github.com/agentrun/agentrun/models"
)

// environs are the processes whose environment has an entry.
func environs(t *testing.T, entry string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range files {
		data, _ := os.ReadFile(file) // it may have ended, or be another's
		for variable := range strings.SplitSeq(string(data), "\x00") {
			if variable == entry {
				found = append(found, filepath.Dir(file))
			}
		}
	}
	return found
}

// conversationOf is the conversation of a request's body, without what may differ between sessions.
func conversationOf(t *testing.T, body []byte) []message {
	t.Helper()
	r, err := readRequest(body)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.messages {
		takeBreakpoint(m.Content)
		for _, b := range m.Content {
			if b.text("type") == "text" {
				b.set("text", strings.TrimRight(b.text("text"), "\n"))
			}
			for name, value := range b {
				b[name] = json.RawMessage(normal(value))
			}
		}
	}
	return r.messages
}

// TestASessionOpenedAnewAsksTheSame is the promise that everything rests on: whatever a session of the real program asks
// next, a session that is opened from the journal at that moment asks as well, under the same digest.
func TestASessionOpenedAnewAsksTheSame(t *testing.T) {
	t.Parallel()
	program := clitest.Claude(t)
	long := strings.Repeat("a line of the file, long enough\n", 4000)
	results := map[string]cli.Result{
		"slow": {Text: "slow but sure"}, "err": {Text: " it failed\n  twice \n", IsError: true}, "empty": {},
		"unicode": {Text: "Grüße, 世界 🚀\u2028\x01 end"}, "long": {Text: long},
	}
	for _, c := range []struct {
		name, rules, first, second string
		thinks                     bool
	}{
		{
			name:  "only words",
			rules: "  - {when: {user_matches: .*}, reply: {text: \"Well: {{user}}\"}}\n",
			first: "Good morning", second: "/compact is what they said",
		},
		{
			name: "calls", thinks: true, first: "/do the files\n\nplease ", second: "<system-reminder>mine</system-reminder>",
			rules: `
  - when: {user_matches: do the files}
    replies:
      - text: "Let me see… \n"
        reasoning: The files are two.
        tool_calls:
          - {name: read, args: {path: slow}}
          - {name: read, args: {path: fast}}
          - {name: write, args: {path: err}}
      - tool_calls:
          - {name: read, args: {path: empty, "more": [1.0, 1e3, "é"]}}
          - {name: nosuch, args: {path: unicode}}
          - {name: read, args: {path: unicode}}
          - {name: write, args: {wrong: true}}
          - {name: write, args_text: '{"pa'}
          - {name: read, args: {path: long}}
      - text: "Done: {{user}}"
  - {reply: {text: "Well."}}
`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, c.rules)
			fast := make(chan struct{})
			j.answerCall = func(ctx context.Context, call cli.Call) (cli.Result, error) {
				var args struct{ Path string }
				_ = json.Unmarshal(call.Args, &args)
				switch args.Path {
				case "fast":
					close(fast)
				case "slow": // it comes back after the one that was asked for later
					select {
					case <-fast:
					case <-ctx.Done():
					}
				}
				if result, ok := results[args.Path]; ok {
					return result, nil
				}
				return cli.Result{Text: call.Name + " " + normal(call.Args)}, nil
			}
			spec := j.spec(program)
			spec.Say = c.first
			session := j.open(spec, j)
			if fault := j.turn(session); fault != "" {
				t.Fatalf("the turn failed: %s", fault)
			}
			j.mu.Lock()
			j.say = c.second
			j.mu.Unlock()
			if err := session.Say(c.second); err != nil {
				t.Fatal(err)
			}
			if fault := j.turn(session); fault != "" {
				t.Fatalf("the second turn failed: %s", fault)
			}
			for i, m := range j.moments {
				ask, body := j.again(spec, m)
				if diff := cmp.Diff(conversationOf(t, m.body), conversationOf(t, body)); diff != "" {
					t.Errorf("request %d differs (-first +anew):\n%s", i, bounded(diff, 4000))
				}
				if ask.Wire.Digest != m.ask.Wire.Digest {
					t.Errorf("request %d has another digest", i)
				}
				if ask.Place != m.ask.Place || ask.Words != m.ask.Words || !cmp.Equal(ask.Calls, m.ask.Calls) || !ask.Main {
					t.Errorf("request %d: place %d, words %q, calls %v, main %v; want %d, %q, %v", i,
						ask.Place, ask.Words, ask.Calls, ask.Main, m.ask.Place, m.ask.Words, m.ask.Calls)
				}
			}
			if c.thinks && !strings.Contains(string(j.moments[1].body), `"thinking":"The files are two."`) {
				t.Error("what the model thought does not go back to it")
			}
			if len(j.others) > 0 {
				t.Errorf("the program asked for itself %d times", len(j.others))
			}
		})
	}
}

// TestAConversationThatEndsWithoutAnAnswer goes on with people's words where no answer came before them: the program puts
// one of its own there, which nobody must see.
func TestAConversationThatEndsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	program := clitest.Claude(t)
	whole := history()
	for _, c := range []struct {
		name    string
		history []models.Message
		say     string
	}{
		{"after a summary", whole[:1], "/what now"},
		{"after results", whole[:4], "stop it"},
		{"after results that failed", whole[:8], "go on then"},
		{"in the middle of a turn", whole[:8], ""},
		{"after an answer", whole, "thanks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, saysWell)
			ask, body := j.again(j.spec(program), moment{history: c.history, say: c.say})
			book := newLedger(nil)
			said := c.history
			if c.say != "" {
				said = append(slices.Clone(said), models.Message{Role: models.RoleUser, Text: c.say})
			}
			expected := cleaner{box: newToolbox(j.spec(program).Tools), book: book, gap: -1}
			want := expected.clean(conversation(said, expected.box, book))
			sent := encoded(block{"messages": encoded(want)})
			if diff := cmp.Diff(conversationOf(t, sent), conversationOf(t, body)); diff != "" {
				t.Errorf("it differs (-journal +request):\n%s", bounded(diff, 4000))
			}
			if ask.Place != answers(want) || !ask.Main || c.say != "" && ask.Words != c.say {
				t.Errorf("place %d, main %v, words %q", ask.Place, ask.Main, ask.Words)
			}
		})
	}
}
