package store

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// filters are the combinations of the contract's filters, by name.
func filters(from, to time.Time) map[string]RunFilter {
	all := map[string]RunFilter{" none": {}}
	with := func(name string, change func(*RunFilter)) {
		for before, filter := range maps.Clone(all) {
			change(&filter)
			all[before+" "+name] = filter
		}
	}
	with("agent", func(f *RunFilter) { f.Agent = "agent-3" })
	with("status", func(f *RunFilter) { f.Status = []run.Status{run.Failed, run.Working} })
	with("label", func(f *RunFilter) { f.Label = map[string]string{"env": "prod"} })
	with("labels", func(f *RunFilter) { f.Label = map[string]string{"rare": "yes", "env": "prod"} })
	with("live", func(f *RunFilter) { f.Live = true })
	with("archived", func(f *RunFilter) { f.Archived = true })
	with("times", func(f *RunFilter) { f.From, f.To = &from, &to })
	return all
}

// BenchmarkStoreOf100kRuns is what a large store costs: a page of the list for every combination of filters, a page of
// a long timeline, and opening.
func BenchmarkStoreOf100kRuns(b *testing.B) {
	s := setup(b)
	seeded(b, s.Store, 100_000)
	c, _ := claimed(b, s.Store)
	longTimeline(b, s.Store, c, 10_000)
	b.Run("list", func(b *testing.B) { benchLists(b, s.Store) })
	b.Run("timeline", func(b *testing.B) {
		took := make([]time.Duration, 0, b.N)
		for i := range b.N {
			start := time.Now()
			if _, _, err := s.Timeline(s.ctx, c.RunID, int64(i*200%10_000), 200); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		reportP99(b, took)
	})
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for range b.N {
			s, err := Open(b.Context(), Options{Dir: s.dir})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := s.Unfinished(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.StopTimer()
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
		}
	})
	if size, err := os.Stat(s.options.Path); err == nil {
		b.ReportMetric(float64(size.Size())/100_000, "B/run")
	}
}

func benchLists(b *testing.B, s *Store) {
	b.Helper()
	var took []time.Duration
	slowest, name := time.Duration(0), ""
	for range b.N {
		for filterName, filter := range filters(time.Now().Add(-24*time.Hour), time.Now().Add(time.Hour)) {
			page := Page{Limit: 50}
			for range 3 {
				start := time.Now()
				_, next, err := s.Runs(b.Context(), filter, page)
				if err != nil {
					b.Fatal(err)
				}
				if d := time.Since(start); d > slowest {
					slowest, name = d, filterName
				}
				took = append(took, time.Since(start))
				if page.Cursor = next; next == "" {
					break
				}
			}
		}
	}
	reportP99(b, took)
	b.Logf("slowest: %v with filters%s", slowest, name)
}

func reportP99(b *testing.B, took []time.Duration) {
	b.Helper()
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
}

func longTimeline(tb testing.TB, s *Store, c journal.Claim, n int) {
	tb.Helper()
	for from := 0; from < n; from += 500 {
		rows := make([]run.Row, 500)
		for i := range rows {
			rows[i] = text(fmt.Sprintf("row/%d", from+i))
		}
		appended(tb, s, journal.Append{Claim: c, Rows: rows, After: 1 << 30})
	}
}
