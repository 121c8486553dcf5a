package journal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// talk is a conversation of turns that each answer with about the given size and one tool result.
func talk(t *testing.T, turns, size int) *book {
	t.Helper()
	b := newBook(t).says("the task")
	for turn := 1; turn <= turns; turn++ {
		id := fmt.Sprint("c", turn)
		b.begins(turn, 1).answers(strings.Repeat("x", size), id).results(id)
	}
	return b
}

func TestAConversationIsCompactedBeforeItPassesTheWindow(t *testing.T) {
	t.Parallel()
	b := talk(t, 6, 40_000)
	b.add(run.RowUsage, run.UsageRow{Usage: run.Usage{InputTokens: 90_000, OutputTokens: 10_000}}, nil)
	for window, want := range map[int64]journal.Phase{
		0: journal.PhaseRequest, 200_000: journal.PhaseRequest, 116_384: journal.PhaseRequest, 116_383: journal.PhaseCompact,
	} {
		if got := b.fold.Position(window).Phase; got != want {
			t.Errorf("window %d: %s, want %s", window, got, want)
		}
	}
	older, keepFrom := b.fold.Compaction()
	b.add(run.RowRequestStarted, run.RequestStarted{Request: "k1", Attempt: 1, Purpose: journal.PurposeCompaction},
		run.RequestPrivate{}).ends(1, nil, false)
	b.add(run.RowCompaction, run.Compaction{Request: "k1", Summary: "so far", KeepFrom: keepFrom}, nil)
	if got := b.fold.Position(116_383).Phase; got != journal.PhaseRequest {
		t.Errorf("after the compaction: %s", got)
	}
	items, _ := b.fold.Messages()
	if !strings.Contains(items[0].Text, "so far") || items[0].Role != journal.RoleUser {
		t.Errorf("the conversation starts with %+v", items[0])
	}
	if items[1].Role == journal.RoleTool {
		t.Error("a tool result was parted from its call")
	}
	if kept := len(items) - 1; kept+len(older) != 13 {
		t.Errorf("%d messages summarised and %d kept, of 13", len(older), kept)
	}
}

func TestNothingToSummariseIsNoCompaction(t *testing.T) {
	t.Parallel()
	b := newBook(t).says("short")
	b.add(run.RowUsage, run.UsageRow{Usage: run.Usage{InputTokens: 1_000_000}}, nil)
	if got := b.fold.Position(50_000).Phase; got != journal.PhaseRequest {
		t.Errorf("one message only: %s", got)
	}
}

func TestARequestThatBeganIsNotCompactedUnderIt(t *testing.T) {
	t.Parallel()
	b := talk(t, 6, 40_000)
	b.add(run.RowUsage, run.UsageRow{Usage: run.Usage{InputTokens: 500_000}}, nil)
	b.begins(7, 1).ends(1, &run.Reason{Code: "rate_limited"}, false)
	if got := b.fold.Position(100_000).Phase; got != journal.PhaseRequest {
		t.Errorf("between two attempts: %s", got)
	}
}

func TestARequestThatIsTooLongIsMadeShorterOnce(t *testing.T) {
	t.Parallel()
	b := talk(t, 6, 40_000)
	tooLong := func(turn, attempt int) {
		b.begins(turn, attempt)
		b.add(run.RowRequestEnded, run.RequestEnded{
			Request: fmt.Sprint("r", turn), Attempt: attempt, Final: true, Error: &run.Reason{Code: run.EndedTooLong, Message: "too long"},
		}, nil)
	}
	tooLong(7, 1)
	if got := b.fold.Position(0); got.Phase != journal.PhaseCompact || got.Turn != 8 {
		t.Fatalf("after the refusal: %s, turn %d", got.Phase, got.Turn)
	}
	_, keepFrom := b.fold.Compaction()
	b.add(run.RowCompaction, run.Compaction{Request: "k1", Summary: "so far", KeepFrom: keepFrom}, nil)
	if got := b.fold.Position(0); got.Phase != journal.PhaseRequest || got.Turn != 8 {
		t.Fatalf("after the compaction: %s, turn %d", got.Phase, got.Turn)
	}
	tooLong(8, 1)
	if got := b.fold.Position(0).Phase; got != journal.PhaseFailed {
		t.Errorf("too long again: %s", got)
	}
}
