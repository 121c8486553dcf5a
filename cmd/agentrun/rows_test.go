package main

import (
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/run"
)

func TestRowsReadAsSentences(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		kind run.RowType
		body any
		want string
	}{
		"a status": {run.RowStatus, run.StatusChange{Status: run.Working, State: run.StateRunning}, "working, running"},
		"a pause":  {run.RowStatus, run.StatusChange{Status: run.InputRequired, State: run.StatePaused, Reason: "asked"}, "input_required, paused: asked"},
		"a failure": {
			run.RowStatus,
			run.StatusChange{Status: run.Failed, Error: &run.Failure{Code: "run_failed", Message: "it broke"}},
			"failed: it broke (run_failed)",
		},
		"a message":         {run.RowUserMessage, run.UserMessage{Content: "two\n lines"}, "two lines"},
		"an answer":         {run.RowAnswer, run.Answer{Text: "one\n"}, "one"},
		"a refusal":         {run.RowAnswer, run.Answer{Refusal: "no"}, "refused: no"},
		"a cut answer":      {run.RowAnswer, run.Answer{Text: "so", Truncated: true}, "so … (cut at the output limit)"},
		"a call":            {run.RowToolUse, run.ToolUse{Name: "read", Args: []byte(`{"path":"a"}`)}, `read {"path":"a"}`},
		"a result":          {run.RowToolResult, run.ToolResult{Name: "read", OK: true, Content: "text"}, "read: text"},
		"a failed call":     {run.RowToolResult, run.ToolResult{Name: "read", Content: "no file"}, "read failed: no file"},
		"a cut call":        {run.RowToolResult, run.ToolResult{Name: "pay", Interrupted: true}, "pay was interrupted"},
		"a write":           {run.RowToolResult, run.ToolResult{Name: "write", OK: true, File: &run.FileChange{Path: "a", Size: 3}}, "write: a, 3 B"},
		"a request":         {run.RowRequestStarted, run.RequestStarted{Model: "m", Attempt: 2, HeldUSD: run.Dollar}, "m, attempt 2, holds $1"},
		"a refused request": {run.RowRequestStarted, run.RequestStarted{Model: "m", CapRefused: true}, "m, not sent: the cap does not buy it"},
		"an end":            {run.RowRequestEnded, run.RequestEnded{DurationMS: 1250}, "1.2 s"},
		"a failed request": {
			run.RowRequestEnded,
			run.RequestEnded{Error: &run.Reason{Code: "overloaded", Message: "busy"}, Unsent: true},
			"busy (overloaded), not sent",
		},
		"a cut request": {
			run.RowRequestEnded,
			run.RequestEnded{UnknownSpend: true, HeldUSD: run.Dollar},
			"its cost is not known, $1 goes on counting",
		},
		"usage":              {run.RowUsage, run.UsageRow{Model: "m", Usage: run.Usage{InputTokens: 9, CachedInputTokens: 4, OutputTokens: 2}}, "m: 9 in (4 cached), 2 out, no price"},
		"the cap":            {run.RowSpendCap, run.SpendCap{CapUSD: run.Dollar, NeedsUSD: 2 * run.Dollar}, "the cap is $1, $0 is spent, the next request needs $2"},
		"no cap":             {run.RowCapChanged, run.CapChange{}, "no cap"},
		"a warning":          {run.RowWarning, run.Warning{Code: "late", Message: "it came late"}, "it came late (late)"},
		"a type not known":   {run.RowType("of_tomorrow"), map[string]any{"x": 1}, ""},
		"another shape":      {run.RowWarning, map[string]any{"code": 7}, ""},
		"control characters": {run.RowUserMessage, run.UserMessage{Content: "\x1b[2J"}, "�[2J"},
		"too much":           {run.RowUserMessage, run.UserMessage{Content: strings.Repeat("x", 500)}, strings.Repeat("x", rowLimit-1) + "…"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := rowDetail(row(1, tc.kind, tc.body)); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestARowStartsWithItsSeqAndTime(t *testing.T) {
	t.Parallel()
	r := row(12, run.RowAnswer, run.Answer{Text: "one\ntwo"})
	r.At = time.Date(2026, 3, 1, 13, 4, 5, 0, time.FixedZone("", 3600))
	want := "  12  12:04:05  answer           one\n" + strings.Repeat(" ", 33) + "two"
	if got := rowText(r); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
