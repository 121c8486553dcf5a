package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

func (s *Server) graphRoutes() {
	register(s, huma.Operation{
		OperationID: "getRunGraph", Method: http.MethodGet, Path: "/v2/runs/{id}/graph", Tags: []string{"runs"},
		Summary: "What a run did, as a graph", Description: "Of an agent's run: its model requests and tool calls. Of a workflow's: its executed nodes, those of a " +
			"map's items and a loop's rounds beyond 50 folded into one (item is then \"*\").",
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
	Kind      string            `json:"kind" doc:"request or tool; of a workflow the node's kind."`
	Parent    *string           `json:"parent"`
	Status    string            `json:"status" enum:"running,completed,failed,refused,interrupted,escalated,cancelled"`
	StartedAt orNull[timestamp] `json:"started_at"`
	EndedAt   orNull[timestamp] `json:"ended_at"`
	Attempts  int               `json:"attempts"`
	CostUSD   orNull[run.USD]   `json:"cost_usd"`
	Usage     run.Usage         `json:"usage"`
	Item      string            `json:"item,omitempty" doc:"The item of a map or round of a loop that the node ran for."`
	Count     int               `json:"count,omitempty" doc:"How many executions a folded node stands for."`
}

// graphTotals sums the nodes; its cost is null once a part of it is not known.
type graphTotals struct {
	Nodes     int             `json:"nodes"`
	Completed int             `json:"completed"`
	Failed    int             `json:"failed"`
	Escalated int             `json:"escalated"`
	Requests  int             `json:"requests"`
	ToolCalls int             `json:"tool_calls"`
	CostUSD   orNull[run.USD] `json:"cost_usd"`
	Tokens    int64           `json:"tokens"`
}

func (s *Server) getGraph(ctx context.Context, in *getRunInput) (*tagged[graphView], error) {
	found, err := s.store.Run(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if found.Kind == run.KindWorkflow {
		var graph journal.DocumentGraph
		if err := s.fold(ctx, in.ID, graph.Apply); err != nil {
			return nil, err
		}
		edges := graph.Finish()
		return tag(viewGraph(graph.Nodes, edges), "", in.IfNoneMatch)
	}
	var graph journal.Graph
	if err := s.fold(ctx, in.ID, graph.Apply); err != nil {
		return nil, err
	}
	return tag(viewGraph(graph.Nodes, graph.Edges), "", in.IfNoneMatch)
}

// fold hands each of a run's rows to apply.
func (s *Server) fold(ctx context.Context, id string, apply func(run.Row) error) error {
	for after := int64(0); ; {
		rows, _, err := s.store.Timeline(ctx, id, after, timelineChunk)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := apply(row); err != nil {
				return err
			}
			after = row.Seq
		}
		if len(rows) < timelineChunk {
			return nil
		}
	}
}

func viewGraph(nodes []*journal.Node, edges []journal.Edge) graphView {
	view := graphView{Nodes: make([]nodeView, 0, len(nodes)), Edges: append([]journal.Edge{}, edges...)}
	totals := &view.Totals
	totals.Nodes = len(nodes)
	var cost run.USD
	unknown := false
	for _, node := range nodes {
		view.Nodes = append(view.Nodes, viewNode(node))
		switch node.Status {
		case journal.NodeCompleted:
			totals.Completed++
		case journal.NodeFailed, journal.NodeInterrupted:
			totals.Failed++
		case journal.NodeEscalated:
			totals.Escalated++
		}
		totals.add(node)
		totals.Tokens += node.Usage.InputTokens + node.Usage.OutputTokens
		cost = cost.Plus(node.CostUSD)
		unknown = unknown || node.UnknownCost
	}
	totals.CostUSD = costOrNull(cost, unknown)
	return view
}

// add counts a node's requests and calls: itself, or those that a document's node made.
func (t *graphTotals) add(node *journal.Node) {
	switch node.Kind {
	case journal.NodeRequest:
		t.Requests++
	case journal.NodeTool:
		t.ToolCalls++
	default:
		t.Requests += int(node.Usage.Requests)
		t.ToolCalls += int(node.Usage.ToolCalls)
	}
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
	view.Item = itemOf(node.ID)
	if node.Folded {
		view.Count = node.Executions
	}
	return view
}

// itemOf is the innermost item of a map or round of a loop in a node's path, "" where there is none.
func itemOf(path string) string {
	parts := strings.Split(path, "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "items" || parts[i] == "iterations" {
			return parts[i+1]
		}
	}
	return ""
}

func costOrNull(cost run.USD, unknown bool) orNull[run.USD] {
	if unknown {
		return orNull[run.USD]{}
	}
	return orNull[run.USD]{&cost}
}
