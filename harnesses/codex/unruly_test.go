package codex

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

func fakeSpec(t *testing.T, mode string) cli.Spec {
	t.Helper()
	spec := testSpec(t, fake(t, mode))
	spec.Confine = false
	spec.Say = "hello"
	return spec
}

func TestAProgramThatDoesNotGetReady(t *testing.T) {
	t.Parallel()
	history := []models.Message{{Role: models.RoleUser, Text: strings.Repeat("x", 4<<20)}}
	cases := map[string]struct {
		mode    string
		history []models.Message
		patient bool
		fault   string
	}{
		"it says what is no protocol":    {"garbage", nil, true, `codex does not speak its protocol, it says "this is no JSON: /`},
		"it exits at once":               {"exits", nil, true, "codex ended by itself: exit status 3 (it said: no such thing"},
		"it hangs":                       {"hangs", nil, false, "codex did not get ready in time: context deadline exceeded"},
		"it does not listen to the end":  {"deaf", history, false, "codex did not get ready in time"},
		"it begins nothing":              {"nameless", nil, true, `without an id: "{\"thread\":{}}"`},
		"it does not want to":            {"refuses", nil, true, "codex refuses turn/start: not today"},
		"it is told what nobody can say": {"strange", []models.Message{{Role: "system"}}, true, "message 0 of the conversation"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wait := patience
			if !tc.patient {
				wait = time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			defer cancel()
			spec := fakeSpec(t, tc.mode)
			spec.History = tc.history
			session, err := New(slog.New(slog.DiscardHandler)).Open(ctx, spec, nobody{})
			if err == nil {
				t.Fatalf("it opened: %v", session.Close())
			}
			if !strings.Contains(err.Error(), tc.fault) || len(err.Error()) > 2000 {
				t.Errorf("the fault is %v", err)
			}
			if left := marked(t, spec.Marker); len(left) > 0 {
				t.Errorf("these run on: %q", left)
			}
		})
	}
}

func TestNoProgram(t *testing.T) {
	t.Parallel()
	driver := New(slog.New(slog.DiscardHandler))
	spec := testSpec(t, "/nowhere/codex")
	if _, err := driver.Open(t.Context(), spec, nobody{}); err == nil || !strings.Contains(err.Error(), "/nowhere/codex") {
		t.Errorf("the fault is %v", err)
	}
	spec.Dir = "/nowhere"
	if _, err := driver.Open(t.Context(), spec, nobody{}); err == nil || !strings.Contains(err.Error(), "/nowhere/work") {
		t.Errorf("the fault is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := driver.Open(ctx, fakeSpec(t, "hangs"), nobody{}); err == nil {
		t.Error("a start that nobody wants goes on")
	}
}

func TestAProgramThatGoesAstray(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ mode, fault string }{
		"it floods":         {"floods", errLongLine.Error()},
		"it falls silent":   {"closes", "codex closed its output"},
		"it calls too much": {"calls", "more than 1000 tool calls"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := fakeSpec(t, tc.mode)
			session := open(t, spec, hanging{})
			select {
			case <-session.Done():
			case <-time.After(patience):
				t.Fatal("the session goes on")
			}
			if err := session.Err(); err == nil || !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("it ended with %v", err)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			if left := marked(t, spec.Marker); len(left) > 0 {
				t.Errorf("these run on: %q", left)
			}
		})
	}
}

// hanging answers nothing until the session ends.
type hanging struct{ nobody }

func (hanging) Call(ctx context.Context, _ cli.Call) (cli.Result, error) {
	<-ctx.Done()
	return cli.Result{}, ctx.Err()
}

func TestAProgramThatMustBeKilled(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"stubborn", "chatters", "strange"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			spec := fakeSpec(t, mode)
			session := open(t, spec, nobody{})
			began := time.Now()
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("closing took %s", took)
			}
			<-session.Done()
			if err := session.Err(); err != nil {
				t.Errorf("a closed session ended with %v", err)
			}
			if err := session.Say("more"); err == nil {
				t.Error("a closed session takes words")
			}
			if left := marked(t, spec.Marker); len(left) > 0 {
				t.Errorf("these run on: %q", left)
			}
		})
	}
}

func TestWhatAProgramAsksIsAnswered(t *testing.T) {
	t.Parallel()
	j, _ := newJournal(t, conversation)
	j.tool = func(_ context.Context, call cli.Call) (cli.Result, error) {
		return cli.Result{Text: "no tool " + call.Name + " for " + string(call.Args), IsError: true}, nil
	}
	session := open(t, fakeSpec(t, "asks"), j)
	fault := j.turn(session)
	for _, want := range []string{
		"1: this host does not answer item/commandExecution/requestApproval",
		`2: {"success":false,"contentItems":[{"type":"inputText","text":"no tool nothing for {\"a\":1}"}]}`,
		`"3": this host does not answer item/tool/call`,
	} {
		if !strings.Contains(fault, want) {
			t.Errorf("it was told %q, want %q", fault, want)
		}
	}
}

func TestATurnThatFails(t *testing.T) {
	t.Parallel()
	j, _ := newJournal(t, conversation)
	session := open(t, fakeSpec(t, "failing"), j)
	if fault := j.turn(session); fault != "the turn ended interrupted" {
		t.Errorf("the fault is %q", fault)
	}
}

func TestAHostThatCannotAnswerACallEndsTheSession(t *testing.T) {
	t.Parallel()
	session := open(t, fakeSpec(t, "asks"), nobody{})
	<-session.Done()
	if err := session.Err(); err == nil || !strings.Contains(err.Error(), "answer the call c1 of the tool nothing: nobody answers") {
		t.Errorf("it ended with %v", err)
	}
}
