package workflows

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

func newCLIBench(t *testing.T, model *scriptedModel, on func(session int, did string) fault) *bench {
	t.Helper()
	b := newBench(t, model)
	b.cli = &fakeCLI{on: on}
	b.bounds = activities.HarnessBounds{Start: time.Second, Ask: time.Second, End: time.Second, Hold: time.Minute}
	return b
}

func (b *bench) newCLIRun(limit *run.USD) string {
	return b.newRun(limit, func(c *run.Config) { c.Harness = "claude-agent" })
}

// checkNothingOpen holds that no session outlives its run.
func (b *bench) checkNothingOpen() {
	b.t.Helper()
	b.until("every session is closed", func() bool { return b.cli.open.Load() == 0 })
}

func TestACommandLineAgentSpeaksForARun(t *testing.T) {
	t.Parallel()
	b := newCLIBench(t, sixSteps(), nil)
	limit := run.Dollar
	runID := b.newCLIRun(&limit)
	b.drive(b.newWorker(0, false), runID)
	b.checkCompleted(runID, true)
	b.checkNothingOpen()
	if n := len(b.cli.sessions); n != 1 {
		t.Errorf("%d sessions were opened", n)
	}
	if uses, results := b.rows(runID, run.RowToolUse), b.rows(runID, run.RowToolResult); len(uses) != 5 || len(results) != 5 {
		t.Errorf("%d calls and %d results", len(uses), len(results))
	}
}

// TestACrashAtEveryAppendWithACommandLineAgent is the sweep of the server's own loop, with a program that speaks.
func TestACrashAtEveryAppendWithACommandLineAgent(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 12; at++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("append %d, after=%v", at, after), func(t *testing.T) {
				t.Parallel()
				b := newCLIBench(t, sixSteps(), nil)
				limit := run.Dollar
				runID := b.newCLIRun(&limit)
				lived := b.drive(b.newWorker(at, after), runID)
				lived = lived || b.run(runID).Status.Terminal()
				if !lived && !b.drive(b.newWorker(0, false), runID) {
					t.Fatal("the second worker died too")
				}
				b.checkCompleted(runID, lived)
			})
		}
	}
}

// TestAProgramThatDiesIsOpenedAgain kills the program at each of its own steps: each request is asked once, each call
// made once, whatever the program had got to.
func TestAProgramThatDiesIsOpenedAgain(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"ask 0", "have 0", "ask 1", "have 1", "ask 2", "have 2", "ask 3", "have 3"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			b := newCLIBench(t, sixSteps(), func(session int, did string) fault {
				if session == 1 && did == at {
					return dies
				}
				return ""
			})
			limit := run.Dollar
			runID := b.newCLIRun(&limit)
			b.drive(b.newWorker(0, false), runID)
			b.checkCompleted(runID, true)
			b.checkNothingOpen()
			if r := b.run(runID); r.Usage.Requests != 4 || r.Cost.USD == nil {
				t.Errorf("usage %+v, cost %+v", r.Usage, r.Cost)
			}
		})
	}
}

func TestAProgramThatMisbehavesIsNamedAndBounded(t *testing.T) {
	t.Parallel()
	always := func(did string, f fault) func(int, string) fault {
		return func(_ int, now string) fault {
			if now == did {
				return f
			}
			return ""
		}
	}
	// from is at one request of the first session, and at every one of the later ones.
	from := func(did string, f fault) func(int, string) fault {
		return func(session int, now string) fault {
			if now == did || session > 1 && strings.HasPrefix(now, "ask") {
				return f
			}
			return ""
		}
	}
	for name, c := range map[string]struct {
		on    func(int, string) fault
		wants string
	}{
		"it does not start":           {always("start", fails), "did not start: no such program (3 times in a row)"},
		"it dies before it asks":      {always("ask 0", dies), "claude-agent: killed (3 times in a row)"},
		"it dies in mid-conversation": {from("ask 2", dies), "claude-agent: killed (3 times in a row)"},
		"it never asks":               {from("ask 1", silent), "asked for nothing for 100ms (3 times in a row)"},
		"it asks for something else":  {always("ask 1", skips), "asked for answer 3 of the conversation, where answer 2 comes next (3 times in a row)"},
		"it does not start half way in": {func(session int, did string) fault {
			if session == 1 && did == "ask 1" {
				return dies
			}
			if session > 1 && did == "start" {
				return fails
			}
			return ""
		}, "did not start: no such program (3 times in a row)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newCLIBench(t, sixSteps(), c.on)
			b.bounds.Ask = 100 * time.Millisecond
			runID := b.newCLIRun(nil)
			b.drive(b.newWorker(0, false), runID)
			r := b.run(runID)
			if r.Status != run.Failed || r.Error == nil || r.Error.Code != run.CodeRunFailed ||
				!strings.Contains(r.Error.Message, "claude-agent") || !strings.Contains(r.Error.Message, c.wants) {
				t.Fatalf("the run is %s: %+v", r.Status, r.Error)
			}
			b.checkNothingOpen()
		})
	}
}

