package journal_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// book writes a journal as the product does and folds it as it goes.
type book struct {
	t    *testing.T
	rows []run.Row
	fold journal.Fold
}

func newBook(t *testing.T) *book { return &book{t: t} }

func (b *book) add(kind run.RowType, body, private any) *book {
	b.t.Helper()
	row := run.NewRow(kind, fmt.Sprint("key/", len(b.rows)), body, private)
	row.Seq = int64(len(b.rows) + 1)
	b.rows = append(b.rows, row)
	if err := b.fold.Apply(row); err != nil {
		b.t.Fatal(err)
	}
	return b
}

func (b *book) says(text string) *book {
	return b.add(run.RowUserMessage, run.UserMessage{Content: text}, nil)
}

func (b *book) begins(turn, attempt int) *book {
	_, through := b.fold.Messages()
	return b.add(run.RowRequestStarted, run.RequestStarted{
		Request: fmt.Sprint("r", turn), Attempt: attempt, Turn: turn, HeldUSD: 100,
	}, run.RequestPrivate{Through: through})
}

func (b *book) ends(attempt int, reason *run.Reason, final bool) *book {
	cost := run.USD(0)
	ended := run.RequestEnded{Attempt: attempt, HeldUSD: 100, Error: reason, Final: final, CostUSD: &cost}
	if reason != nil {
		ended.CostUSD, ended.UnknownSpend = nil, true
	}
	return b.add(run.RowRequestEnded, ended, nil)
}

func (b *book) answers(text string, calls ...string) *book {
	b.ends(1, nil, false).add(run.RowUsage, run.UsageRow{Usage: run.Usage{InputTokens: 10}}, nil)
	b.add(run.RowAnswer, run.Answer{Text: text, ToolCalls: len(calls)}, run.AnswerPrivate{API: "responses"})
	for _, id := range calls {
		b.add(run.RowToolUse, run.ToolUse{CallID: id, Name: "write", Args: json.RawMessage(`{}`)}, nil)
	}
	return b
}

func (b *book) results(ids ...string) *book {
	for _, id := range ids {
		b.add(run.RowToolResult, run.ToolResult{CallID: id, OK: true, Content: "done " + id}, nil)
	}
	return b
}

func (b *book) is(status run.Status, state run.State, pending string) *book {
	change := run.StatusChange{Status: status, State: state}
	if pending != "" {
		change.Pending = &run.Pending{Kind: pending}
	}
	return b.add(run.RowStatus, change, nil)
}

func (b *book) at(phase journal.Phase, turn int) *book {
	b.t.Helper()
	position := b.fold.Position(0)
	if position.Phase != phase || position.Turn != turn {
		b.t.Errorf("after row %d the run is at %s of turn %d, want %s of turn %d", len(b.rows), position.Phase,
			position.Turn, phase, turn)
	}
	var again journal.Fold
	for _, row := range b.rows {
		if err := again.Apply(row); err != nil {
			b.t.Fatal(err)
		}
	}
	if diff := cmp.Diff(position, again.Position(0)); diff != "" {
		b.t.Errorf("folding the journal anew gives another position:\n%s", diff)
	}
	return b
}

