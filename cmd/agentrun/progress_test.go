package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// row makes a row as a timeline shows it.
func row(seq int64, kind run.RowType, body any) run.Row {
	r := run.NewRow(kind, "", body, nil)
	r.Seq = seq
	return r
}

func usd(t *testing.T, text string) *run.USD {
	t.Helper()
	value, err := run.ParseUSD(text)
	if err != nil {
		t.Fatal(err)
	}
	return &value
}

func TestProgressTellsTheSteps(t *testing.T) {
	t.Parallel()
	cost := usd(t, "0.0004")
	rows := []run.Row{
		row(1, run.RowStatus, run.StatusChange{Status: run.Queued, State: run.StateQueued}),
		row(2, run.RowStatus, run.StatusChange{Status: run.Working, State: run.StateRunning}),
		row(3, run.RowRequestStarted, run.RequestStarted{Model: "faux/m"}),
		row(4, run.RowRequestEnded, run.RequestEnded{Error: &run.Reason{Code: "overloaded", Message: "faux is overloaded"}}),
		row(5, run.RowRequestStarted, run.RequestStarted{Model: "faux/m"}),
		row(6, run.RowRequestEnded, run.RequestEnded{CostUSD: cost}),
		row(7, run.RowUsage, run.UsageRow{Model: "faux/m", CostUSD: cost}),
		row(8, run.RowAnswer, run.Answer{Text: "I write."}),
		row(9, run.RowToolUse, run.ToolUse{Name: "write", Args: []byte(`{"path":"a.md"}`)}),
		row(10, run.RowToolUse, run.ToolUse{Name: "lookup", Args: []byte(`"odd"`)}),
		row(11, run.RowToolResult, run.ToolResult{OK: true}),
		row(12, run.RowType("of_tomorrow"), map[string]any{"x": 1}),
		row(13, run.RowRequestStarted, run.RequestStarted{Model: "faux/m", CapRefused: true}),
		row(14, run.RowStatus, run.StatusChange{Status: run.InputRequired, State: run.StateWaiting}),
		row(15, run.RowStatus, run.StatusChange{Status: run.Completed, State: run.StateEnded}),
	}
	var p progress
	var got []string
	for _, r := range rows {
		if p.add(r) {
			got = append(got, p.String())
		}
	}
	want := []string{
		"queued",
		"working",
		"working · request ended: faux is overloaded",
		"working · 1 request · $0.0004 · answered",
		"working · 1 request · $0.0004 · write a.md",
		"working · 1 request · $0.0004 · lookup",
		"working · 1 request · 1 tool call · $0.0004 · the cap refuses the next request",
		"input_required (waiting) · 1 request · 1 tool call · $0.0004",
		"completed · 1 request · 1 tool call · $0.0004",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestProgressOutlivesARowItCannotRead(t *testing.T) {
	t.Parallel()
	var p progress
	bad := run.Row{Seq: 1, Type: run.RowStatus, Body: []byte(`{"status":7}`)}
	if p.add(bad) || p.String() != "" {
		t.Errorf("progress %q", p.String())
	}
}