func TestAProgramsOddWaysAreAnsweredFromTheRecord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		did      string
		f        fault
		requests int64
		warnings int
	}{
		"it asks again for what was answered": {"answered 1", repeats, 4, 0},
		"it calls what no answer asked for":   {"ask 1", invents, 4, 1},
		"it asks something for itself":        {"ask 2", aside, 5, 0},
		"it strays once and is opened again":  {"ask 1", skips, 4, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := sixSteps()
			b := newCLIBench(t, model, func(session int, did string) fault {
				if session == 1 && did == c.did {
					return c.f
				}
				return ""
			})
			runID := b.newCLIRun(nil)
			b.drive(b.newWorker(0, false), runID)
			r := b.run(runID)
			if r.Status != run.Completed || r.Usage.Requests != c.requests || r.Result.FinalAnswer != "done" {
				t.Errorf("the run is %s: %+v, usage %+v", r.Status, r.Error, r.Usage)
			}
			if n := len(b.rows(runID, run.RowWarning)); n != c.warnings {
				t.Errorf("%d warnings: %+v", n, b.rows(runID, run.RowWarning))
			}
			b.checkNothingOpen()
		})
	}
}

func TestAProgramThatGoesOnByItselfIsFollowed(t *testing.T) {
	t.Parallel()
	once := false
	b := newCLIBench(t, answering("a part", "the whole"), func(_ int, did string) fault {
		if did == "rest" && !once {
			once = true
			return goesOn
		}
		return ""
	})
	runID := b.newCLIRun(nil)
	b.drive(b.newWorker(0, false), runID)
	if r := b.run(runID); r.Status != run.Completed || r.Result.FinalAnswer != "the whole" || r.Usage.Requests != 2 {
		t.Fatalf("the run is %s: %+v %+v", r.Status, r.Result, r.Error)
	}
	if n := len(b.rows(runID, run.RowHarnessContinued)); n != 1 {
		t.Errorf("%d harness_continued rows", n)
	}
}

func TestARaisedCapSendsTheRequestThatTheProgramHolds(t *testing.T) {
	t.Parallel()
	for name, hold := range map[string]time.Duration{"the program stays": time.Minute, "the program is opened again": time.Nanosecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newCLIBench(t, sixSteps(), nil)
			b.bounds.Hold = hold
			limit := run.USD(1)
			runID := b.newCLIRun(&limit)
			w := b.newWorker(0, false)
			b.drive(w, runID)
			r := b.run(runID)
			if r.Status != run.InputRequired || r.Pending == nil || r.Pending.Kind != run.PendingBudget {
				t.Fatalf("the run is %s, %+v", r.Status, r.Error)
			}
			stays := hold == time.Minute
			if !stays {
				b.checkNothingOpen()
			}
			cap := run.Dollar
			if _, err := b.store.SetCap(t.Context(), runID, &cap); err != nil {
				t.Fatal(err)
			}
			b.drive(w, runID)
			if r := b.run(runID); r.Status != run.Completed || r.Usage.Requests != 4 {
				t.Fatalf("after the raise the run is %s: %+v", r.Status, r.Error)
			}
			if n, want := len(b.cli.sessions), map[bool]int{true: 1, false: 2}[stays]; n != want {
				t.Errorf("%d sessions, want %d", n, want)
			}
			digests := map[string]bool{}
			for _, row := range b.rows(runID, run.RowRequestStarted) {
				var started run.RequestStarted
				var private run.RequestPrivate
				if err := row.Decode(&started); err != nil {
					t.Fatal(err)
				}
				if err := row.DecodePrivate(&private); err != nil {
					t.Fatal(err)
				}
				if started.Turn == 1 {
					digests[private.Digest] = true
				}
			}
			if len(digests) != 1 {
				t.Errorf("the first request was %d different ones", len(digests))
			}
			b.checkNothingOpen()
		})
	}
}

