package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

func (s *Server) graphRoutes() {
	register(s, huma.Operation{
		OperationID: "getRunGraph", Method: http.MethodGet, Path: "/v2/runs/{id}/graph", Tags: []string{"runs"},
		Summary: "What a run did, as a graph", Description: "For an agent run: its model requests and tool calls.",
	}, s.getGraph)
}

// graphView is a graph as the contract shows it.
type graphView struct {
	Nodes  []nodeView     `json:"nodes"`
	Edges  []journal.Edge `json:"edges"`
	Totals graphTotals    `json:"totals"`
}

type nodeView struct {
	ID        string            `json:"id"`
	Label     string            `json:"label"`
	Kind      string            `json:"kind" enum:"request,tool"`
	Parent    *string           `json:"parent"`
	Status    string            `json:"status" enum:"running,completed,failed,refused,interrupted"`
	StartedAt orNull[timestamp] `json:"started_at"`
	EndedAt   orNull[timestamp] `json:"ended_at"`
	Attempts  int               `json:"attempts"`
	CostUSD   orNull[run.USD]   `json:"cost_usd"`
	Usage     run.Usage         `json:"usage"`
}

// graphTotals sums the nodes; its cost is null once a part of it is not known.
type graphTotals struct {
	Nodes     int             `json:"nodes"`
	Completed int             `json:"completed"`
	Failed    int             `json:"failed"`
	Requests  int             `json:"requests"`
	ToolCalls int             `json:"tool_calls"`
	CostUSD   orNull[run.USD] `json:"cost_usd"`
	Tokens    int64           `json:"tokens"`
}

func (s *Server) getGraph(ctx context.Context, in *getRunInput) (*tagged[graphView], error) {
	var graph journal.Graph
	for after := int64(0); ; {
		rows, _, err := s.store.Timeline(ctx, in.ID, after, timelineChunk)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if err := graph.Apply(row); err != nil {
				return nil, err
			}
			after = row.Seq
		}
		if len(rows) < timelineChunk {
			return tag(viewGraph(&graph), "", in.IfNoneMatch)
		}
	}
}

func viewGraph(graph *journal.Graph) graphView {
	view := graphView{Nodes: make([]nodeView, 0, len(graph.Nodes)), Edges: append([]journal.Edge{}, graph.Edges...)}
	totals := &view.Totals
	totals.Nodes = len(graph.Nodes)
	var cost run.USD
	unknown := false
	for _, node := range graph.Nodes {
		view.Nodes = append(view.Nodes, viewNode(node))
		switch node.Status {
		case journal.NodeCompleted:
			totals.Completed++
		case journal.NodeFailed, journal.NodeInterrupted:
			totals.Failed++
		}
		switch node.Kind {
		case journal.NodeRequest:
			totals.Requests++
		case journal.NodeTool:
			totals.ToolCalls++
		}
		totals.Tokens += node.Usage.InputTokens + node.Usage.OutputTokens
		cost = cost.Plus(node.CostUSD)
		unknown = unknown || node.UnknownCost
	}
	totals.CostUSD = costOrNull(cost, unknown)
	return view
}

func viewNode(node *journal.Node) nodeView {
	view := nodeView{
		ID: node.ID, Label: node.Label, Kind: node.Kind, Status: node.Status, StartedAt: timeOrNull(node.StartedAt),
		EndedAt: timeOrNull(node.EndedAt), Attempts: node.Attempts, Usage: node.Usage,
		CostUSD: costOrNull(node.CostUSD, node.UnknownCost),
	}
	if node.Parent != "" {
		view.Parent = &node.Parent
	}
	return view
}

func costOrNull(cost run.USD, unknown bool) orNull[run.USD] {
	if unknown {
		return orNull[run.USD]{}
	}
	return orNull[run.USD]{&cost}
}
