package store

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// bundle is a store on a directory of its own, with one agent, "writer".
type bundle struct {
	*Store
	t   *testing.T
	ctx context.Context //nolint:containedctx // the test is as long as the bundle
	dir string
}

func setup(tb testing.TB, change ...func(*Options)) *bundle {
	tb.Helper()
	b := &bundle{ctx: context.Background(), dir: tb.TempDir()}
	b.t, _ = tb.(*testing.T)
	options := Options{Dir: b.dir}
	for _, f := range change {
		f(&options)
	}
	s, err := Open(b.ctx, options)
	if err != nil {
		tb.Fatalf("open: %v", err)
	}
	b.Store = s
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close: %v", err)
		}
	})
	if _, err := s.CreateAgent(b.ctx, definition("writer"), nil); err != nil && run.CodeOf(err) != run.ErrAgentExists {
		tb.Fatalf("create the agent: %v", err)
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
func created(tb testing.TB, s *Store, change ...func(*NewRun)) run.Run {
	tb.Helper()
	ask := newRun()
	for _, f := range change {
		f(&ask)
	}
	made, _, err := s.CreateRun(context.Background(), ask)
	if err != nil {
		tb.Fatalf("create a run: %v", err)
	}
	return made
}

// claimed is the claim of worker w1 on a new run, and the seq of the run's last row.
func claimed(tb testing.TB, s *Store, change ...func(*NewRun)) (journal.Claim, int64) {
	tb.Helper()
	return claim(tb, s, created(tb, s, change...).ID, "w1", 1)
}

func claim(tb testing.TB, s *Store, id, worker string, token int64) (journal.Claim, int64) {
	tb.Helper()
	opened, err := s.ClaimRun(context.Background(), journal.Open{
		RunID: id, Holder: run.Holder{Host: "here", PID: 7, Worker: worker}, Token: token,
	})
	if err != nil {
		tb.Fatalf("claim %s: %v", id, err)
	}
	return opened.Claim, opened.Head
}

func text(key string) run.Row {
	return run.NewRow(run.RowWarning, key, run.Warning{Code: "note", Message: key}, nil)
}

func appended(tb testing.TB, s *Store, ask journal.Append) journal.Appended {
	tb.Helper()
	done, err := s.Append(context.Background(), ask)
	if err != nil {
		tb.Fatalf("append: %v", err)
	}
	return done
}

// status appends the status a worker gives the run it holds.
func status(tb testing.TB, s *Store, c journal.Claim, key string, change run.StatusChange) {
	tb.Helper()
	appended(tb, s, journal.Append{Claim: c, Rows: []run.Row{run.NewRow(run.RowStatus, key, change, nil)}, After: 1 << 30})
}

func code(tb testing.TB, err error, want string) {
	tb.Helper()
	if got := run.CodeOf(err); got != want {
		tb.Fatalf("error code %q, want %q (%v)", got, want, err)
	}
}

func reopened(tb testing.TB, dir string) *Store {
	tb.Helper()
	s, err := Open(context.Background(), Options{Path: filepath.Join(dir, "agentrun.db")})
	if err != nil {
		tb.Fatalf("open again: %v", err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// clock is a clock that moves only when told.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// allRows is a run's whole journal.
func allRows(tb testing.TB, s *Store, id string) []run.Row {
	tb.Helper()
	var all []run.Row
	for {
		rows, err := s.Rows(context.Background(), id, int64(len(all)), 500)
		if err != nil {
			tb.Fatalf("rows of %s: %v", id, err)
		}
		if all = append(all, rows...); len(rows) < 500 {
			return all
		}
	}
}

// checkFold checks that a journal is dense and that the run's row is the fold of it.
func checkFold(tb testing.TB, s *Store, id string, rows []run.Row) {
	tb.Helper()
	var row runRow
	if err := selectRuns(s.read, &row).Where("r.id = ?", id).Scan(context.Background()); err != nil {
		tb.Fatal(err)
	}
	var kept, folded journal.Projection
	if err := json.Unmarshal([]byte(row.Projection), &kept); err != nil {
		tb.Fatal(err)
	}
	folded.Cap = firstCap(kept, rows)
	keys := map[string]bool{}
	for i, r := range rows {
		if r.Seq != int64(i+1) {
			tb.Fatalf("run %s: row %d has seq %d", id, i+1, r.Seq)
		}
		if keys[r.Key] {
			tb.Fatalf("run %s: key %q twice", id, r.Key)
		}
		keys[r.Key] = true
		if err := folded.Apply(r); err != nil {
			tb.Fatal(err)
		}
	}
	if diff := cmp.Diff(folded, kept); diff != "" {
		tb.Errorf("run %s: the row is not the fold of its journal (-fold +row):\n%s", id, diff)
	}
	if row.Head != int64(len(rows)) {
		tb.Errorf("run %s: head %d with %d rows", id, row.Head, len(rows))
	}
}

// firstCap is the cap a run was made with: the present one, where no row changed it.
func firstCap(kept journal.Projection, rows []run.Row) *run.USD {
	for _, r := range rows {
		if r.Type == run.RowCapChanged {
			return nil
		}
	}
	return kept.Cap
}

func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
