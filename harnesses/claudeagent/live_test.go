package claudeagent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/clitest"
)

const saysWell = "  - {reply: {text: \"Well.\"}}\n"

// TestARefusalIsOneRequest has the real program refused: it asks once, gives its turn up in the words of the refusal, and
// can be told something else.
func TestARefusalIsOneRequest(t *testing.T) {
	t.Parallel()
	j := newJournal(t, saysWell)
	asks := 0
	j.before = func(context.Context, cli.Ask) error {
		if asks++; asks == 1 {
			return &cli.Refused{Code: "budget", Message: "the run's cap does not buy this request"}
		}
		return nil
	}
	spec := j.spec(clitest.Claude(t))
	spec.Say = "hello"
	session := j.open(spec, j)
	if fault := j.turn(session); !strings.Contains(fault, "the run's cap does not buy this request") {
		t.Errorf("the turn ended with %q", fault)
	}
	if asks != 1 {
		t.Errorf("the program asked %d times", asks)
	}
	if err := session.Say("and now?"); err != nil {
		t.Fatal(err)
	}
	if fault := j.turn(session); fault != "" || asks != 2 {
		t.Errorf("after the refusal the turn ended with %q after %d requests", fault, asks)
	}
}

// TestAHeldRequestIsWaitedFor keeps the real program waiting for an answer.
func TestAHeldRequestIsWaitedFor(t *testing.T) {
	t.Parallel()
	j := newJournal(t, saysWell)
	asks := 0
	j.before = func(ctx context.Context, _ cli.Ask) error {
		asks++
		select {
		case <-time.After(4 * time.Second): // what is held is time itself
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	}
	spec := j.spec(clitest.Claude(t))
	spec.Say, spec.Confine = "hello", true
	session := j.open(spec, j)
	if fault := j.turn(session); fault != "" || asks != 1 {
		t.Errorf("the turn ended with %q after %d requests", fault, asks)
	}
}

// TestAKilledProgramEndsTheSession kills the real program while it waits.
func TestAKilledProgramEndsTheSession(t *testing.T) {
	t.Parallel()
	j := newJournal(t, saysWell)
	waiting := make(chan struct{})
	j.before = func(ctx context.Context, _ cli.Ask) error {
		close(waiting)
		<-ctx.Done()
		return ctx.Err()
	}
	spec := j.spec(clitest.Claude(t))
	spec.Say = "hello"
	session := j.open(spec, j)
	<-waiting
	if err := syscall.Kill(session.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-session.Done():
	case <-time.After(patient):
		t.Fatal("the session did not notice")
	}
	if err := session.Err(); err == nil || !strings.Contains(err.Error(), "ended by itself: ") {
		t.Errorf("the session ended with %v", err)
	}
}

// TestToolsThatOnlyReadRunTogether has the real program make two calls of one answer at once, and both before it asks on.
func TestToolsThatOnlyReadRunTogether(t *testing.T) {
	t.Parallel()
	j := newJournal(t, `
  - replies:
      - tool_calls: [{name: read, args: {path: a}}, {name: read, args: {path: b}}]
      - text: "{{tool_result}}"
`)
	started := make(chan struct{}, 2)
	release := make(chan struct{})
	j.answerCall = func(_ context.Context, call cli.Call) (cli.Result, error) {
		started <- struct{}{}
		<-release
		return cli.Result{Text: string(call.Args)}, nil
	}
	spec := j.spec(clitest.Claude(t))
	spec.Say = "both"
	session := j.open(spec, j)
	for range 2 {
		select {
		case <-started:
		case <-time.After(patient):
			t.Fatal("the calls do not run together")
		}
	}
	close(release)
	if fault := j.turn(session); fault != "" {
		t.Fatalf("the turn failed: %s", fault)
	}
	last := j.moments[len(j.moments)-1]
	var ids []string
	for _, m := range conversationOf(t, last.body) {
		for _, b := range m.Content {
			if b.text("type") == "tool_result" {
				ids = append(ids, b.text("tool_use_id"))
			}
		}
	}
	if len(ids) != 2 || !slices.Equal(ids, last.ask.Calls) {
		t.Errorf("results %v of the calls %v", ids, last.ask.Calls)
	}
}

// TestAnAnswerIsHeldToItsSchema has the schema of the answer told in words where the model is not held to it.
func TestAnAnswerIsHeldToItsSchema(t *testing.T) {
	t.Parallel()
	j := newJournal(t, saysWell)
	spec := j.spec(clitest.Claude(t))
	spec.Say, spec.Instructions = "hello", ""
	spec.Output = json.RawMessage(`{"type":"array"}`)
	spec.Effort = "none"
	session := j.open(spec, j)
	if fault := j.turn(session); fault != "" || len(j.moments) != 1 {
		t.Fatalf("the turn ended with %q, %d requests for the conversation", fault, len(j.moments))
	}
	r, err := readRequest(j.moments[0].body)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(systemText(r), `JSON Schema, and with nothing else:`+"\n"+`{"type":"array"}`) {
		t.Errorf("the system prompt is %q", systemText(r))
	}
}
