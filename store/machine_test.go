package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

// heads are a run in every phase, by the phase's name.
func heads() map[string]*head {
	at := func(status run.Status, state run.State, pending string) *head {
		h := &head{id: "run_x", kind: run.KindAgent, seq: 7, epoch: 2}
		h.projection.Status, h.projection.State = status, state
		if pending != "" {
			h.projection.Pending = &run.Pending{Kind: pending}
		}
		return h
	}
	all := map[string]*head{
		"queued":              at(run.Queued, run.StateQueued, ""),
		"running":             at(run.Working, run.StateRunning, ""),
		"sleeping":            at(run.Working, run.StateSleeping, ""),
		"waits for a message": at(run.InputRequired, run.StateWaiting, run.PendingMessage),
		"waits at its cap":    at(run.InputRequired, run.StateWaiting, run.PendingBudget),
		"paused":              at(run.InputRequired, run.StatePaused, run.PendingResume),
		"to be held":          at(run.Working, run.StateRunning, ""),
		"to be held, asleep":  at(run.Working, run.StateSleeping, ""),
		"to be cancelled":     at(run.Working, run.StateRunning, ""),
		"completed":           at(run.Completed, run.StateEnded, ""),
		"workflow completed":  at(run.Completed, run.StateEnded, ""),
		"failed":              at(run.Failed, run.StateEnded, ""),
		"cancelled":           at(run.Cancelled, run.StateEnded, ""),
	}
	all["workflow completed"].kind = run.KindWorkflow
	all["to be held"].projection.Holding, all["to be held, asleep"].projection.Holding = true, true
	all["to be cancelled"].projection.Cancelling = true
	return all
}

// told is a decision in a few words: the rows, the status it goes to, and what is told.
func told(d decision, err error) string {
	if err != nil {
		return run.CodeOf(err)
	}
	var words []string
	for _, row := range d.rows {
		word := string(row.Type)
		if row.Type == run.RowStatus {
			var to run.StatusChange
			if err := row.Decode(&to); err != nil {
				return err.Error()
			}
			word += fmt.Sprintf(":%s/%s", to.Status, to.State)
			if to.Pending != nil {
				word += "/" + to.Pending.Kind
			}
		}
		words = append(words, word)
	}
	if d.outcome.Nudge {
		words = append(words, "nudge")
	}
	if d.outcome.Already {
		words = append(words, "already")
	}
	return strings.Join(words, " ")
}

func TestEveryCommandInEveryPhase(t *testing.T) {
	t.Parallel()
	const (
		stopped  = "status:input_required/waiting/message"
		pausing  = "status:input_required/paused/resume"
		ends     = "status:cancelled/ended"
		followUp = "user_message status:queued/queued"
	)
	want := map[string]map[command]string{
		"queued":              {sendMessage: "user_message", stopRun: stopped, cancelRun: ends, pauseRun: pausing, resumeRun: "already"},
		"sleeping":            {sendMessage: "user_message", stopRun: stopped, cancelRun: ends, pauseRun: pausing, resumeRun: "already"},
		"to be held, asleep":  {sendMessage: "user_message", stopRun: stopped, cancelRun: ends, pauseRun: pausing, resumeRun: "resumed"},
		"waits for a message": {sendMessage: followUp, stopRun: "already", cancelRun: ends, pauseRun: "conflict", resumeRun: "conflict"},
		"waits at its cap":    {sendMessage: "user_message", stopRun: stopped, cancelRun: ends, pauseRun: pausing, resumeRun: "conflict"},
		"paused": {
			sendMessage: "user_message", stopRun: stopped, cancelRun: ends, pauseRun: "already",
			resumeRun: "resumed status:queued/queued",
		},
		"running": {
			sendMessage: "user_message nudge", stopRun: "stop_requested nudge", cancelRun: "cancel_requested nudge",
			pauseRun: "pause_requested nudge", resumeRun: "already",
		},
		"to be held": {
			sendMessage: "user_message nudge", stopRun: "stop_requested nudge", cancelRun: "cancel_requested nudge",
			pauseRun: "already", resumeRun: "resumed nudge",
		},
		"to be cancelled": {
			sendMessage: "not_continuable", stopRun: "stop_requested nudge", cancelRun: "cancel_requested nudge",
			pauseRun: "pause_requested nudge", resumeRun: "already",
		},
		"completed": {sendMessage: followUp, stopRun: "already", cancelRun: "already", pauseRun: "conflict", resumeRun: "conflict"},
		"workflow completed": {
			sendMessage: "not_continuable", stopRun: "already", cancelRun: "already", pauseRun: "conflict", resumeRun: "conflict",
		},
		"failed": {
			sendMessage: "not_continuable", stopRun: "already", cancelRun: "already", pauseRun: "conflict", resumeRun: "conflict",
		},
		"cancelled": {
			sendMessage: "not_continuable", stopRun: "already", cancelRun: "already", pauseRun: "conflict", resumeRun: "conflict",
		},
	}
	got := map[string]map[command]string{}
	for name, h := range heads() {
		got[name] = map[command]string{}
		for c := range effects {
			got[name][c] = told(decide(h, c, asked{originUser}))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestCommandsKeepARunWhole: whatever is asked, in whatever order, a run stands in a phase that the table knows, its
// rows have keys of their own, nothing leaves a terminal end but a follow-up, and only a driven run is nudged.
func TestCommandsKeepARunWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		all := heads()
		h := all[rapid.SampledFrom(sortedNames(all)).Draw(rt, "phase")]
		keys := map[string]bool{}
		for range rapid.IntRange(1, 20).Draw(rt, "commands") {
			c := command(rapid.IntRange(0, int(resumeRun)).Draw(rt, "command"))
			before := phaseOf(h)
			d, err := decide(h, c, asked{originUser})
			if err != nil {
				if len(d.rows) > 0 {
					rt.Fatalf("refused, with rows: %v", d.rows)
				}
				continue
			}
			if d.outcome.Already && len(d.rows) > 0 {
				rt.Fatalf("already so, with rows: %v", d.rows)
			}
			if d.outcome.Nudge != (before == running && !d.outcome.Already) {
				rt.Fatalf("nudge %v of a run in phase %d", d.outcome.Nudge, before)
			}
			applyAll(rt, h, keys, d.rows)
			after := phaseOf(h)
			if before >= completed && after != before && (before != completed || c != sendMessage || after != queued) {
				rt.Fatalf("command %d took an ended run from phase %d to %d", c, before, after)
			}
			if d.outcome.Requeued != (before != queued && after == queued) {
				rt.Fatalf("requeued %v, from phase %d to %d", d.outcome.Requeued, before, after)
			}
		}
	})
}

