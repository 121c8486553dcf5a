package store

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

func keysFrom(rows []run.Row) []string {
	var keys []string //nolint:prealloc // no rows are nil, as in an answer
	for _, row := range rows {
		keys = append(keys, row.Key)
	}
	return keys
}

func TestAppend(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cases := map[string]struct {
		ask    func(c journal.Claim, head int64) journal.Append
		code   string
		moved  bool
		missed []string
		rows   []string // after head and the person's message
	}{
		"rows after what the worker knows": {
			ask: func(c journal.Claim, head int64) journal.Append {
				return journal.Append{Claim: c, After: head + 1, Rows: []run.Row{text("a"), text("b")}}
			},
			rows: []string{"a", "b"},
		},
		"rows beside a message": {
			ask: func(c journal.Claim, head int64) journal.Append {
				return journal.Append{Claim: c, After: head, Rows: []run.Row{text("a")}}
			},
			missed: []string{"user_message/4"}, rows: []string{"a"},
		},
		"nothing beside a message, where it must be read first": {
			ask: func(c journal.Claim, head int64) journal.Append {
				return journal.Append{Claim: c, After: head, IfHead: true, Rows: []run.Row{text("a")}}
			},
			moved: true, missed: []string{"user_message/4"},
		},
		"nothing by an older epoch": {
			ask: func(c journal.Claim, head int64) journal.Append {
				c.Epoch--
				return journal.Append{Claim: c, After: head + 1, Rows: []run.Row{text("a")}}
			},
			code: run.ErrStaleEpoch,
		},
		"nothing by another worker": {
			ask: func(c journal.Claim, head int64) journal.Append {
				c.Worker = "w2"
				return journal.Append{Claim: c, After: head + 1, Rows: []run.Row{text("a")}}
			},
			code: run.ErrStaleEpoch,
		},
		"nothing to a run that is not there": {
			ask: func(c journal.Claim, head int64) journal.Append {
				c.RunID = run.NewID(b.options.Now())
				return journal.Append{Claim: c, Rows: []run.Row{text("a")}}
			},
			code: run.ErrNotFound,
		},
		"no row of two where one has no JSON": {
			ask: func(c journal.Claim, head int64) journal.Append {
				return journal.Append{Claim: c, After: head + 1, Rows: []run.Row{
					text("a"), {Type: run.RowWarning, Key: "b", Body: []byte("{")},
				}}
			},
			code: run.ErrInvalid,
		},
		"no row of two where one's body is not what its type says": {
			ask: func(c journal.Claim, head int64) journal.Append {
				return journal.Append{Claim: c, After: head + 1, Rows: []run.Row{
					text("a"), {Type: run.RowStatus, Key: "b", Body: []byte(`{"status": 7}`)},
				}}
			},
			code: run.ErrInvalid,
		},
		"no row without a key": {
			ask: func(c journal.Claim, head int64) journal.Append {
				return journal.Append{Claim: c, After: head + 1, Rows: []run.Row{text("")}}
			},
			code: run.ErrInvalid,
		},
		"no row with a private part that is not JSON": {
			ask: func(c journal.Claim, head int64) journal.Append {
				row := text("a")
				row.Private = []byte("x")
				return journal.Append{Claim: c, After: head + 1, Rows: []run.Row{row}}
			},
			code: run.ErrInvalid,
		},
		"nothing": {
			ask: func(c journal.Claim, head int64) journal.Append { return journal.Append{Claim: c, After: head + 1} },
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, head := claimed(t, b.Store)
			if _, err := b.Message(b.ctx, c.RunID, "and then?", nil); err != nil {
				t.Fatal(err)
			}
			done, err := b.Append(b.ctx, tc.ask(c, head))
			code(t, err, tc.code)
			if done.Moved != tc.moved {
				t.Errorf("moved: %v", done.Moved)
			}
			if diff := cmp.Diff(tc.missed, keysFrom(done.Missed)); diff != "" {
				t.Errorf("missed (-want +got):\n%s", diff)
			}
			rows := allRows(t, b.Store, c.RunID)
			if diff := cmp.Diff(tc.rows, keysFrom(rows[head+1:])); diff != "" {
				t.Errorf("journal (-want +got):\n%s", diff)
			}
			checkFold(t, b.Store, c.RunID, rows)
		})
	}
}

