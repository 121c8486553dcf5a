package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestCreateRun(t *testing.T) {
	t.Parallel()
	at := &clock{time.Date(2026, 3, 4, 5, 6, 7, 8_900_000, time.FixedZone("", 3600))}
	b := setup(t, func(o *Options) { o.Now = at.now })
	limit := run.Dollar/4 + 1 // finer than the contract shows
	ask := newRun()
	ask.MaxCostUSD, ask.Labels, ask.Session = &limit, map[string]string{"env": "prod"}, "s1"
	ask.Input.Files = []string{"notes.md"}
	made, replayed, err := b.CreateRun(b.ctx, ask)
	if err != nil || replayed {
		t.Fatal(replayed, err)
	}
	quarter, nothing := run.Dollar/4, run.USD(0)
	want := run.Run{
		ID: made.ID, AgentID: "writer", AgentRevision: 1, Kind: run.KindAgent, Harness: "pi", Model: "faux/one", Effort: "low",
		Place: run.Place{Mode: run.PlaceRunner}, Status: run.Queued, State: run.StateQueued, Input: ask.Input,
		Cost: run.Cost{USD: &nothing}, MaxCostUSD: &quarter, Labels: map[string]string{"env": "prod"}, Source: "api",
		Session: "s1", CreatedAt: time.Date(2026, 3, 4, 4, 6, 7, 8_000_000, time.UTC),
	}
	if !run.ValidID(made.ID) {
		t.Errorf("id %q", made.ID)
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
	shown, err := b.Run(b.ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
	rows := allRows(t, b.Store, made.ID)
	var message run.UserMessage
	if err := rows[1].Decode(&message); err != nil {
		t.Fatal(err)
	}
	first := run.UserMessage{Content: ask.FirstMessage, Files: []string{"notes.md"}, Origin: "user"}
	if diff := cmp.Diff(first, message); diff != "" || rows[0].Type != run.RowStatus || len(rows) != 2 {
		t.Errorf("rows %v, message (-want +got):\n%s", rows, diff)
	}
}

func TestCreateRunIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.CreateAgent(b.ctx, definition("old"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := b.SetAgentArchived(b.ctx, "old", true); err != nil {
		t.Fatal(err)
	}
	taken := created(t, b.Store).ID
	cases := map[string]struct {
		change func(*NewRun)
		code   string
	}{
		"of an agent that is not there":   {func(n *NewRun) { n.AgentID = "nobody" }, run.ErrNotFound},
		"of an archived agent":            {func(n *NewRun) { n.AgentID = "old" }, run.ErrAgentNotRunnable},
		"of a revision that is not there": {func(n *NewRun) { n.Revision = 2 }, run.ErrNotFound},
		"of revision -1":                  {func(n *NewRun) { n.Revision = -1 }, run.ErrNotFound},
		"with an id that is taken":        {func(n *NewRun) { n.ID = taken }, run.ErrConflict},
		"with an output that is not JSON": {func(n *NewRun) { n.Config.Output = []byte("{") }, run.ErrInvalid},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			ask := newRun()
			c.change(&ask)
			_, _, err := b.CreateRun(b.ctx, ask)
			code(t, err, c.code)
		})
	}
	if runs, _, err := b.Runs(b.ctx, RunFilter{}, Page{}); err != nil || len(runs) != 1 {
		t.Errorf("a refused run left a trace: %d runs, %v", len(runs), err)
	}
}

func TestARunWithoutAConversation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := created(t, b.Store, func(n *NewRun) { n.Kind, n.FirstMessage = run.KindWorkflow, "" })
	if rows := allRows(t, b.Store, made.ID); len(rows) != 1 {
		t.Errorf("rows %v", rows)
	}
	config, err := b.Config(b.ctx, made.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(newRun().Config, config); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

func TestArchiveARun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := created(t, b.Store, func(n *NewRun) { n.Labels = map[string]string{"env": "prod"} })
	_, err := b.SetRunArchived(b.ctx, made.ID, true)
	code(t, err, run.ErrNotArchivable)
	if _, err := b.Cancel(b.ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	for _, archived := range []bool{true, true, false, false} {
		shown, err := b.SetRunArchived(b.ctx, made.ID, archived)
		if err != nil || (shown.ArchivedAt != nil) != archived {
			t.Fatalf("archived %v: %v, %v", archived, shown.ArchivedAt, err)
		}
		for _, filter := range []RunFilter{{}, {Label: map[string]string{"env": "prod"}}} {
			for _, listed := range []bool{true, false} {
				filter.Archived = listed
				runs, _, err := b.Runs(b.ctx, filter, Page{})
				if err != nil || (len(runs) == 1) != (listed == archived) {
					t.Errorf("archived %v: %d in the list of archived=%v, %v", archived, len(runs), listed, err)
				}
			}
		}
		if _, err := b.Run(b.ctx, made.ID); err != nil {
			t.Error(err)
		}
	}
}

func TestLabelsAreReplaced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := created(t, b.Store, func(n *NewRun) { n.Labels = map[string]string{"env": "prod", "team": "a"} })
	shown, err := b.SetLabels(b.ctx, made.ID, map[string]string{"env": "test"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"env": "test"}, shown.Labels); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := b.Cancel(b.ctx, made.ID); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]int{"test": 1, "prod": 0} {
		filter := RunFilter{Label: map[string]string{"env": value}, Status: []run.Status{run.Cancelled}}
		runs, _, err := b.Runs(b.ctx, filter, Page{})
		if err != nil || len(runs) != want {
			t.Errorf("env=%s: %d runs, %v", value, len(runs), err)
		}
	}
	if shown, err = b.SetLabels(b.ctx, made.ID, nil); err != nil || len(shown.Labels) != 0 || shown.Labels == nil {
		t.Errorf("no labels: %v, %v", shown.Labels, err)
	}
	_, err = b.SetLabels(b.ctx, "run_x", nil)
	code(t, err, run.ErrNotFound)
}
