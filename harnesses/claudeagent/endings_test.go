package claudeagent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses/clitest"
)

// TestAnswersThatAreNotWhole has the real program given answers that are cut, refused or empty: it makes nothing of its own
// of them, and what it asks next is what the journal has.
func TestAnswersThatAreNotWhole(t *testing.T) {
	t.Parallel()
	program := clitest.Claude(t)
	for _, c := range []struct {
		name, reply string
		requests    int
		place       int // of the request after the answer; an answer that says nothing does not count
	}{
		{"cut", "{text: It goes on and, stop: length}", 1, 1},
		{"cut after a call", "{text: a, stop: length, tool_calls: [{name: write, args: {path: b}}]}", 2, 2},
		{"refused", "{refusal: I will not do that.}", 1, 0},
		{"nothing that can be seen", "{text: \" \"}", 1, 0},
		{"only thinking", "{reasoning: hm, text: \" \"}", 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j := newJournal(t, "  - {when: {user: first, last: user}, reply: "+c.reply+"}\n"+saysWell)
			spec := j.spec(program)
			spec.Say = "first"
			session := j.open(spec, j)
			if fault := j.turn(session); fault != "" || len(j.moments) != c.requests {
				t.Fatalf("the turn ended with %q after %d requests, want %d", fault, len(j.moments), c.requests)
			}
			j.mu.Lock()
			j.say = "second"
			j.mu.Unlock()
			if err := session.Say("second"); err != nil {
				t.Fatal(err)
			}
			if fault := j.turn(session); fault != "" || len(j.moments) != c.requests+1 {
				t.Fatalf("the second turn ended with %q after %d requests", fault, len(j.moments))
			}
			last := j.moments[c.requests]
			ask, body := j.again(spec, last)
			if diff := cmp.Diff(conversationOf(t, last.body), conversationOf(t, body)); diff != "" {
				t.Errorf("the request differs (-first +anew):\n%s", bounded(diff, 4000))
			}
			if last.ask.Wire.Digest != ask.Wire.Digest || last.ask.Place != c.place || ask.Place != c.place {
				t.Errorf("the request is at place %d, anew at %d, want %d; the digests are one: %v",
					last.ask.Place, ask.Place, c.place, last.ask.Wire.Digest == ask.Wire.Digest)
			}
		})
	}
}
