package store

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// bundle is a store on a directory of its own, with one agent, "writer".
type bundle struct {
	*Store
	t   *testing.T
	ctx context.Context
	dir string
}

func setup(t testing.TB, change ...func(*Options)) *bundle {
	t.Helper()
	b := &bundle{ctx: context.Background(), dir: t.TempDir()}
	b.t, _ = t.(*testing.T)
	options := Options{Dir: b.dir}
	for _, f := range change {
		f(&options)
	}
	s, err := Open(b.ctx, options)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	b.Store = s
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if _, err := s.CreateAgent(b.ctx, definition("writer"), nil); err != nil && run.CodeOf(err) != run.ErrAgentExists {
		t.Fatalf("create the agent: %v", err)
	}
	return b
}

func definition(id string) run.Definition {
	return run.Definition{ID: id, Name: "Writer", Instructions: "Write.", Tools: []string{"write"}}
}

func newRun() NewRun {
	return NewRun{
		AgentID: "writer", Kind: run.KindAgent, Source: "api", FirstMessage: "What is six times seven?",
		Input: run.Input{Content: "What is six times seven?"},
		Config: run.Config{
			Harness: "pi", Model: run.Model{ID: "faux/one", Name: "one"}, Instructions: "Write.", Effort: "low",
			Place: run.Place{Mode: run.PlaceRunner},
		},
	}
}

// created is a queued run.
func created(t testing.TB, s *Store, change ...func(*NewRun)) run.Run {
	t.Helper()
	ask := newRun()
	for _, f := range change {
		f(&ask)
	}
	made, _, err := s.CreateRun(context.Background(), ask)
	if err != nil {
		t.Fatalf("create a run: %v", err)
	}
	return made
}

// claimed is the claim of worker w1 on a new run, and the seq of the run's last row.
func claimed(t testing.TB, s *Store, change ...func(*NewRun)) (journal.Claim, int64) {
	t.Helper()
	return claim(t, s, created(t, s, change...).ID, "w1", 1)
}

func claim(t testing.TB, s *Store, id, worker string, token int64) (journal.Claim, int64) {
	t.Helper()
	opened, err := s.ClaimRun(context.Background(), journal.Open{
		RunID: id, Holder: run.Holder{Host: "here", PID: 7, Worker: worker}, Token: token,
	})
	if err != nil {
		t.Fatalf("claim %s: %v", id, err)
	}
	return opened.Claim, opened.Head
}

func text(key string) run.Row {
	return run.NewRow(run.RowWarning, key, run.Warning{Code: "note", Message: key}, nil)
}

func appended(t testing.TB, s *Store, ask journal.Append) journal.Appended {
	t.Helper()
	done, err := s.Append(context.Background(), ask)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return done
}

// status appends the status a worker gives the run it holds.
func status(t testing.TB, s *Store, c journal.Claim, key string, change run.StatusChange) {
	t.Helper()
	appended(t, s, journal.Append{Claim: c, Rows: []run.Row{run.NewRow(run.RowStatus, key, change, nil)}, After: 1 << 30})
}

func code(t testing.TB, err error, want string) {
	t.Helper()
	if got := run.CodeOf(err); got != want {
		t.Fatalf("error code %q, want %q (%v)", got, want, err)
	}
}

func reopened(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(context.Background(), Options{Path: filepath.Join(dir, "agentrun.db")})
	if err != nil {
		t.Fatalf("open again: %v", err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// clock is a clock that moves only when told.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }
