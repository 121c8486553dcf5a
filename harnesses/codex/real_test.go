package codex

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/clitest"
	"github.com/agentrun/agentrun/models"
)

func TestToolsRunAtOnceAndAnswerInOrder(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	j, _ := newJournal(t, conversation)
	begun, readEnded := map[string]chan struct{}{"write": make(chan struct{}), "read": make(chan struct{})}, make(chan struct{})
	await := func(ctx context.Context, done chan struct{}) error {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	j.tool = func(ctx context.Context, call cli.Call) (cli.Result, error) {
		result := cli.Result{Text: "result of " + call.Name}
		switch {
		case strings.Contains(string(call.Args), "c.txt"):
			return result, nil
		case call.Name == "write": // the first call ends last
			close(begun["write"])
			return result, errors.Join(await(ctx, begun["read"]), await(ctx, readEnded))
		}
		close(begun["read"])
		defer close(readEnded)
		return result, await(ctx, begun["write"])
	}
	spec := testSpec(t, program)
	spec.Say = j.people("two at once")
	session := open(t, spec, j)
	if fault := j.turn(session); fault != "" {
		t.Fatalf("the turn ended %q", fault)
	}
	story := j.story()
	if !strings.HasSuffix(story, "result write, ask 1, call read, result read, ask 2") {
		t.Errorf("the story is: %s", story)
	}
	ask := j.list()[1]
	var order []string
	for _, one := range itemsOf(t, ask.body) {
		if one.Type == typeOutput {
			order = append(order, one.CallID)
		}
	}
	if strings.Join(order, " ") != strings.Join(ask.Calls, " ") || len(order) != 2 {
		t.Errorf("results %q for calls %q", order, ask.Calls)
	}
}

func itemsOf(t *testing.T, body string) []item {
	t.Helper()
	r, err := readRequest([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return r.items
}

func TestARefusalIsOneRequest(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	cases := map[string]struct {
		refused *cli.Refused
		fault   string
	}{
		"no money":           {&cli.Refused{Code: budgetCode, Message: "the cap is spent"}, "Quota exceeded."},
		"the model's reason": {&cli.Refused{Code: "context", Message: "the conversation is too long: 12 µ"}, "the conversation is too long: 12 µ"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, gateway := newJournal(t, conversation)
			refuse := true
			j.before = func(context.Context, cli.Ask) error {
				if refuse {
					return tc.refused
				}
				return nil
			}
			spec := testSpec(t, program)
			spec.Say = j.people("hello")
			session := open(t, spec, j)
			if fault := j.turn(session); !strings.HasPrefix(fault, tc.fault) {
				t.Errorf("the fault is %q", fault)
			}
			if n := len(j.arrived); n != 1 {
				t.Errorf("%d requests", n)
			}
			refuse = false
			if err := session.Say(""); err != nil {
				t.Fatal(err)
			}
			if fault := j.turn(session); fault != "" {
				t.Errorf("it goes on with the fault %q", fault)
			}
			if n := len(gateway.Requests()); n != 1 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

func TestAHostThatFailsIsOneRequest(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	j, _ := newJournal(t, conversation)
	j.before = func(context.Context, cli.Ask) error { return context.DeadlineExceeded }
	spec := testSpec(t, program)
	spec.Confine = false
	spec.Say = j.people("hello")
	session := open(t, spec, j)
	fault := j.turn(session)
	if !strings.Contains(fault, "503") || !strings.Contains(fault, "/…/v1/responses") {
		t.Errorf("the fault is %q, want the status, and no secret in the address", fault)
	}
	if n := len(j.arrived); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestAHeldRequestIsAnswered(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	j, _ := newJournal(t, conversation)
	release := make(chan struct{})
	j.before = func(ctx context.Context, _ cli.Ask) error {
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	spec := testSpec(t, program)
	spec.Say = j.people("hello")
	session := open(t, spec, j)
	j.arrival(session)
	time.AfterFunc(3*time.Second, func() { close(release) })
	if fault := j.turn(session); fault != "" {
		t.Errorf("the fault is %q", fault)
	}
	if len(j.arrived) != 0 {
		t.Error("it was asked for twice")
	}
}

func TestAKilledProgramEndsTheSession(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	j, _ := newJournal(t, conversation)
	gone := make(chan struct{})
	j.before = func(ctx context.Context, _ cli.Ask) error {
		<-ctx.Done()
		close(gone)
		return ctx.Err()
	}
	spec := testSpec(t, program)
	spec.Say = j.people("hello")
	session := open(t, spec, j)
	j.arrival(session)
	if err := syscall.Kill(session.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-session.Done()
	if err := session.Err(); err == nil || !strings.Contains(err.Error(), "codex ended by itself: killed") {
		t.Errorf("the session ended with %v", err)
	}
	<-gone
	if err := session.Say("more"); err == nil {
		t.Error("a session that has ended takes words")
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	j, _ := newJournal(t, conversation)
	j.before = func(ctx context.Context, _ cli.Ask) error {
		<-ctx.Done()
		return ctx.Err()
	}
	spec := testSpec(t, program)
	spec.Say = j.people("hello")
	session := open(t, spec, j)
	j.arrival(session)
	began := time.Now()
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("closing took %s", took)
	}
	if left := marked(t, spec.Marker); len(left) > 0 {
		t.Errorf("these run on: %q", left)
	}
	<-session.Done()
	if err := session.Err(); err != nil {
		t.Errorf("a closed session ended with %v", err)
	}
	if len(j.turns) > 0 {
		t.Errorf("a turn ended: %q", <-j.turns)
	}
}

// marked lists the processes that have the marker in their environment.
func marked(t *testing.T, marker string) []string {
	t.Helper()
	var found []string
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && strings.Contains(string(data), marker) {
			found = append(found, file)
		}
	}
	return found
}

func TestTypedOutputAndEffort(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	strict := `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`
	loose := `{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string","minLength":2}}}`
	cases := map[string]struct {
		output, effort string
		reasons        bool
		wantFormat     bool
		wantEffort     string
	}{
		"a strict schema, high":   {strict, "high", true, true, "high"},
		"a loose schema, none":    {loose, "none", true, false, "none"},
		"free text, as it is":     {"", "", true, false, "medium"},
		"more than there is":      {"", "max", true, false, "high"},
		"a model without thought": {strict, "high", false, true, ""},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j, _ := newJournal(t, conversation)
			spec := testSpec(t, program)
			spec.Model.Reasoning = tc.reasons
			spec.Effort, spec.Output = tc.effort, json.RawMessage(tc.output)
			spec.Say = j.people("hello")
			session := open(t, spec, j)
			if fault := j.turn(session); fault != "" {
				t.Fatalf("the fault is %q", fault)
			}
			ask := j.list()[0]
			var sent struct {
				Reasoning *struct{ Effort, Summary string }
				Text      struct {
					Format *struct {
						Type   string
						Strict bool
						Schema json.RawMessage
					}
				}
			}
			if err := json.Unmarshal([]byte(ask.body), &sent); err != nil {
				t.Fatal(err)
			}
			if format := sent.Text.Format; (format != nil) != tc.wantFormat || (format != nil && !format.Strict) {
				t.Errorf("the format is %+v", format)
			}
			words := itemsOf(t, ask.body)[0].text()
			if want := tc.output != "" && !tc.wantFormat; strings.Contains(words, models.SchemaWords(spec.Output)) != want && tc.output != "" {
				t.Errorf("the instructions are %q", words)
			}
			switch {
			case tc.wantEffort == "" && sent.Reasoning != nil:
				t.Errorf("it thinks: %+v", sent.Reasoning)
			case tc.wantEffort != "" && (sent.Reasoning == nil || sent.Reasoning.Effort != tc.wantEffort || sent.Reasoning.Summary != ""):
				t.Errorf("it thinks: %+v", sent.Reasoning)
			}
			if !ask.Main {
				t.Error("the request is not known as the conversation's")
			}
		})
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	program := clitest.Codex(t)
	version, err := New(nil).Version(t.Context(), program, t.TempDir())
	if err != nil || !strings.Contains(version, ".") {
		t.Errorf("version %q, %v", version, err)
	}
	if _, err := New(nil).Version(t.Context(), "/bin/echo", t.TempDir()); err == nil {
		t.Error("echo is a codex")
	}
	if _, err := New(nil).Version(t.Context(), "/nowhere", t.TempDir()); err == nil {
		t.Error("nothing is a codex")
	}
	if name := New(nil).ToolName("write"); name != "write" {
		t.Errorf("the tool is called %s", name)
	}
}
