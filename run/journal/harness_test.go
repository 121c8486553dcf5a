package journal_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// asks begins a turn's request under a digest.
func (b *book) asks(turn, attempt int, digest string) *book {
	_, through := b.fold.Messages()
	return b.add(run.RowRequestStarted, run.RequestStarted{Attempt: attempt, Turn: turn, HeldUSD: 100},
		run.RequestPrivate{Through: through, Digest: digest})
}

// aside begins a request that a command-line agent makes for itself.
func (b *book) aside(turn int, digest string) *book {
	return b.add(run.RowRequestStarted, run.RequestStarted{
		Attempt: 1, Turn: turn, HeldUSD: 100, Purpose: journal.PurposeHarness,
	}, run.RequestPrivate{Digest: digest})
}

// answeredAside ends an aside that the model answered; nothing of its answer is in the journal.
func (b *book) answeredAside(input int64) *book {
	return b.ends(1, nil, false).add(run.RowUsage, run.UsageRow{Usage: run.Usage{InputTokens: input, ReasoningTokens: input}}, nil)
}

func (b *book) goesOn(words string) *book {
	return b.add(run.RowHarnessContinued, run.HarnessContinued{Harness: "codex", Words: words}, nil)
}

// newest fails the test unless the newest answer is this one of this request, and used so many tokens of input.
func (b *book) newest(text, digest string, input int64) *book {
	b.t.Helper()
	got, ok := b.fold.Newest()
	if !ok || got.Text != text || got.Item.Text != text || got.Digest != digest || got.Usage.InputTokens != input {
		b.t.Errorf("after row %d the newest answer is %+v, %v", len(b.rows), got, ok)
	}
	return b
}

func TestAProgramThatCannotGoOnEndsTheConversation(t *testing.T) {
	t.Parallel()
	for name, b := range map[string]*book{
		"before its first answer": newBook(t).says("go").asks(1, 1, "a"),
		"between two answers":     newBook(t).says("go").asks(1, 1, "a").answers("", "x").results("x"),
		"after an aside":          newBook(t).says("go").aside(1, "t").answeredAside(7),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.t = t
			turn := b.fold.Position(0).Turn
			b.add(run.RowHarnessFailed, run.HarnessFailed{Harness: "codex", Code: "harness_ended", Message: "codex ended: killed"}, nil).
				at(journal.PhaseFailed, turn)
			want := &run.Reason{Code: "harness_ended", Message: "codex ended: killed"}
			if diff := cmp.Diff(want, b.fold.Failure()); diff != "" {
				t.Error(diff)
			}
			b.is(run.Failed, run.StateEnded, "").at(journal.PhaseEnded, turn)
		})
	}
}

func TestAProgramThatGoesOnByItselfTakesAnotherTurn(t *testing.T) {
	t.Parallel()
	newBook(t).says("go").asks(1, 1, "a").answers("that was it").at(journal.PhaseFinal, 1).
		goesOn("Is that all?").at(journal.PhaseRequest, 2).
		told("user: go", "assistant: that was it", "user: Is that all?").
		newest("that was it", "a", 10).
		asks(2, 1, "b").answers("now it is").at(journal.PhaseFinal, 2).newest("now it is", "b", 10).
		is(run.Completed, run.StateEnded, "").at(journal.PhaseEnded, 2)
}

// TestWordsOfAProgramThatComeLateAreKept: a person spoke first, so the turn has begun already.
func TestWordsOfAProgramThatComeLateAreKept(t *testing.T) {
	t.Parallel()
	newBook(t).says("go").asks(1, 1, "a").answers("done").says("more").at(journal.PhaseRequest, 2).
		goesOn("Is that all?").at(journal.PhaseRequest, 2).
		told("user: go", "assistant: done", "user: Is that all?", "user: more")
}

// TestAnAsideIsNoPartOfTheConversation: a request of the program's own is numbered and paid, and changes nothing else.
func TestAnAsideIsNoPartOfTheConversation(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go").asks(1, 1, "a").answers("", "x").results("x").at(journal.PhaseRequest, 2)
	conversation := []string{"user: go", "assistant: ", "tool: done x"}
	before := b.fold.Position(0)
	b.newest("", "a", 10).told(conversation...)
	for n, end := range []func(){
		func() { b.answeredAside(100_000) },
		func() { b.ends(1, &run.Reason{Code: "overloaded", Message: "too busy"}, true) },
		func() { b.ends(1, &run.Reason{Code: run.EndedTooLong, Message: "too long"}, true) },
		func() { b.ends(1, &run.Reason{Code: run.EndedInterrupted, Message: "gone"}, false) },
		func() { b.ends(1, &run.Reason{Code: run.CodeModerated, Message: "no"}, true) },
	} {
		b.aside(2, "title")
		end()
		b.at(journal.PhaseRequest, 2).newest("", "a", 10).told(conversation...)
		after := b.fold.Position(200_000)
		if after.Steps != before.Steps || after.Phase != before.Phase || b.fold.Asides() != n+1 || b.fold.Asking() != "" ||
			b.fold.Attempts() != 0 || b.fold.Failures() != 0 || b.fold.Failure() != nil {
			t.Errorf("after aside %d: %+v, %d asides, asking %q, %d attempts, %d failures, %v", n+1, after, b.fold.Asides(),
				b.fold.Asking(), b.fold.Attempts(), b.fold.Failures(), b.fold.Failure())
		}
	}
	b.asks(2, 1, "b").answers("done").at(journal.PhaseFinal, 2).newest("done", "b", 10)
	if got, _ := b.fold.Newest(); got.Usage.ReasoningTokens != 0 || got.Item.ReasoningTokens != 0 {
		t.Errorf("the aside's reasoning is the answer's: %+v", got)
	}
}

