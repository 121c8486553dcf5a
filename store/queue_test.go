package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func ids(items []QueueItem) []string {
	list := make([]string, 0, len(items))
	for _, item := range items {
		list = append(list, item.RunID)
	}
	return list
}

func TestTheLineIsFirstInFirstOut(t *testing.T) {
	t.Parallel()
	at := &clock{time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	b := setup(t, func(o *Options) { o.Now = at.now })
	made := func() string {
		at.at = at.at.Add(time.Second)
		return created(t, b.Store).ID
	}
	ended, first, second, waits := made(), made(), made(), made()
	c, _ := claim(t, b.Store, ended, "w1", 1)
	status(t, b.Store, c, "done", run.StatusChange{Status: run.Completed, State: run.StateEnded})
	if _, err := b.Stop(b.ctx, waits); err != nil {
		t.Fatal(err)
	}
	claim(t, b.Store, second, "w1", 1)
	line := func() []string {
		items, err := b.Unfinished(b.ctx)
		if err != nil {
			t.Fatal(err)
		}
		return ids(items)
	}
	if diff := cmp.Diff([]string{first, second}, line()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// A follow-up goes to the end of the line, however old its run is.
	at.at = at.at.Add(time.Second)
	if _, err := b.Message(b.ctx, ended, "and then?", nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{first, second, ended}, line()); diff != "" {
		t.Errorf("with a follow-up (-want +got):\n%s", diff)
	}
}

func TestWhatAWorkerHolds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine := make([]string, 0, 3)
	for range 3 {
		c, _ := claimed(t, b.Store)
		mine = append(mine, c.RunID)
	}
	claim(t, b.Store, created(t, b.Store).ID, "w2", 1)
	held, err := b.HeldBy(b.ctx, "w1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mine, ids(held)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want := &run.Holder{Host: "here", PID: 7, Worker: "w1"}
	if diff := cmp.Diff(want, held[0].Holder); diff != "" || held[0].Epoch != 1 || held[0].State != run.StateRunning {
		t.Errorf("%+v; holder (-want +got):\n%s", held[0], diff)
	}
	fenced, err := b.FenceWorker(b.ctx, "w1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mine, ids(fenced)); diff != "" {
		t.Errorf("fenced (-want +got):\n%s", diff)
	}
	if held, err = b.HeldBy(b.ctx, "w1"); err != nil || len(held) > 0 {
		t.Errorf("still held: %v, %v", held, err)
	}
	if left, err := b.Unfinished(b.ctx); err != nil || len(left) != 4 {
		t.Errorf("to be driven: %v, %v", ids(left), err)
	}
}

func TestStrikesAreDeathsWithoutProgress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, _ := claimed(t, b.Store)
	strike := func(want int) {
		t.Helper()
		if n, err := b.Strike(b.ctx, c.RunID); err != nil || n != want {
			t.Fatalf("strike %d, want %d (%v)", n, want, err)
		}
	}
	end := func(key string, ended run.RequestEnded) {
		t.Helper()
		status(t, b.Store, c, key+"/s", run.StatusChange{Status: run.Working, State: run.StateRunning})
		row := run.NewRow(run.RowRequestEnded, key, ended, nil)
		if err := b.ServerAppend(b.ctx, c.RunID, row); err != nil {
			t.Fatal(err)
		}
	}
	strike(1)
	strike(2)
	end("cut", run.RequestEnded{UnknownSpend: true}) // a request that was cut is no progress
	strike(3)
	end("answered", run.RequestEnded{})
	strike(1)
	strike(2)
	if err := b.ServerAppend(b.ctx, c.RunID, run.NewRow(run.RowToolResult, "tool", run.ToolResult{}, nil)); err != nil {
		t.Fatal(err)
	}
	strike(1)
	_, err := b.Strike(b.ctx, "run_x")
	code(t, err, run.ErrNotFound)
}