func (b *book) told(want ...string) *book {
	b.t.Helper()
	items, _ := b.fold.Messages()
	got := make([]string, 0, len(items))
	for _, item := range items {
		got = append(got, item.Role+": "+item.Text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("the model would be told (-want +got):\n%s", diff)
	}
	return b
}

func TestARunFromItsMessageToItsAnswer(t *testing.T) {
	t.Parallel()
	newBook(t).is(run.Queued, run.StateQueued, "").says("go").at(journal.PhaseRequest, 1).
		begins(1, 1).at(journal.PhaseRequest, 1).answers("", "a", "b").at(journal.PhaseTools, 1).
		results("b").at(journal.PhaseTools, 1).results("a").at(journal.PhaseRequest, 2).
		told("user: go", "assistant: ", "tool: done a", "tool: done b").
		begins(2, 1).answers("all done").at(journal.PhaseFinal, 2).
		is(run.Completed, run.StateEnded, "").at(journal.PhaseEnded, 2)
}

func TestAFollowUpGoesOnWithTheConversation(t *testing.T) {
	t.Parallel()
	newBook(t).says("one").begins(1, 1).answers("first").is(run.Completed, run.StateEnded, "").
		says("two").is(run.Queued, run.StateQueued, "").at(journal.PhaseRequest, 2).
		told("user: one", "assistant: first", "user: two")
}

func TestAMessageToAWorkingRunWaitsForTheNextTurn(t *testing.T) {
	t.Parallel()
	newBook(t).says("go").begins(1, 1).says("hurry").answers("", "a").says("more").results("a").
		at(journal.PhaseRequest, 2).
		told("user: go", "assistant: ", "tool: done a", "user: hurry", "user: more")
}

func TestAMessageDuringTheLastAnswerIsAnsweredToo(t *testing.T) {
	t.Parallel()
	newBook(t).says("go").begins(1, 1).says("and this?").answers("done").at(journal.PhaseRequest, 2).
		told("user: go", "assistant: done", "user: and this?")
}

func TestARequestThatBeganIsBuiltFromTheSameRowsAgain(t *testing.T) {
	t.Parallel()
	newBook(t).says("go").begins(1, 1).says("late").
		ends(1, &run.Reason{Code: run.EndedInterrupted}, false).at(journal.PhaseRequest, 1).
		told("user: go").
		begins(1, 2).answers("ok").at(journal.PhaseRequest, 2).told("user: go", "assistant: ok", "user: late")
}

func TestTheCapRefusesAndARaiseAsksTheSameAgain(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go")
	_, through := b.fold.Messages()
	b.add(run.RowRequestStarted, run.RequestStarted{Request: "r1", Attempt: 1, CapRefused: true},
		run.RequestPrivate{Through: through}).at(journal.PhaseRefused, 1).
		is(run.InputRequired, run.StateWaiting, run.PendingBudget).at(journal.PhaseRefused, 1).
		says("unrelated").at(journal.PhaseRefused, 1).
		add(run.RowCapChanged, run.CapChange{}, nil).at(journal.PhaseRequest, 1).told("user: go")
	if b.fold.Attempts() != 1 {
		t.Errorf("%d attempts, want 1", b.fold.Attempts())
	}
}

func TestAStopWaitsForAMessage(t *testing.T) {
	t.Parallel()
	stopped := &run.Reason{Code: run.EndedStopped}
	t.Run("a message after it goes on", func(t *testing.T) {
		t.Parallel()
		newBook(t).says("go").begins(1, 1).add(run.RowStopRequested, struct{}{}, nil).ends(1, stopped, true).
			at(journal.PhaseStopped, 1).is(run.InputRequired, run.StateWaiting, run.PendingMessage).
			at(journal.PhaseStopped, 1).says("on").at(journal.PhaseRequest, 2).told("user: go", "user: on")
	})
	t.Run("a message before the stop took effect goes on at once", func(t *testing.T) {
		t.Parallel()
		newBook(t).says("go").begins(1, 1).add(run.RowStopRequested, struct{}{}, nil).says("on").
			ends(1, stopped, true).at(journal.PhaseRequest, 2).told("user: go", "user: on")
	})
	t.Run("a message before the stop waits with it", func(t *testing.T) {
		t.Parallel()
		newBook(t).says("go").begins(1, 1).says("first").add(run.RowStopRequested, struct{}{}, nil).
			ends(1, stopped, true).at(journal.PhaseStopped, 1)
	})
}

// TestAStopOfARunThatNobodyDrives gives its turn up, whatever the run waited for.
func TestAStopOfARunThatNobodyDrives(t *testing.T) {
	t.Parallel()
	refused := run.RequestStarted{Request: "r1", Attempt: 1, CapRefused: true}
	t.Run("at its cap", func(t *testing.T) {
		t.Parallel()
		newBook(t).says("go").add(run.RowRequestStarted, refused, run.RequestPrivate{}).
			is(run.InputRequired, run.StateWaiting, run.PendingBudget).
			is(run.InputRequired, run.StateWaiting, run.PendingMessage).at(journal.PhaseStopped, 1).
			add(run.RowCapChanged, run.CapChange{}, nil).at(journal.PhaseStopped, 1).
			says("on").at(journal.PhaseRequest, 2).told("user: go", "user: on")
	})
	t.Run("at its cap, with a message that its turn had not read", func(t *testing.T) {
		t.Parallel()
		newBook(t).says("go").add(run.RowRequestStarted, refused, run.RequestPrivate{}).
			is(run.InputRequired, run.StateWaiting, run.PendingBudget).says("early").
			is(run.InputRequired, run.StateWaiting, run.PendingMessage).at(journal.PhaseStopped, 1).
			says("on").at(journal.PhaseRequest, 2).told("user: go", "user: early", "user: on")
	})
	t.Run("asleep with a request cut", func(t *testing.T) {
		t.Parallel()
		newBook(t).says("go").begins(1, 1).is(run.Working, run.StateSleeping, "").
			ends(1, &run.Reason{Code: run.EndedInterrupted}, false).
			is(run.InputRequired, run.StateWaiting, run.PendingMessage).at(journal.PhaseStopped, 1).
			says("on").at(journal.PhaseRequest, 2).told("user: go", "user: on")
	})
	t.Run("asleep with calls unanswered: they are answered first", func(t *testing.T) {
		t.Parallel()
		newBook(t).says("go").begins(1, 1).answers("look", "c1", "c2").results("c1").is(run.Working, run.StateSleeping, "").
			is(run.InputRequired, run.StateWaiting, run.PendingMessage).at(journal.PhaseTools, 1).
			says("on").at(journal.PhaseTools, 1).results("c2").at(journal.PhaseRequest, 2).
			told("user: go", "assistant: look", "tool: done c1", "tool: done c2", "user: on")
	})
	t.Run("before its first turn", func(t *testing.T) {
		t.Parallel()
		newBook(t).says("go").is(run.InputRequired, run.StateWaiting, run.PendingMessage).at(journal.PhaseRequest, 1).
			says("on").at(journal.PhaseRequest, 1).told("user: go", "user: on")
	})
}

// TestAPauseAtTheCapKeepsTheRequest: resumed without a raise the run waits at its cap again, with one it asks the same.
func TestAPauseAtTheCapKeepsTheRequest(t *testing.T) {
	t.Parallel()
	newBook(t).says("go").
		add(run.RowRequestStarted, run.RequestStarted{Request: "r1", Attempt: 1, CapRefused: true}, run.RequestPrivate{}).
		is(run.InputRequired, run.StateWaiting, run.PendingBudget).
		is(run.InputRequired, run.StatePaused, run.PendingResume).at(journal.PhaseRefused, 1).
		add(run.RowResumed, struct{}{}, nil).is(run.Queued, run.StateQueued, "").at(journal.PhaseRefused, 1).
		add(run.RowCapChanged, run.CapChange{}, nil).at(journal.PhaseRequest, 1)
}

func TestUntypedAnswersAreCorrectedTwiceAndThenFail(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go")
	invalid := run.Answer{Text: "no", Invalid: "not JSON"}
	for turn := 1; turn <= 3; turn++ {
		b.at(journal.PhaseRequest, turn).begins(turn, 1).ends(1, nil, false).
			add(run.RowAnswer, invalid, run.AnswerPrivate{})
	}
	b.at(journal.PhaseInvalid, 3)
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reason run.Reason
		final  bool
		phase  journal.Phase
	}{
		"more attempts follow":        {run.Reason{Code: "rate_limited"}, false, journal.PhaseRequest},
		"the provider gave up":        {run.Reason{Code: "provider_error"}, true, journal.PhaseFailed},
		"the provider's policy":       {run.Reason{Code: run.CodeModerated}, true, journal.PhaseModerated},
		"a crash is not a failure":    {run.Reason{Code: run.EndedInterrupted}, false, journal.PhaseRequest},
		"a cancel ends what was sent": {run.Reason{Code: run.EndedCancelled}, true, journal.PhaseStopped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBook(t).says("go").begins(1, 1).ends(1, &c.reason, c.final).at(c.phase, 1)
			want := 1
			if c.reason.Code == run.EndedInterrupted {
				want = 0
			}
			if b.fold.Failures() != want || b.fold.Open() != nil {
				t.Errorf("%d failures, open attempt %v", b.fold.Failures(), b.fold.Open())
			}
		})
	}
}

func TestUnknownSpendHoldsItsWorstCaseForGood(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go").begins(1, 1)
	if cost := b.fold.Cost(); cost.HeldUSD != 100 || cost.USD == nil {
		t.Errorf("an open request: %+v", cost)
	}
	b.ends(1, &run.Reason{Code: run.EndedInterrupted}, false)
	if cost := b.fold.Cost(); cost.HeldUSD != 100 || cost.USD != nil || b.fold.Ledger.Spent() != 100 {
		t.Errorf("an unknown spend: %+v", cost)
	}
}

func TestAPauseEndsWithItsRun(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go").begins(1, 1)
	b.add(run.RowPauseRequested, map[string]string{"origin": "user"}, nil)
	b.answers("done").is(run.Completed, run.StateEnded, "")
	b.says("and now?")
	if b.fold.Position(0).Inbox.Pause {
		t.Error("a follow-up is held by a pause of the run before it")
	}
}
