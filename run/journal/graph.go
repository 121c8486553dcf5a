package journal

import (
	"fmt"
	"time"

	"github.com/agentrun/agentrun/run"
)

// Kinds of graph nodes.
const (
	NodeRequest = "request"
	NodeTool    = "tool"
)

// Statuses of graph nodes. NodeRefused is a request that its cap did not buy, NodeInterrupted a call whose effect is not
// known.
const (
	NodeRunning     = "running"
	NodeCompleted   = "completed"
	NodeFailed      = "failed"
	NodeRefused     = "refused"
	NodeInterrupted = "interrupted"
)

// Node is one model request or tool call of a run. Parent is the request that asked for a call ("" for none).
type Node struct {
	ID        string
	Label     string
	Kind      string
	Parent    string
	Status    string
	StartedAt *time.Time
	EndedAt   *time.Time
	// Attempts is how often a request was sent; a call is made once.
	Attempts int
	// CostUSD is what the node cost as far as it is known; UnknownCost says that there is more.
	CostUSD     run.USD
	UnknownCost bool
	Usage       run.Usage
	// Executions counts how often a document's node ran: more than once where Folded says that it stands for the rest of a
	// map's items or a loop's rounds.
	Executions int
	Folded     bool
}

// Edge leads from what came first to what needed it.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Graph is what an agent run did, as requests and tool calls: a fold over its rows in order.
type Graph struct {
	Nodes []*Node
	Edges []Edge

	byID map[string]*Node
	// calls has the node of each call that has no result yet; call ids repeat over a run.
	calls map[string]*Node
	// last are the nodes that the next request follows.
	last     []string
	requests int
}

// Apply folds one row into the graph.
func (g *Graph) Apply(row run.Row) error {
	if g.byID == nil {
		g.byID, g.calls = map[string]*Node{}, map[string]*Node{}
	}
	switch row.Type {
	case run.RowRequestStarted:
		return g.requestStarted(row)
	case run.RowRequestEnded:
		return g.requestEnded(row)
	case run.RowUsage:
		return g.used(row)
	case run.RowToolUse:
		return g.toolUsed(row)
	case run.RowToolResult:
		return g.toolResulted(row)
	}
	return nil
}

func requestNode(request string) string { return "request/" + request }

func (g *Graph) requestStarted(row run.Row) error {
	var started run.RequestStarted
	if err := row.Decode(&started); err != nil {
		return err
	}
	node := g.byID[requestNode(started.Request)]
	if node == nil {
		g.requests++
		node = &Node{
			ID: requestNode(started.Request), Kind: NodeRequest,
			Label: fmt.Sprintf("request %d · %s", g.requests, started.Model),
		}
		if started.Purpose != "" {
			node.Label = fmt.Sprintf("%s · %s", started.Purpose, started.Model)
		}
		g.add(node)
		for _, before := range g.last {
			g.Edges = append(g.Edges, Edge{before, node.ID})
		}
		g.last = []string{node.ID}
	}
	if started.CapRefused || started.Impossible != "" {
		node.Status = NodeRefused
		return nil
	}
	node.Status, node.EndedAt = NodeRunning, nil
	node.Attempts++
	if node.StartedAt == nil {
		node.StartedAt = &row.At
	}
	return nil
}

func (g *Graph) requestEnded(row run.Row) error {
	var ended run.RequestEnded
	if err := row.Decode(&ended); err != nil {
		return err
	}
	node := g.byID[requestNode(ended.Request)]
	if node == nil {
		return nil
	}
	node.EndedAt = &row.At
	node.Status = NodeCompleted
	if ended.Error != nil {
		node.Status = NodeFailed
	}
	node.UnknownCost = node.UnknownCost || ended.UnknownSpend
	if ended.CostUSD != nil {
		node.CostUSD = node.CostUSD.Plus(*ended.CostUSD)
	}
	return nil
}

func (g *Graph) used(row run.Row) error {
	var usage run.UsageRow
	if err := row.Decode(&usage); err != nil {
		return err
	}
	node := g.byID[requestNode(usage.Request)]
	if node == nil {
		return nil
	}
	usage.Requests, usage.ToolCalls = 1, 0
	node.Usage.Add(usage.Usage)
	node.UnknownCost = node.UnknownCost || usage.CostUSD == nil
	return nil
}

func (g *Graph) toolUsed(row run.Row) error {
	var use run.ToolUse
	if err := row.Decode(&use); err != nil {
		return err
	}
	node := &Node{
		ID: "tool/" + use.Request + "/" + use.CallID, Label: use.Name, Kind: NodeTool, Status: NodeRunning, Attempts: 1,
		StartedAt: &row.At,
	}
	if g.byID[node.ID] != nil {
		return nil
	}
	g.add(node)
	g.calls[use.CallID] = node
	if asked := g.byID[requestNode(use.Request)]; asked != nil {
		node.Parent = asked.ID
		g.Edges = append(g.Edges, Edge{asked.ID, node.ID})
		if len(g.last) == 1 && g.last[0] == asked.ID {
			g.last = nil
		}
	}
	g.last = append(g.last, node.ID)
	return nil
}

func (g *Graph) toolResulted(row run.Row) error {
	var result run.ToolResult
	if err := row.Decode(&result); err != nil {
		return err
	}
	node := g.calls[result.CallID]
	if node == nil {
		return nil
	}
	delete(g.calls, result.CallID)
	node.EndedAt = &row.At
	switch {
	case result.Interrupted:
		node.Status = NodeInterrupted
	case result.OK:
		node.Status = NodeCompleted
	default:
		node.Status = NodeFailed
	}
	return nil
}

func (g *Graph) add(node *Node) {
	g.Nodes = append(g.Nodes, node)
	g.byID[node.ID] = node
}
