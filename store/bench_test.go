package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// bodyBytes is the size of the rows that are appended, about that of a tool's result.
const bodyBytes = 1024

// BenchmarkAppend is one row an append, each acknowledged after its sync, from one writer and from 64 on runs of their
// own. Its baseline is BenchmarkSync.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			s := setup(b)
			claims := make([]journal.Claim, writers)
			for i := range claims {
				claims[i], _ = claimed(b, s.Store)
			}
			body := run.Warning{Code: "note", Message: strings.Repeat("x", bodyBytes)}
			var next atomic.Int64
			b.ResetTimer()
			var all sync.WaitGroup
			for _, c := range claims {
				all.Go(func() {
					for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
						row := run.NewRow(run.RowWarning, fmt.Sprintf("row/%d", n), body, nil)
						if _, err := s.Append(s.ctx, journal.Append{Claim: c, Rows: []run.Row{row}, After: n}); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// BenchmarkSync is the disk's own time: 4 KiB written to the end of a file, and synced.
func BenchmarkSync(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "file"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	page := make([]byte, pageBytes)
	b.ResetTimer()
	for range b.N {
		if _, err := file.Write(page); err != nil {
			b.Fatal(err)
		}
		if err := file.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}