func TestARetryOfALostAnswerIsHarmless(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, head := claimed(t, b.Store)
	ask := journal.Append{Claim: c, After: head, IfHead: true, Rows: []run.Row{text("a"), text("b")}}
	first := appended(t, b.Store, ask)
	if _, err := b.Message(b.ctx, c.RunID, "and then?", nil); err != nil {
		t.Fatal(err)
	}
	// The message came after the rows: the retry is told of it, and that its rows are written.
	again := appended(t, b.Store, ask)
	if diff := cmp.Diff(first.Seqs, again.Seqs); diff != "" || again.Moved {
		t.Errorf("moved %v, seqs (-first +again):\n%s", again.Moved, diff)
	}
	if diff := cmp.Diff([]string{"user_message/6"}, keysFrom(again.Missed)); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
}

func TestARetryOfTheLastAppendIsHarmless(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, head := claimed(t, b.Store)
	end := run.NewRow(run.RowStatus, "end", run.StatusChange{Status: run.Completed, State: run.StateEnded}, nil)
	ask := journal.Append{Claim: c, After: head, IfHead: true, Rows: []run.Row{end}}
	first := appended(t, b.Store, ask)
	if again := appended(t, b.Store, ask); again.Seqs[0] != first.Seqs[0] {
		t.Errorf("seq %d, first %d", again.Seqs[0], first.Seqs[0])
	}
	// Anything new is too late: the run has no holder any more.
	ask.Rows = append(ask.Rows, text("more"))
	_, err := b.Append(b.ctx, ask)
	code(t, err, run.ErrStaleEpoch)
}

func TestALateWorkerWritesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	late, head := claimed(t, b.Store)
	now, _ := claim(t, b.Store, late.RunID, "w2", 2)
	_, err := b.Append(b.ctx, journal.Append{Claim: late, After: head, Rows: []run.Row{text("late")}})
	code(t, err, run.ErrStaleEpoch)
	if !strings.Contains(err.Error(), late.RunID) {
		t.Errorf("the error does not name the run: %v", err)
	}
	appended(t, b.Store, journal.Append{Claim: now, After: head + 1, Rows: []run.Row{text("now")}})
	for _, row := range allRows(t, b.Store, late.RunID) {
		if row.Key == "late" {
			t.Error("the late worker's row is in the journal")
		}
	}
}

func TestSecretsAreTakenOutAtTheWrite(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) {
		o.Redact = func(data []byte) []byte {
			return []byte(strings.ReplaceAll(string(data), "sk-secret", "[redacted]"))
		}
	})
	c, head := claimed(t, b.Store, func(n *NewRun) {
		n.FirstMessage = "use sk-secret"
		n.Input.Content = "use sk-secret"
	})
	note := run.NewRow(run.RowWarning, "a", run.Warning{Message: "sk-secret"}, map[string]string{"raw": "sk-secret"})
	done := appended(t, b.Store, journal.Append{Claim: c, After: head, Rows: []run.Row{note}, Begin: begin("r", dollarQuote(9))})
	if _, err := b.Message(b.ctx, c.RunID, "or sk-secret", nil); err != nil {
		t.Fatal(err)
	}
	shown, err := b.Run(b.ctx, c.RunID)
	if err != nil {
		t.Fatal(err)
	}
	kept := bytes.NewBufferString(shown.Input.Content)
	kept.Write(done.Began.Body)
	for _, row := range allRows(t, b.Store, c.RunID) {
		kept.Write(row.Body)
		kept.Write(row.Private)
	}
	seen := kept.String()
	if strings.Contains(seen, "sk-secret") || strings.Count(seen, "[redacted]") != 5 {
		t.Errorf("what is kept: %s", seen)
	}
}
