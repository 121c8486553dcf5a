package store

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

func TestWhoMayClaimAHeldRun(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.Alive = func(worker string) bool { return worker != "dead" } })
	cases := map[string]struct {
		holder, asks string
		token        int64
		code         string
	}{
		"the same worker, with a later token":   {"w1", "w1", 6, ""},
		"the same worker, with the same token":  {"w1", "w1", 5, ""},
		"the same worker, with an older token":  {"w1", "w1", 4, ""},
		"another worker, with a later token":    {"w1", "w2", 6, ""},
		"another worker, with the same token":   {"w1", "w2", 5, run.ErrHeld},
		"another worker, with an older token":   {"w1", "w2", 4, run.ErrHeld},
		"another worker, from one that is dead": {"dead", "w2", 4, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			held, _ := claim(t, b.Store, created(t, b.Store).ID, c.holder, 5)
			opened, err := b.ClaimRun(b.ctx, journal.Open{
				RunID: held.RunID, Holder: run.Holder{Host: "there", PID: 8, Worker: c.asks}, Token: c.token,
			})
			code(t, err, c.code)
			if c.code != "" {
				return
			}
			want := journal.Claim{RunID: held.RunID, Epoch: 2, Worker: c.asks}
			if diff := cmp.Diff(want, opened.Claim); diff != "" {
				t.Errorf("claim (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(&run.Holder{Host: "there", PID: 8, Worker: c.asks}, opened.Run.Claim.Holder); diff != "" {
				t.Errorf("holder (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAClaimIsToldInTheJournal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := created(t, b.Store)
	first, head := claim(t, b.Store, made.ID, "w1", 1)
	if head != 3 {
		t.Fatalf("head %d", head)
	}
	status(t, b.Store, first, "done", run.StatusChange{Status: run.Completed, State: run.StateEnded})
	if _, err := b.Message(b.ctx, made.ID, "and then?", nil); err != nil {
		t.Fatal(err)
	}
	claim(t, b.Store, made.ID, "w1", 2)
	claim(t, b.Store, made.ID, "w1", 3)
	if err := b.ServerAppend(b.ctx, made.ID, run.NewRow(run.RowStatus, "drain",
		run.StatusChange{Status: run.Working, State: run.StateSleeping, Reason: "drain"}, nil)); err != nil {
		t.Fatal(err)
	}
	claim(t, b.Store, made.ID, "w2", 1)
	var told []run.StatusChange
	for _, row := range allRows(t, b.Store, made.ID) {
		var change run.StatusChange
		if err := row.Decode(&change); err != nil {
			t.Fatal(err)
		}
		if change.Epoch > 0 {
			told = append(told, change)
		}
	}
	working := func(epoch int64, reason string) run.StatusChange {
		return run.StatusChange{Status: run.Working, State: run.StateRunning, Epoch: epoch, Reason: reason}
	}
	want := []run.StatusChange{working(1, ""), working(2, ""), working(3, "reopened"), working(4, "reopened")}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOnlyARunToDriveIsClaimed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cases := map[string]func(id string) (Outcome, error){
		"stopped":   func(id string) (Outcome, error) { return b.Stop(b.ctx, id) },
		"paused":    func(id string) (Outcome, error) { return b.Pause(b.ctx, id) },
		"cancelled": func(id string) (Outcome, error) { return b.Cancel(b.ctx, id) },
	}
	for name, act := range cases {
		t.Run(name, func(t *testing.T) {
			id := created(t, b.Store).ID
			if _, err := act(id); err != nil {
				t.Fatal(err)
			}
			_, err := b.ClaimRun(b.ctx, journal.Open{RunID: id, Holder: run.Holder{Worker: "w1"}})
			code(t, err, run.ErrConflict)
		})
	}
	_, err := b.ClaimRun(b.ctx, journal.Open{RunID: run.NewID(b.options.Now())})
	code(t, err, run.ErrNotFound)
}

func TestOpenedHasWhatAWorkerNeeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := created(t, b.Store)
	opened, err := b.ClaimRun(b.ctx, journal.Open{RunID: made.ID, Holder: run.Holder{Worker: "w1"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(newRun().Config, opened.Config); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
	if opened.Run.Status != run.Working || opened.Run.StartedAt == nil || opened.Head != 3 {
		t.Errorf("run %+v at head %d", opened.Run, opened.Head)
	}
}