func applyAll(rt *rapid.T, h *head, keys map[string]bool, rows []run.Row) {
	for _, row := range rows {
		asksAgain := row.Type == run.RowStopRequested || row.Type == run.RowCancelRequested
		if keys[row.Key] {
			if !asksAgain {
				rt.Fatalf("key %q twice", row.Key)
			}
			continue
		}
		keys[row.Key] = true
		h.seq++
		row.Seq = h.seq
		if err := h.projection.Apply(row); err != nil {
			rt.Fatal(err)
		}
	}
}

func TestCaps(t *testing.T) {
	t.Parallel()
	dollars := func(n int64) *run.USD { d := run.USD(n) * run.Dollar; return &d }
	cases := map[string]struct {
		phase string
		limit *run.USD
		want  string
	}{
		"raised while queued":                 {"queued", dollars(9), "cap_changed"},
		"raised while working":                {"running", dollars(9), "cap_changed"},
		"taken away":                          {"running", nil, "cap_changed"},
		"the same":                            {"running", dollars(5), "already"},
		"lowered to what is spent and held":   {"running", dollars(3), "cap_changed"},
		"lowered below it":                    {"running", dollars(2), "conflict"},
		"raised to what a waiting run needs":  {"waits at its cap", dollars(7), "cap_changed status:queued/queued"},
		"raised, but less than it needs":      {"waits at its cap", dollars(6), "cap_changed status:input_required/waiting/budget"},
		"taken away from a waiting run":       {"waits at its cap", nil, "cap_changed status:queued/queued"},
		"of a run that waits for a message":   {"waits for a message", dollars(9), "cap_changed"},
		"of a run that completed":             {"completed", dollars(9), "cap_changed"},
		"of a run that failed":                {"failed", dollars(9), "conflict"},
		"of a run that was cancelled":         {"cancelled", nil, "conflict"},
		"the same, of a run that failed":      {"failed", dollars(5), "already"},
		"lowered below, of a run that waits":  {"waits at its cap", dollars(1), "conflict"},
		"raised while paused stays paused":    {"paused", dollars(100), "cap_changed"},
		"raised while sleeping stays asleep":  {"sleeping", dollars(100), "cap_changed"},
		"of a completed workflow, taken away": {"workflow completed", nil, "cap_changed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := heads()[c.phase]
			h.projection.Cap = dollars(5)
			h.projection.Ledger = budget.Ledger{Known: *dollars(1), Unknown: *dollars(1), Open: *dollars(1)}
			if h.projection.Pending != nil && h.projection.Pending.Kind == run.PendingBudget {
				h.projection.Pending.NeedsUSD = dollars(4)
			}
			if got := told(decideCap(h, c.limit)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestNothingRequeuesAnArchivedRun(t *testing.T) {
	t.Parallel()
	for phase, c := range map[string]command{
		"completed": sendMessage, "waits for a message": sendMessage, "paused": resumeRun,
	} {
		h := heads()[phase]
		h.archived = true
		_, err := decide(h, c, asked{originUser})
		code(t, err, run.ErrConflict)
	}
}
