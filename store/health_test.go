package store

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

func TestHealthNamesWhatFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.writer.disk.failed(errors.New("the disk says no"))
	if health := b.Check(b.ctx); !strings.Contains(health.Store, "the disk says no") || health.Disk != healthy {
		t.Errorf("after a failed write: %+v", health)
	}
	created(t, b.Store)
	if health := b.Check(b.ctx); health != (Health{Store: healthy, Disk: healthy}) {
		t.Errorf("after a write that went well: %+v", health)
	}
	if err := b.read.Close(); err != nil {
		t.Fatal(err)
	}
	if health := b.Check(b.ctx); !strings.Contains(health.Store, "cannot be read") {
		t.Errorf("without a connection to read: %+v", health)
	}
}

func TestAHotAppendReadsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, head := claimed(t, b.Store)
	// The row says another epoch than memory does: an append that read it would be refused.
	behind := func(tx *txn) error {
		_, err := tx.w.conn.ExecContext(tx.ctx, "UPDATE runs SET epoch = 9 WHERE id = ?", c.RunID)
		return err
	}
	if err := b.writer.do(b.ctx, behind); err != nil {
		t.Fatal(err)
	}
	appended(t, b.Store, journal.Append{Claim: c, After: head, Rows: []run.Row{text("a")}})
}

// TestTheLogIsMovedIntoTheDatabase: without the checkpointer the database file would stay as it was until the end.
func TestTheLogIsMovedIntoTheDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, _ := claimed(t, b.Store)
	size := func() int64 {
		file, err := os.Stat(b.options.Path)
		if err != nil {
			t.Fatal(err)
		}
		return file.Size()
	}
	before := size()
	note := run.Warning{Message: strings.Repeat("x", 60<<10)}
	for i := range checkpointPages / 15 * 2 {
		row := run.NewRow(run.RowWarning, fmt.Sprint("row/", i), note, nil)
		appended(t, b.Store, journal.Append{Claim: c, After: 1 << 20, Rows: []run.Row{row}})
	}
	for deadline := time.Now().Add(10 * time.Second); size() < before+checkpointPages/2*pageBytes; {
		if time.Now().After(deadline) {
			t.Fatalf("the database has %d bytes more", size()-before)
		}
		appended(t, b.Store, journal.Append{Claim: c, After: 1 << 20, Rows: []run.Row{text("again")}})
	}
	// A log that grew too long is started over by the writer itself.
	b.writer.log.long.Store(true)
	created(t, b.Store)
	created(t, b.Store)
	if b.writer.log.long.Load() {
		t.Error("the log was not started over")
	}
}

// TestReadersSeeAJournalGrow: pages read while rows are written are dense, and the last one alone is final.
func TestReadersSeeAJournalGrow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, _ := claimed(t, b.Store)
	const rows = 100
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			changes := b.Subscribe(c.RunID)
			defer changes.Close()
			for after := int64(0); ; {
				page, final, err := b.Timeline(t.Context(), c.RunID, after, 7)
				if err != nil {
					t.Error(err)
					return
				}
				for _, row := range page {
					if after++; row.Seq != after {
						t.Errorf("row %d where %d comes next", row.Seq, after)
						return
					}
				}
				if final {
					if after != rows+4 {
						t.Errorf("final after row %d", after)
					}
					return
				}
				if len(page) == 0 {
					<-changes.C()
				}
			}
		})
	}
	for i := range rows {
		appended(t, b.Store, journal.Append{Claim: c, After: 1 << 20, Rows: []run.Row{text(fmt.Sprint("row/", i))}})
	}
	status(t, b.Store, c, "done", run.StatusChange{Status: run.Completed, State: run.StateEnded})
	all.Wait()
}
