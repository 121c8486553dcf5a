package door_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// gated is a record whose first append waits, and that refuses one run.
type gated struct {
	record
	once    sync.Once
	entered chan struct{}
	open    chan struct{}
}

func (g *gated) Append(_ context.Context, ask journal.Append) (journal.Appended, error) {
	g.once.Do(func() {
		close(g.entered)
		<-g.open
	})
	if ask.Claim.RunID == "run_refused" {
		return journal.Appended{}, run.Errorf(run.ErrStaleEpoch, "another worker has it")
	}
	return journal.Appended{Seqs: []int64{ask.After + 1}}, nil
}

func TestAppendsThatWaitShareACallAndKeepTheirOwnOutcome(t *testing.T) {
	t.Parallel()
	h, client := build(t)
	behind := &gated{entered: make(chan struct{}), open: make(chan struct{})}
	h.local.Record = behind
	var group sync.WaitGroup
	ask := func(runID string, after int64) {
		group.Go(func() {
			appended, err := client.Append(t.Context(), journal.Append{
				Claim: journal.Claim{RunID: runID, Epoch: 1, Worker: "w"}, After: after,
			})
			switch {
			case runID == "run_refused":
				if run.CodeOf(err) != run.ErrStaleEpoch {
					t.Errorf("%s: %v", runID, err)
				}
			case err != nil || len(appended.Seqs) != 1 || appended.Seqs[0] != after+1:
				t.Errorf("%s after %d: %+v, %v", runID, after, appended, err)
			}
		})
	}
	ask("run_first", 0)
	<-behind.entered
	for i := range 150 { // more than one call takes
		ask(fmt.Sprint("run_", i), int64(i))
	}
	ask("run_refused", 1)
	close(behind.open)
	group.Wait()
}

func TestWhoGivesUpWaitingLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	h, client := build(t)
	behind := &gated{entered: make(chan struct{}), open: make(chan struct{})}
	h.local.Record = behind
	first := make(chan error, 1)
	go func() {
		_, err := client.Append(context.Background(), journal.Append{Claim: claim})
		first <- err
	}()
	<-behind.entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Append(ctx, journal.Append{Claim: claim}); err == nil {
		t.Error("a caller that gave up was answered")
	}
	close(behind.open)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

var _ door.Record = (*gated)(nil)