// TestACancelAtTheCapEndsTheProgramThatWaits: it does not keep its place until its stay is over.
func TestACancelAtTheCapEndsTheProgramThatWaits(t *testing.T) {
	t.Parallel()
	b := newCLIBench(t, sixSteps(), nil)
	limit := run.USD(1)
	runID := b.newCLIRun(&limit)
	w := b.newWorker(0, false)
	b.drive(w, runID)
	if b.cli.open.Load() != 1 {
		t.Fatal("the program does not wait")
	}
	w.steps.Nudge(door.Nudge{RunID: runID, Kind: run.RowPauseRequested})
	if b.cli.open.Load() != 1 {
		t.Error("a pause ended it")
	}
	w.steps.Nudge(door.Nudge{RunID: runID, Kind: run.RowCancelRequested})
	b.checkNothingOpen()
}

// TestARunThatWaitsForAPlaceSaysSo: the first run's program keeps the worker's only place until its run is cancelled.
func TestARunThatWaitsForAPlaceSaysSo(t *testing.T) {
	t.Parallel()
	b := newCLIBench(t, answering("first"), nil)
	b.bounds.Sessions = 1
	limit := run.USD(1)
	first, second := b.newCLIRun(&limit), b.newCLIRun(nil)
	w := b.newWorker(0, false)
	b.drive(w, first)
	ended := make(chan error, 1)
	go func() { ended <- b.execute(w, second) }()
	b.until("it says that it waits", func() bool { return len(b.rows(second, run.RowWarning)) == 1 })
	if waits := string(b.rows(second, run.RowWarning)[0].Body); !strings.Contains(waits, "harness_waits") {
		t.Error(waits)
	}
	w.steps.Nudge(door.Nudge{RunID: first, Kind: run.RowCancelRequested})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if r := b.run(second); r.Status != run.Completed {
		t.Errorf("the run is %s/%s", r.Status, r.State)
	}
	b.checkNothingOpen()
}

// underWay is a run whose first program is up and says nothing.
func underWay(t *testing.T, answers ...string) (b *bench, w *process, runID string, ended <-chan error) {
	t.Helper()
	b = newCLIBench(t, answering(answers...), func(session int, did string) fault {
		if session == 1 && did == "ask 0" {
			return silent
		}
		return ""
	})
	b.bounds.Ask = time.Minute
	runID, w = b.newCLIRun(nil), b.newWorker(0, false)
	over := make(chan error, 1)
	go func() { over <- b.execute(w, runID) }()
	b.until("the program is up", func() bool { return b.cli.open.Load() == 1 })
	return b, w, runID, over
}

func TestAPauseIsHeardWhileAProgramOnlyWaits(t *testing.T) {
	t.Parallel()
	b, w, runID, ended := underWay(t, "first")
	if _, err := b.store.Pause(t.Context(), runID); err != nil {
		t.Fatal(err)
	}
	w.steps.Nudge(door.Nudge{RunID: runID, Kind: run.RowPauseRequested})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if r := b.run(runID); r.State != run.StatePaused {
		t.Errorf("the run is %s/%s", r.Status, r.State)
	}
	b.checkNothingOpen()
}

func TestAStopEndsTheProgramAndAMessageGoesOn(t *testing.T) {
	t.Parallel()
	b, w, runID, ended := underWay(t, "first", "second")
	if _, err := b.store.Stop(t.Context(), runID); err != nil {
		t.Fatal(err)
	}
	w.steps.Nudge(door.Nudge{RunID: runID, Kind: run.RowStopRequested})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if r := b.run(runID); r.Status != run.InputRequired || r.Pending.Kind != run.PendingMessage {
		t.Fatalf("the run is %s %+v", r.Status, r.Pending)
	}
	b.checkNothingOpen()
	if _, err := b.store.Message(t.Context(), runID, "and now?", nil); err != nil {
		t.Fatal(err)
	}
	b.drive(w, runID)
	if r := b.run(runID); r.Status != run.Completed || r.Result.FinalAnswer != "first" {
		t.Fatalf("the run is %s: %+v", r.Status, r.Error)
	}
	last := b.cli.sessions[len(b.cli.sessions)-1].spec
	if last.Say != "and now?" || len(last.History) != 1 {
		t.Errorf("the program was told %q after %d messages", last.Say, len(last.History))
	}
	// A follow-up to the completed run opens the program on the whole conversation.
	if _, err := b.store.Message(t.Context(), runID, "more", nil); err != nil {
		t.Fatal(err)
	}
	b.drive(w, runID)
	last = b.cli.sessions[len(b.cli.sessions)-1].spec
	if r := b.run(runID); r.Status != run.Completed || r.Result.FinalAnswer != "second" || last.Say != "more" || len(last.History) != 3 {
		t.Errorf("the follow-up is %s, told %q after %d messages", r.Status, last.Say, len(last.History))
	}
	b.checkNothingOpen()
}

