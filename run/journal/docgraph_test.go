package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// executed folds the start and end of nodes at the paths, in order.
func executed(t *testing.T, paths ...string) *DocumentGraph {
	t.Helper()
	graph := &DocumentGraph{}
	at := time.Unix(0, 0)
	apply := func(kind run.RowType, body any) {
		at = at.Add(time.Second)
		row := run.NewRow(kind, "k", body, nil)
		row.At = at
		if err := graph.Apply(row); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range paths {
		cost := run.Dollar
		apply(run.RowNodeStarted, run.NodeEvent{Node: path, Label: "n", Kind: "extract", Event: "node.start"})
		apply(run.RowRequestStarted, run.RequestStarted{Node: path, Request: path + "!r1", Attempt: 1})
		apply(run.RowRequestEnded, run.RequestEnded{Node: path, Request: path + "!r1", CostUSD: &cost})
		apply(run.RowUsage, run.UsageRow{Node: path, Request: path + "!r1", Usage: run.Usage{InputTokens: 10}, CostUSD: &cost})
		apply(run.RowNodeEnded, run.NodeEvent{
			Node: path, Label: "n", Kind: "extract", Event: "node.end", Detail: json.RawMessage(`{"status":"ok"}`),
		})
	}
	return graph
}

func TestEdgesFollowTheDocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ paths, want []string }{
		"steps in a row":        {[]string{"/root/steps/0", "/root/steps/1", "/root/steps/2"}, []string{"0 > 1", "1 > 2"}},
		"a map between steps":   {[]string{"/root/steps/0", "/root/steps/1/items/0/body", "/root/steps/1/items/1/body", "/root/steps/2"}, []string{"0 > 1/items/0/body", "0 > 1/items/1/body", "1/items/0/body > 2", "1/items/1/body > 2"}},
		"a chain in each item":  {[]string{"/root/steps/0/items/0/body/steps/0", "/root/steps/0/items/0/body/steps/1"}, []string{"0/items/0/body/steps/0 > 0/items/0/body/steps/1"}},
		"rounds of a loop":      {[]string{"/root/steps/0/iterations/0/body", "/root/steps/0/iterations/1/body", "/root/steps/1"}, []string{"0/iterations/0/body > 0/iterations/1/body", "0/iterations/1/body > 1"}},
		"branches beside":       {[]string{"/root/steps/0/branches/0", "/root/steps/0/branches/1", "/root/steps/1"}, []string{"0/branches/0 > 1", "0/branches/1 > 1"}},
		"a child in a workflow": {[]string{"/root/steps/0", "/root/steps/0/workflow/root/steps/0", "/root/steps/1"}, []string{"0 > 0/workflow/root/steps/0", "0/workflow/root/steps/0 > 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, edge := range executed(t, c.paths...).Finish() {
				got = append(got, strings.TrimPrefix(edge.From, "/root/steps/")+" > "+strings.TrimPrefix(edge.To, "/root/steps/"))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("edges (-want +got):\n%s", diff)
			}
		})
	}
}

func TestItemsBeyondFiftyAreOneNodeAndNothingIsLost(t *testing.T) {
	t.Parallel()
	paths := make([]string, 120)
	for i := range paths {
		paths[i] = fmt.Sprintf("/root/items/%d/body", i)
	}
	graph := executed(t, paths...)
	graph.Finish()
	if len(graph.Nodes) != foldFrom+1 {
		t.Fatalf("%d nodes", len(graph.Nodes))
	}
	var total run.USD
	var requests int64
	for _, node := range graph.Nodes {
		total, requests = total.Plus(node.CostUSD), requests+node.Usage.Requests
	}
	rest := graph.Nodes[foldFrom]
	if !rest.Folded || rest.Executions != 120-foldFrom || rest.ID != "/root/items/*/body" || rest.Status != NodeCompleted {
		t.Errorf("the rest is %+v", rest)
	}
	if total != 120*run.Dollar || requests != 120 {
		t.Errorf("in all %s and %d requests", total, requests)
	}
}

func TestANodesParentIsTheNodeAroundIt(t *testing.T) {
	t.Parallel()
	graph := executed(t, "/root/steps/0", "/root/steps/0/workflow/root")
	graph.Finish()
	if graph.Nodes[0].Parent != "" || graph.Nodes[1].Parent != "/root/steps/0" {
		t.Errorf("parents %q, %q", graph.Nodes[0].Parent, graph.Nodes[1].Parent)
	}
}

func TestWhatTheRunsEndSaysOfItsNodes(t *testing.T) {
	t.Parallel()
	event := func(path, kind, name, detail string) run.Row {
		return run.NewRow(run.RowNodeNote, "k", run.NodeEvent{
			Node: path, Label: "n", Kind: kind, Event: name, Detail: json.RawMessage(detail),
		}, nil)
	}
	end := func(change run.StatusChange) run.Row { return run.NewRow(run.RowStatus, "s", change, nil) }
	started := func(path string) run.Row {
		row := event(path, "extract", "node.start", `{}`)
		row.Type = run.RowNodeStarted
		return row
	}
	failed := event("/root/a", "extract", "node.end", `{"status":"failed","error":"/root/a: context canceled"}`)
	failed.Type = run.RowNodeEnded
	for name, c := range map[string]struct {
		rows []run.Row
		want map[string]string
	}{
		"a cancel ends what was under way": {
			[]run.Row{started("/root"), end(run.StatusChange{Status: run.Cancelled})}, map[string]string{"/root": NodeCancelled},
		},
		"a stop does not": {
			[]run.Row{started("/root"), end(run.StatusChange{Status: run.InputRequired})}, map[string]string{"/root": NodeRunning},
		},
		"an escalation that fired": {
			[]run.Row{event("/root/e", "escalate", "escalate.evaluated", `{"fired":true}`)}, map[string]string{"/root/e": NodeEscalated},
		},
		"one that did not": {
			[]run.Row{event("/root/e", "escalate", "escalate.evaluated", `{"fired":false}`)}, map[string]string{"/root/e": NodeCompleted},
		},
		"a node without a beginning that failed": {
			[]run.Row{end(run.StatusChange{Status: run.Failed, Error: &run.Failure{Details: map[string]any{"node": "/root/m", "stage": "each"}}})},
			map[string]string{"/root/m": NodeFailed},
		},
		"one beside a failure": {[]run.Row{started("/root/a"), failed}, map[string]string{"/root/a": NodeCancelled}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			graph := &DocumentGraph{}
			for _, row := range c.rows {
				if err := graph.Apply(row); err != nil {
					t.Fatal(err)
				}
			}
			got := map[string]string{}
			for _, node := range graph.Nodes {
				got[node.ID] = node.Status
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("statuses (-want +got):\n%s", diff)
			}
		})
	}
}
