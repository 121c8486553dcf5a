package journal_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// graphOf folds rows, one second apart.
func graphOf(t *testing.T, rows ...run.Row) *journal.Graph {
	t.Helper()
	var graph journal.Graph
	for i, row := range rows {
		row.Seq, row.At = int64(i+1), time.Unix(int64(i+1), 0).UTC()
		if err := graph.Apply(row); err != nil {
			t.Fatal(err)
		}
	}
	return &graph
}

func row(kind run.RowType, body any) run.Row { return run.NewRow(kind, "k", body, nil) }

func TestGraphOfTwoTurns(t *testing.T) {
	t.Parallel()
	cent := run.Dollar / 100
	ended := func(request string) run.Row {
		return row(run.RowRequestEnded, run.RequestEnded{Request: request, CostUSD: &cent})
	}
	graph := graphOf(t,
		row(run.RowRequestStarted, run.RequestStarted{Request: "1", Attempt: 1, Model: "m"}),
		row(run.RowRequestEnded, run.RequestEnded{Request: "1", Error: &run.Reason{Code: "x"}, UnknownSpend: true}),
		row(run.RowRequestStarted, run.RequestStarted{Request: "1", Attempt: 2, Model: "m"}),
		ended("1"),
		row(run.RowUsage, run.UsageRow{Request: "1", Usage: run.Usage{InputTokens: 5}, CostUSD: &cent}),
		row(run.RowToolUse, run.ToolUse{Request: "1", CallID: "c1", Name: "read"}),
		row(run.RowToolUse, run.ToolUse{Request: "1", CallID: "c2", Name: "write"}),
		row(run.RowToolResult, run.ToolResult{CallID: "c2", OK: true}),
		row(run.RowToolResult, run.ToolResult{CallID: "c1"}),
		row(run.RowRequestStarted, run.RequestStarted{Request: "2", Attempt: 1, Model: "m"}),
		ended("2"),
		// The next turn's call has the id of one before.
		row(run.RowToolUse, run.ToolUse{Request: "2", CallID: "c1", Name: "write"}),
		row(run.RowToolResult, run.ToolResult{CallID: "c1", Interrupted: true}),
		row(run.RowRequestStarted, run.RequestStarted{Request: "3", Model: "m", CapRefused: true}),
	)
	at := func(second int64) *time.Time { t := time.Unix(second, 0).UTC(); return &t }
	want := []*journal.Node{
		{ID: "request/1", Label: "request 1 · m", Kind: "request", Status: "completed", StartedAt: at(1), EndedAt: at(4), Attempts: 2, CostUSD: cent, UnknownCost: true, Usage: run.Usage{InputTokens: 5, Requests: 1}},
		{ID: "tool/1/c1", Label: "read", Kind: "tool", Parent: "request/1", Status: "failed", StartedAt: at(6), EndedAt: at(9), Attempts: 1},
		{ID: "tool/1/c2", Label: "write", Kind: "tool", Parent: "request/1", Status: "completed", StartedAt: at(7), EndedAt: at(8), Attempts: 1},
		{ID: "request/2", Label: "request 2 · m", Kind: "request", Status: "completed", StartedAt: at(10), EndedAt: at(11), Attempts: 1, CostUSD: cent},
		{ID: "tool/2/c1", Label: "write", Kind: "tool", Parent: "request/2", Status: "interrupted", StartedAt: at(12), EndedAt: at(13), Attempts: 1},
		{ID: "request/3", Label: "request 3 · m", Kind: "request", Status: "refused"},
	}
	if diff := cmp.Diff(want, graph.Nodes); diff != "" {
		t.Error(diff)
	}
	edges := []journal.Edge{
		{From: "request/1", To: "tool/1/c1"},
		{From: "request/1", To: "tool/1/c2"},
		{From: "tool/1/c1", To: "request/2"},
		{From: "tool/1/c2", To: "request/2"},
		{From: "request/2", To: "tool/2/c1"},
		{From: "tool/2/c1", To: "request/3"},
	}
	if diff := cmp.Diff(edges, graph.Edges, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestGraphOfARefusedRequestThatIsSentLater(t *testing.T) {
	t.Parallel()
	graph := graphOf(t,
		row(run.RowRequestStarted, run.RequestStarted{Request: "1", Model: "m", CapRefused: true}),
		row(run.RowStatus, run.StatusChange{Status: run.InputRequired}),
		row(run.RowRequestStarted, run.RequestStarted{Request: "1", Attempt: 1, Model: "m"}),
	)
	if len(graph.Nodes) != 1 || graph.Nodes[0].Status != "running" || graph.Nodes[0].Attempts != 1 {
		t.Errorf("%+v", graph.Nodes)
	}
}

func TestGraphTakesRowsOfNobody(t *testing.T) {
	t.Parallel()
	graph := graphOf(t,
		row(run.RowRequestEnded, run.RequestEnded{Request: "9"}),
		row(run.RowUsage, run.UsageRow{Request: "9"}),
		row(run.RowToolResult, run.ToolResult{CallID: "c9"}),
		row(run.RowRequestStarted, run.RequestStarted{Request: "s", Model: "m", Purpose: journal.PurposeCompaction}),
	)
	if len(graph.Nodes) != 1 || graph.Nodes[0].Label != "compaction · m" {
		t.Errorf("%+v", graph.Nodes)
	}
	var broken journal.Graph
	if err := broken.Apply(run.Row{Seq: 3, Type: run.RowToolUse, Body: []byte(`[]`)}); err == nil {
		t.Error("a row that is none was taken")
	}
}
