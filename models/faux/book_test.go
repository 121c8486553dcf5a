package faux

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBookCounts(t *testing.T) {
	t.Parallel()
	b := newBook(100)
	requests := [][2]string{{"d1", "c1"}, {"d2", "c1"}, {"d1", "c2"}, {"d1", "c1"}, {"", ""}}
	got := make([]counts, 0, len(requests))
	for _, asked := range requests {
		got = append(got, b.begin(&Record{Digest: asked[0], Conversation: asked[1]}))
	}
	want := []counts{{1, 1, 1}, {2, 2, 1}, {3, 1, 2}, {4, 3, 3}, {5, 0, 0}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(counts{})); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	b.reset()
	if again := b.begin(&Record{Digest: "d1", Conversation: "c1"}); again != (counts{1, 1, 1}) || len(b.list()) != 1 {
		t.Errorf("after a reset: %+v, %d records", again, len(b.list()))
	}
}

// TestBookForgetsOnlyTheOldest: the book keeps at least as many records as it should and at most twice as many, counts on,
// and keeps no count that no record needs.
func TestBookForgetsOnlyTheOldest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.IntRange(1, 10).Draw(t, "keep")
		b := newBook(keep)
		asked := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 1, 60).Draw(t, "asked")
		for _, digest := range asked {
			b.begin(&Record{Digest: digest, Conversation: digest})
		}
		records := b.list()
		if len(records) < min(keep, len(asked)) || len(records) >= 2*keep {
			t.Fatalf("%d records of %d are kept, want %d", len(records), len(asked), keep)
		}
		kept := map[string]bool{}
		for i, record := range records {
			if want := int64(len(asked) - len(records) + i + 1); record.N != want {
				t.Fatalf("record %d is number %d, want %d", i, record.N, want)
			}
			kept[record.Digest] = true
		}
		if len(b.digests) != len(kept) || len(b.talks) != len(kept) {
			t.Fatalf("%d digests and %d conversations are counted, %d kept", len(b.digests), len(b.talks), len(kept))
		}
	})
}

func TestRepeats(t *testing.T) {
	t.Parallel()
	records := []Record{
		{N: 1, Conversation: "c", Digest: "a", Outcome: Completed},
		{N: 2, Conversation: "c", Digest: "b", Outcome: ClientGone},
		{N: 3, Conversation: "c", Digest: "b", Outcome: Completed},
		{N: 4, Conversation: "other", Digest: "a", Outcome: Completed},
		{N: 5, Conversation: "c", Digest: "a", Outcome: Completed},
		{N: 6, Conversation: "c", Digest: "e", Outcome: Refused},
		{N: 7, Conversation: "c", Digest: "e", Outcome: Refused},
		{N: 8, Conversation: "c", Digest: "a", Outcome: Completed},
	}
	want := []Repeat{{Conversation: "c", Digest: "a", Requests: []int64{1, 5, 8}}}
	if diff := cmp.Diff(want, repeats(records)); diff != "" {
		t.Errorf("repeats (-want +got):\n%s", diff)
	}
	if got := repeats(nil); got == nil || len(got) != 0 {
		t.Errorf("no repeats are %v", got)
	}
}

func TestWaitGivesUpWithItsContext(t *testing.T) {
	t.Parallel()
	b := newBook(10)
	reason := errors.New("enough of it")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	if _, err := b.wait(ctx, func([]Record) bool { return false }); !errors.Is(err, reason) {
		t.Errorf("the error is %v", err)
	}
	if _, err := b.wait(ctx, func([]Record) bool { return true }); err != nil {
		t.Errorf("a condition that holds already gives %v", err)
	}
}