func TestAMessageToAWorkingProgramIsHeardAtTheNextTurn(t *testing.T) {
	t.Parallel()
	var b *bench
	var runID string
	model := &scriptedModel{}
	model.answer = sixSteps().answer
	b = newCLIBench(t, model, func(session int, did string) fault {
		if session == 1 && did == "ask 1" {
			if _, err := b.store.Message(t.Context(), runID, "also this", nil); err != nil {
				t.Error(err)
			}
		}
		return ""
	})
	runID = b.newCLIRun(nil)
	b.drive(b.newWorker(0, false), runID)
	r := b.run(runID)
	if r.Status != run.Completed || r.Usage.Requests != 4 {
		t.Fatalf("the run is %s: %+v, usage %+v", r.Status, r.Error, r.Usage)
	}
	second := b.cli.sessions[1].spec
	if second.Say != "also this" || len(second.History) != 4 || second.History[3].Role != models.RoleTool {
		t.Errorf("the program was opened again on %d messages and told %q", len(second.History), second.Say)
	}
}

func TestAProgramThatCannotTakeAConversationUpIsToldItInWords(t *testing.T) {
	t.Parallel()
	b := newCLIBench(t, sixSteps(), func(session int, did string) fault {
		if session <= 2 && did == "ask 1" {
			return dies // the first half way in, the second before it asked for anything
		}
		return ""
	})
	// Told in words, the program's own conversation begins anew: what the model is asked has no answers in it.
	whole := b.model.answer
	b.model.answer = func(ctx context.Context, turn int, request models.Request) (models.Answer, error) {
		if turn == 1 && strings.Contains(request.Messages[0].Text, "[you called write]") {
			return models.Answer{Text: "done", Stop: models.StopEnd}, nil
		}
		return whole(ctx, turn, request)
	}
	runID := b.newCLIRun(nil)
	b.drive(b.newWorker(0, false), runID)
	if r := b.run(runID); r.Status != run.Completed || r.Result.FinalAnswer != "done" || r.Usage.Requests != 2 {
		t.Fatalf("the run is %s: %+v %+v", r.Status, r.Error, r.Usage)
	}
	fresh := b.cli.sessions[2].spec
	if len(fresh.History) != 0 || !strings.Contains(fresh.Say, `"content":"alpha"`) || !strings.Contains(fresh.Say, "Do not repeat calls") {
		t.Errorf("the third session was opened on %d messages and told %q", len(fresh.History), fresh.Say)
	}
	started := b.rows(runID, run.RowHarnessStarted)
	var last run.HarnessStarted
	if err := started[len(started)-1].Decode(&last); err != nil || !last.Fresh {
		t.Errorf("its row says %+v, %v", last, err)
	}
	b.checkNothingOpen()
}

// TestALongConversationIsSummarisedAndTheProgramOpenedOnTheSummary: the program's own memory is the journal's.
func TestALongConversationIsSummarisedAndTheProgramOpenedOnTheSummary(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{answer: func(_ context.Context, turn int, request models.Request) (models.Answer, error) {
		last := request.Messages[len(request.Messages)-1].Text
		switch {
		case strings.HasPrefix(last, "Summarise"):
			return models.Answer{Text: "the story so far", Stop: models.StopEnd}, nil
		case turn == 1:
			return models.Answer{Calls: []models.Call{
				call("w1", "write", map[string]string{"path": "a.txt", "content": strings.Repeat("x", 100_000)}),
			}}, nil
		}
		return models.Answer{Text: "done", Stop: models.StopEnd}, nil
	}}
	b := newCLIBench(t, model, nil)
	runID := b.newRun(nil, func(c *run.Config) { c.Harness, c.Model.ContextWindow = "claude-agent", 120 })
	b.drive(b.newWorker(0, false), runID)
	if r := b.run(runID); r.Status != run.Completed || r.Result.FinalAnswer != "done" {
		t.Fatalf("the run is %s: %+v", r.Status, r.Error)
	}
	second := b.cli.sessions[1].spec
	if len(second.History) != 3 || !strings.Contains(second.History[0].Text, "the story so far") || second.Say != "" {
		t.Errorf("the program was opened on %d messages and told %q", len(second.History), second.Say)
	}
	b.checkNothingOpen()
}

func TestARunWhoseProgramLacksIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t, sixSteps())
	runID := b.newCLIRun(nil)
	b.drive(b.newWorker(0, false), runID)
	if r := b.run(runID); r.Status != run.Failed || !strings.Contains(r.Error.Message, "claude-agent is not available on this worker") {
		t.Errorf("the run is %s: %+v", r.Status, r.Error)
	}
}