// TestAnAsideBetweenTwoAttempts: the turn's request goes on to be counted, since no two attempts may have one name.
func TestAnAsideBetweenTwoAttempts(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go").asks(1, 1, "a").ends(1, &run.Reason{Code: run.EndedInterrupted, Message: "gone"}, false)
	b.asks(1, 2, "a").ends(2, &run.Reason{Code: "overloaded", Message: "busy"}, false)
	for _, end := range []*run.Reason{nil, {Code: "overloaded", Message: "busy"}} {
		b.aside(1, "title").ends(1, end, end != nil)
		if b.fold.Asking() != "a" || b.fold.Attempts() != 2 || b.fold.Failures() != 1 {
			t.Errorf("asking %q, %d attempts, %d failures", b.fold.Asking(), b.fold.Attempts(), b.fold.Failures())
		}
	}
	b.asks(1, 3, "a").answers("done").at(journal.PhaseFinal, 1).newest("done", "a", 10)
}

// TestAnAsideWaitsAndIsCutAsAnyRequest.
func TestAnAsideWaitsAndIsCutAsAnyRequest(t *testing.T) {
	t.Parallel()
	refused := run.RequestStarted{Attempt: 1, Turn: 1, Purpose: journal.PurposeHarness, CapRefused: true}
	raise := run.Dollar
	newBook(t).says("go").add(run.RowRequestStarted, refused, run.RequestPrivate{}).at(journal.PhaseRefused, 1).
		add(run.RowCapChanged, run.CapChange{CapUSD: &raise}, nil).at(journal.PhaseRequest, 1)
	for _, code := range []string{run.EndedStopped, run.EndedCancelled} {
		newBook(t).says("go").aside(1, "title").add(run.RowStopRequested, struct{}{}, nil).
			ends(1, &run.Reason{Code: code, Message: "cut"}, true).at(journal.PhaseStopped, 1)
	}
}

func TestTheNewestAnswer(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go")
	if got, ok := b.fold.Newest(); ok {
		t.Errorf("before any answer there is %+v", got)
	}
	b.asks(1, 1, "a").answers("first", "x", "y")
	got, ok := b.fold.Newest()
	if !ok || len(got.Item.Calls) != 2 || got.Item.Calls[1].ID != "y" || got.ToolCalls != 2 {
		t.Errorf("%+v, %v", got, ok)
	}
	b.results("x", "y").newest("first", "a", 10)
	b.asks(2, 1, "b").ends(1, &run.Reason{Code: "overloaded", Message: "busy"}, false).newest("first", "a", 10)
	b.asks(2, 2, "c").answers("second").newest("second", "c", 10)
	b.says("more").newest("second", "c", 10)
	b.add(run.RowCompaction, run.Compaction{Summary: "much was said", KeepFrom: int64(len(b.rows) + 1)}, nil)
	if got, ok := b.fold.Newest(); ok {
		t.Errorf("a conversation that was shortened to its summary has the answer %+v", got)
	}
}

func TestTheResultOfACall(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go")
	is := func(id string, asked, done bool, text string) {
		t.Helper()
		result, wasAsked, isDone := b.fold.ResultOf(id)
		if wasAsked != asked || isDone != done || result.Text != text {
			t.Errorf("after row %d the call %q: asked %v, done %v, %q", len(b.rows), id, wasAsked, isDone, result.Text)
		}
	}
	is("x", false, false, "")
	b.asks(1, 1, "a").answers("", "x", "y")
	is("x", true, false, "")
	is("z", false, false, "")
	b.results("y")
	is("x", true, false, "")
	is("y", true, true, "done y")
	b.results("x")
	is("x", true, true, "done x")
	is("y", true, true, "done y")

	// The next turn's calls are beside those of the last one; an id that comes again is the newest call's.
	b.asks(2, 1, "b").answers("", "x")
	is("x", true, false, "")
	is("y", true, true, "done y")
	b.add(run.RowToolResult, run.ToolResult{CallID: "x", Content: "failed"}, nil)
	if result, _, _ := b.fold.ResultOf("x"); result.Text != "failed" || !result.IsError {
		t.Errorf("%+v", result)
	}
}

// TestTwoCallsOfOneIDInOneAnswer: each result is the next open call's.
func TestTwoCallsOfOneIDInOneAnswer(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("go").asks(1, 1, "a").answers("", "x", "x").results("x")
	if _, asked, done := b.fold.ResultOf("x"); !asked || done {
		t.Errorf("asked %v, done %v", asked, done)
	}
	b.results("x")
	if _, asked, done := b.fold.ResultOf("x"); !asked || !done {
		t.Errorf("asked %v, done %v", asked, done)
	}
}

func TestRowsOfAHarnessThatAreNotReadable(t *testing.T) {
	t.Parallel()
	for _, kind := range []run.RowType{run.RowHarnessFailed, run.RowHarnessContinued} {
		var fold journal.Fold
		if err := fold.Apply(run.Row{Type: kind, Seq: 1, Body: json.RawMessage(`{"harness": 7}`)}); err == nil {
			t.Errorf("%s is folded", kind)
		}
	}
}
