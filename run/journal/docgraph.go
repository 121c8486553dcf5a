package journal

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// foldFrom is the first item of a map, and iteration of a loop, whose nodes are folded into one for all that follow.
const foldFrom = 50

// NodeEscalated is the status of a node that hands the run to a person, NodeCancelled of one that the run's end or
// another's failure cut off.
const (
	NodeEscalated = "escalated"
	NodeCancelled = "cancelled"
)

// DocumentGraph is what a workflow document did: one node for each executed node of the document, with what its
// requests, calls and judgments took. The nodes of a map's items and a loop's rounds beyond fifty are folded. It is a
// fold over the run's rows in order.
type DocumentGraph struct {
	Nodes []*Node

	byPath map[string]*Node
}

// Apply folds one row into the graph.
func (g *DocumentGraph) Apply(row run.Row) error {
	if g.byPath == nil {
		g.byPath = map[string]*Node{}
	}
	switch row.Type {
	case run.RowNodeStarted, run.RowNodeEnded, run.RowRouteChosen, run.RowLoopExited, run.RowNodeNote:
		return g.event(row)
	case run.RowRequestStarted:
		var started run.RequestStarted
		if err := row.Decode(&started); err != nil {
			return err
		}
		if !started.CapRefused && started.Impossible == "" {
			g.node(row, started.Node)
		}
	case run.RowRequestEnded:
		return g.ended(row)
	case run.RowStatus:
		return g.closed(row)
	case run.RowUsage:
		return g.used(row)
	case run.RowToolResult:
		var result run.ToolResult
		if err := row.Decode(&result); err != nil {
			return err
		}
		g.node(row, result.Node).Usage.ToolCalls++
	}
	return nil
}

// node is the node of a path, made where it is seen first.
func (g *DocumentGraph) node(row run.Row, path string) *Node {
	id, folded := foldPath(path)
	node := g.byPath[id]
	if node == nil {
		at := row.At
		node = &Node{ID: id, Label: id, Status: NodeRunning, StartedAt: &at, Folded: folded}
		g.byPath[id] = node
		g.Nodes = append(g.Nodes, node)
	}
	return node
}

func (g *DocumentGraph) event(row run.Row) error {
	var event run.NodeEvent
	if err := row.Decode(&event); err != nil {
		return err
	}
	var detail struct {
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	switch event.Event {
	case "node.start":
		node := g.named(row, event)
		node.Attempts = max(node.Attempts, 1)
		if node.Executions++; !node.Folded {
			node.Status, node.EndedAt = NodeRunning, nil // again, where a person supplied what the run lacked
		}
	case "node.end":
		if err := json.Unmarshal(event.Detail, &detail); err != nil {
			return err
		}
		g.named(row, event).finish(row, statusOf(detail.Status, detail.Error))
	case "escalate.evaluated":
		var fired struct {
			Fired bool `json:"fired"`
		}
		if err := json.Unmarshal(event.Detail, &fired); err != nil {
			return err
		}
		status := NodeCompleted
		if fired.Fired {
			status = NodeEscalated
		}
		g.named(row, event).finish(row, status)
	case "route.chosen", "loop.exited", "ask.evaluated":
		g.named(row, event).finish(row, NodeCompleted)
	case "effect.attempt":
		node := g.named(row, event)
		var try struct {
			Attempt int `json:"attempt"`
		}
		if err := json.Unmarshal(event.Detail, &try); err != nil {
			return err
		}
		node.Attempts = max(node.Attempts, try.Attempt)
	}
	return nil
}

// closed ends what was under way when the run ended, and shows where it failed.
func (g *DocumentGraph) closed(row run.Row) error {
	var change run.StatusChange
	if err := row.Decode(&change); err != nil || !change.Status.Terminal() {
		return err
	}
	if change.Error != nil && change.Error.Code != run.CodeEscalated {
		if path, ok := change.Error.Details["node"].(string); ok && path != "" {
			node := g.node(row, path)
			if stage, ok := change.Error.Details["stage"].(string); ok && node.Label == node.ID {
				node.Label = stage
			}
			node.finish(row, NodeFailed)
		}
	}
	for _, node := range g.Nodes {
		if node.Status == NodeRunning {
			node.finish(row, NodeCancelled)
		}
	}
	return nil
}

// named is the node of an event, by the name that the document gives it.
func (g *DocumentGraph) named(row run.Row, event run.NodeEvent) *Node {
	node := g.node(row, event.Node)
	node.Kind = event.Kind
	if event.Label != "" {
		node.Label = event.Label
	}
	return node
}

// finish notes an end; of folded nodes the worst one counts.
func (n *Node) finish(row run.Row, status string) {
	at := row.At
	n.EndedAt = &at
	if n.Status == NodeRunning || n.Status == NodeCompleted {
		n.Status = status
	}
}

func statusOf(text, reason string) string {
	switch text {
	case "failed":
		if strings.Contains(reason, "context canceled") {
			return NodeCancelled // beside one that failed
		}
		return NodeFailed
	case "escalated":
		return NodeEscalated
	}
	return NodeCompleted
}

func (g *DocumentGraph) ended(row run.Row) error {
	var ended run.RequestEnded
	if err := row.Decode(&ended); err != nil {
		return err
	}
	node := g.node(row, ended.Node)
	node.UnknownCost = node.UnknownCost || ended.UnknownSpend
	if ended.CostUSD != nil {
		node.CostUSD = node.CostUSD.Plus(*ended.CostUSD)
	}
	return nil
}

func (g *DocumentGraph) used(row run.Row) error {
	var usage run.UsageRow
	if err := row.Decode(&usage); err != nil {
		return err
	}
	node := g.node(row, usage.Node)
	usage.Requests, usage.ToolCalls = 1, 0
	node.Usage.Add(usage.Usage)
	node.UnknownCost = node.UnknownCost || usage.CostUSD == nil
	return nil
}

// foldPath is the path that a node is shown under.
func foldPath(path string) (id string, folded bool) {
	parts := strings.Split(path, "/")
	for i := 0; i+1 < len(parts); i++ {
		if parts[i] != "items" && parts[i] != "iterations" {
			continue
		}
		if n, err := strconv.Atoi(parts[i+1]); err == nil && n >= foldFrom {
			parts[i+1], folded = "*", true
		}
	}
	if !folded {
		return path, false
	}
	return strings.Join(parts, "/"), true
}
