package api

import (
	"fmt"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// worker drives a run as a worker process would, row by row.
type worker struct {
	*bench
	claim journal.Claim
	rows  int
}

// work claims a run.
func (b *bench) work(id string) *worker {
	b.Helper()
	opened, err := b.store.ClaimRun(b.Context(), journal.Open{
		RunID: id, Holder: run.Holder{Host: "here", PID: 7, Worker: "w1"}, Token: 1,
	})
	if err != nil {
		b.Fatal(err)
	}
	return &worker{bench: b, claim: opened.Claim}
}

// write appends rows of a type each with a key of its own.
func (w *worker) write(kind run.RowType, bodies ...any) {
	w.Helper()
	rows := make([]run.Row, 0, len(bodies))
	for _, body := range bodies {
		w.rows++
		rows = append(rows, run.NewRow(kind, fmt.Sprintf("row/%d/%d", w.claim.Epoch, w.rows), body, nil))
	}
	if _, err := w.store.Append(w.Context(), journal.Append{Claim: w.claim, Rows: rows}); err != nil {
		w.Fatal(err)
	}
}

// status sets the run's status.
func (w *worker) status(status run.Status, state run.State, pending string) {
	w.Helper()
	change := run.StatusChange{Status: status, State: state}
	if pending != "" {
		change.Pending = &run.Pending{Kind: pending}
	}
	if status == run.Completed {
		change.Result = &run.Result{FinalAnswer: "done"}
	}
	w.write(run.RowStatus, change)
}

// complete ends the run.
func (w *worker) complete() {
	w.Helper()
	w.status(run.Completed, run.StateEnded, "")
}

// completed makes a run of the helper agent that has ended.
func (b *bench) completed() run.Run {
	b.Helper()
	r := b.start("helper", `{"input":{"content":"hi"}}`)
	b.work(r.ID).complete()
	return r
}
