package store

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// soon fails the test if nothing comes within a long time.
func soon[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(10 * time.Second):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

func TestReadersAreToldOfTheirRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, head := claimed(t, b.Store)
	readers := make([]*Subscription, 100)
	for i := range readers {
		readers[i] = b.Subscribe(c.RunID)
		defer readers[i].Close()
	}
	other := b.Subscribe(created(t, b.Store).ID)
	defer other.Close()
	for i := range 3 {
		appended(t, b.Store, journal.Append{Claim: c, After: head, Rows: []run.Row{text(string(rune('a' + i)))}})
	}
	for _, reader := range readers {
		soon(t, reader.C())
		rows, _, err := b.Timeline(b.ctx, c.RunID, head, 0)
		if err != nil || len(rows) != 3 {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
	}
	select {
	case <-other.C():
		t.Error("the reader of another run was told")
	default:
	}
}

func TestAClosedSubscriptionIsSilent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, head := claimed(t, b.Store)
	closed, open := b.Subscribe(c.RunID), b.Subscribe(c.RunID)
	closed.Close()
	closed.Close()
	appended(t, b.Store, journal.Append{Claim: c, After: head, Rows: []run.Row{text("a")}})
	soon(t, open.C())
	open.Close()
	select {
	case <-closed.C():
		t.Error("it was told")
	default:
	}
	if len(b.subs.byRun) != 0 {
		t.Errorf("%d runs are still listened to", len(b.subs.byRun))
	}
}

func TestStatusChangesAreToldInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var mu sync.Mutex
	var seen []run.Status
	ended := make(chan struct{})
	b.OnChange(func(id string, p journal.Projection) {
		// A hook may write: a run that fails is labelled.
		if p.Status == run.Failed {
			if _, err := b.SetLabels(b.ctx, id, map[string]string{"failed": "yes"}); err != nil {
				t.Error(err)
			}
			close(ended)
		}
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, p.Status)
	})
	c, head := claimed(t, b.Store)
	appended(t, b.Store, journal.Append{Claim: c, After: head, Rows: []run.Row{text("no status")}})
	status(t, b.Store, c, "end", run.StatusChange{Status: run.Failed, State: run.StateEnded})
	soon(t, ended)
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]run.Status{run.Queued, run.Working}, seen[:2]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
