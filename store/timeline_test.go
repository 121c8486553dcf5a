package store

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

func TestTimelinePages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, _ := claimed(t, b.Store)
	created(t, b.Store) // its rows lie next to those of the run
	rows := make([]run.Row, 0, 17)
	for i := range 17 {
		rows = append(rows, run.NewRow(run.RowWarning, strconv.Itoa(i), run.Warning{}, map[string]int{"hidden": i}))
	}
	appended(t, b.Store, journal.Append{Claim: c, Rows: rows, After: 3})
	var seqs []int64
	for after := int64(0); ; {
		page, final, err := b.Timeline(b.ctx, c.RunID, after, 6)
		if err != nil || final {
			t.Fatalf("final %v, %v", final, err)
		}
		if len(page) == 0 {
			break
		}
		for _, row := range page {
			seqs = append(seqs, row.Seq)
			if row.Private != nil {
				t.Errorf("row %d shows its private part: %s", row.Seq, row.Private)
			}
		}
		after = page[len(page)-1].Seq
	}
	for i, seq := range seqs {
		if seq != int64(i+1) {
			t.Fatalf("seqs %v", seqs)
		}
	}
	if len(seqs) != 20 {
		t.Errorf("%d rows", len(seqs))
	}
	kept, err := b.Rows(b.ctx, c.RunID, 19, 0)
	if err != nil || string(kept[0].Private) != `{"hidden":16}` {
		t.Errorf("the worker's row: %v, %v", kept, err)
	}
	if rows, _, err := b.Timeline(b.ctx, c.RunID, -5, 1); err != nil || len(rows) != 1 || rows[0].Seq != 1 {
		t.Errorf("after -5: %v, %v", rows, err)
	}
	_, _, err = b.Timeline(b.ctx, "run_x", 0, 0)
	code(t, err, run.ErrNotFound)
	_, err = b.Rows(b.ctx, "run_x", 0, 0)
	code(t, err, run.ErrNotFound)
}

func TestATimelineIsFinalOnceAPersonMustAct(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cases := map[string]struct {
		change run.StatusChange
		final  bool
	}{
		"completed":      {run.StatusChange{Status: run.Completed, State: run.StateEnded}, true},
		"failed":         {run.StatusChange{Status: run.Failed, State: run.StateEnded}, true},
		"at its cap":     {run.StatusChange{Status: run.InputRequired, State: run.StateWaiting}, true},
		"paused":         {run.StatusChange{Status: run.InputRequired, State: run.StatePaused}, true},
		"asleep":         {run.StatusChange{Status: run.Working, State: run.StateSleeping}, false},
		"still at work":  {run.StatusChange{Status: run.Working, State: run.StateRunning}, false},
		"queued by hand": {run.StatusChange{Status: run.Queued, State: run.StateQueued}, false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, _ := claimed(t, b.Store)
			status(t, b.Store, c, "now", tc.change)
			for limit, whole := range map[int]bool{3: false, 4: true, 200: true} {
				_, final, err := b.Timeline(b.ctx, c.RunID, 0, limit)
				if err != nil || final != (tc.final && whole) {
					t.Errorf("%d rows: final %v, %v", limit, final, err)
				}
			}
		})
	}
}

func TestLargeBodiesAreKeptAside(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, head := claimed(t, b.Store)
	large := strings.Repeat("x", inlineBytes)
	row := run.NewRow(run.RowWarning, "large", run.Warning{Message: large}, run.Warning{Message: large + "!"})
	appended(t, b.Store, journal.Append{Claim: c, After: head, Rows: []run.Row{row, text("small")}})
	rows, err := b.Rows(b.ctx, c.RunID, head, 0)
	if err != nil {
		t.Fatal(err)
	}
	if string(rows[0].Body) != string(row.Body) || string(rows[0].Private) != string(row.Private) {
		t.Error("a large body did not come back as it was")
	}
	// Another worker's missed rows, and a begin that is retried, have them too.
	next, _ := claim(t, b.Store, c.RunID, "w2", 2)
	done := appended(t, b.Store, journal.Append{Claim: next, After: head, Rows: []run.Row{text("next")}})
	if string(done.Missed[0].Body) != string(row.Body) {
		t.Error("a missed row has no body")
	}
	var kept string
	if err := b.read.QueryRow("SELECT body FROM journal_rows WHERE run_id = ? AND seq = ?", c.RunID, head+1).Scan(&kept); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(kept, blobPrefix) || len(kept) > 100 {
		t.Errorf("the row holds %d bytes", len(kept))
	}
}

func TestBlobs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, data := range map[string][]byte{"some": []byte("some bytes"), "none": {}} {
		var digests [2]string
		for i := range digests {
			digest, err := b.PutBlob(b.ctx, data)
			if err != nil {
				t.Fatal(err)
			}
			digests[i] = digest
		}
		got, err := b.Blob(b.ctx, digests[1])
		if diff := cmp.Diff(string(data), string(got)); diff != "" || err != nil || digests[0] != digests[1] {
			t.Errorf("%s: %v %v %v", name, digests, diff, err)
		}
	}
	_, err := b.Blob(b.ctx, "sha256:00")
	code(t, err, run.ErrNotFound)
}
