package api

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestARunsGraphHasItsRequestsAndToolCalls(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.agent(helper)
	id := b.start("helper", `{"input":{"content":"hi"}}`).ID
	w := b.work(id)
	cost := run.Dollar / 100
	w.write(run.RowRequestStarted, run.RequestStarted{Request: "1", Attempt: 1, Model: "faux/small", HeldUSD: cost})
	w.write(run.RowRequestEnded, run.RequestEnded{Request: "1", Attempt: 1, HeldUSD: cost, CostUSD: &cost})
	w.write(run.RowUsage, run.UsageRow{Request: "1", Usage: run.Usage{InputTokens: 10, OutputTokens: 5}, CostUSD: &cost})
	w.write(run.RowToolUse, run.ToolUse{Request: "1", CallID: "c1", Name: "read"})

	var graph struct {
		Nodes []struct {
			ID, Label, Kind, Status string
			Parent                  *string
			StartedAt               *string  `json:"started_at"`
			EndedAt                 *string  `json:"ended_at"`
			CostUSD                 *run.USD `json:"cost_usd"`
		}
		Edges  []struct{ From, To string }
		Totals map[string]any
	}
	got := b.get("/v2/runs/"+id+"/graph").want(http.StatusOK, &graph)
	if len(graph.Nodes) != 2 {
		t.Fatalf("%s", got.body)
	}
	request, tool := graph.Nodes[0], graph.Nodes[1]
	if request.Kind != "request" || request.Status != "completed" || request.Parent != nil || *request.CostUSD != cost {
		t.Errorf("%+v", request)
	}
	if tool.Kind != "tool" || tool.Label != "read" || tool.Status != "running" || *tool.Parent != request.ID || tool.EndedAt != nil {
		t.Errorf("%+v", tool)
	}
	if len(graph.Edges) != 1 || graph.Edges[0].From != request.ID || graph.Edges[0].To != tool.ID {
		t.Errorf("%+v", graph.Edges)
	}
	want := map[string]any{
		"nodes": 2.0, "completed": 1.0, "escalated": 0.0, "failed": 0.0, "requests": 1.0, "tool_calls": 1.0, "cost_usd": 0.01, "tokens": 15.0,
	}
	if diff := cmp.Diff(want, graph.Totals); diff != "" {
		t.Error(diff)
	}
	b.get("/v2/runs/"+id+"/graph", "If-None-Match", got.header.Get("ETag")).want(http.StatusNotModified)
	b.get("/v2/runs/run_nobody/graph").problem(http.StatusNotFound, run.ErrNotFound)
}
