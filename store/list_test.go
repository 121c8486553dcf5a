package store

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// pages reads a whole list and returns the runs' ids.
func pages(tb testing.TB, s *Store, filter RunFilter, limit int) []string {
	tb.Helper()
	ids := []string{}
	for page := (Page{Limit: limit}); ; {
		runs, next, err := s.Runs(tb.Context(), filter, page)
		if err != nil {
			tb.Fatal(err)
		}
		for _, r := range runs {
			ids = append(ids, r.ID)
		}
		if page.Cursor = next; next == "" {
			return ids
		}
	}
}

// passes is a filter in plain words.
func passes(f RunFilter, r run.Run) bool {
	for name, value := range f.Label {
		if r.Labels[name] != value {
			return false
		}
	}
	return (f.Agent == "" || f.Agent == r.AgentID) && (len(f.Status) == 0 || slices.Contains(f.Status, r.Status)) &&
		(f.From == nil || !r.CreatedAt.Before(*f.From)) && (f.To == nil || r.CreatedAt.Before(*f.To)) &&
		f.Archived == (r.ArchivedAt != nil) && (!f.Live || !r.Status.Terminal())
}

// listed is a store of 300 runs, three made each second, some archived; and its runs, the newest first.
func listed(t *testing.T) (s *Store, all []run.Run, start time.Time) {
	t.Helper()
	at := &clock{time.Date(2026, 3, 4, 5, 6, 0, 0, time.UTC)}
	start = at.at
	b := setup(t, func(o *Options) { o.Now = at.now })
	for a := range 10 {
		if _, err := b.CreateAgent(b.ctx, definition(agentName(a)), nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 300 {
		if i%3 == 0 {
			at.at = at.at.Add(time.Second)
		}
		if err := b.writer.do(b.ctx, func(tx *txn) error { return seedRun(tx, i, 10) }); err != nil {
			t.Fatal(err)
		}
	}
	for i, id := range pages(t, b.Store, RunFilter{}, 200) {
		shown, err := b.Run(b.ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if i%11 == 0 && shown.Status.Terminal() {
			if shown, err = b.SetRunArchived(b.ctx, id, true); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, shown)
	}
	return b.Store, all, start
}

func TestListsByEveryFilter(t *testing.T) {
	t.Parallel()
	s, all, start := listed(t)
	if len(all) != 300 || !slices.IsSortedFunc(all, func(a, b run.Run) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
		t.Fatalf("%d runs, or not the newest first", len(all))
	}
	from, to := start.Add(20*time.Second), start.Add(60*time.Second)
	for name, filter := range filters(from, to) {
		t.Run(strings.TrimSpace(name), func(t *testing.T) {
			want := []string{}
			for _, r := range all {
				if passes(filter, r) {
					want = append(want, r.ID)
				}
			}
			if diff := cmp.Diff(want, pages(t, s, filter, 7)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAListIsStableUnderInserts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := make([]string, 0, 10)
	for range 10 {
		want = append(want, created(t, b.Store).ID)
	}
	slices.Reverse(want)
	var got []string
	for page := (Page{Limit: 3}); ; {
		runs, next, err := b.Runs(b.ctx, RunFilter{}, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range runs {
			got = append(got, r.ID)
		}
		created(t, b.Store)
		if page.Cursor = next; next == "" {
			break
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNoListScans asks SQLite how it reads each list: a range of an index, in its order. A scan or a sort of the runs
// would cost more the more runs there are.
func TestNoListScans(t *testing.T) {
	t.Parallel()
	b := setup(t)
	now := time.Now()
	for name, filter := range filters(now.Add(-time.Hour), now) {
		for _, status := range run.Statuses() {
			arm, args := filter.arm(status, sortedLabels(filter.Label), &place{now.UnixMilli(), 7})
			order := " ORDER BY created_at DESC, " + noColumn(sortedLabels(filter.Label)) + " DESC LIMIT 50"
			for _, step := range plan(t, b.Store, arm+order, args) {
				if !strings.Contains(step, "SEARCH") && !strings.Contains(step, "CORRELATED") {
					t.Errorf("filters%s: %s", name, step)
				}
				if filter.From != nil && strings.Contains(step, "_listed") && !strings.Contains(step, "created_at>") {
					t.Errorf("filters%s do not bound the range: %s", name, step)
				}
			}
		}
	}
	for _, query := range []string{
		selectQueue + "state IN ('queued', 'running', 'sleeping') ORDER BY queued_at, no",
		selectQueue + "holder_worker = 'w' ORDER BY queued_at, no",
		"SELECT id FROM agents WHERE archived = 0 ORDER BY created_at DESC, id DESC",
	} {
		if steps := plan(t, b.Store, query, nil); !strings.Contains(steps[0], "INDEX") {
			t.Errorf("%s: %v", query, steps)
		}
	}
}

func plan(t *testing.T, s *Store, query string, args []any) []string {
	t.Helper()
	rows, err := s.read.DB.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var steps []string
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return steps
}

func TestAStatusFilterThatExcludesItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	created(t, b.Store)
	filter := RunFilter{Live: true, Status: []run.Status{run.Completed}}
	if runs, next, err := b.Runs(b.ctx, filter, Page{}); err != nil || len(runs) != 0 || runs == nil || next != "" {
		t.Errorf("%v %q %v", runs, next, err)
	}
}
