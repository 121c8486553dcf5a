package dsl_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/dsl"
)

func TestGraphOfEveryRelation(t *testing.T) {
	t.Parallel()
	graph := dsl.GraphOf(builtText(t, inspectedText))
	var nodes, edges []string
	for _, node := range graph.Nodes {
		nodes = append(nodes, strings.Join([]string{node.ID, node.Parent, node.Label, string(node.Kind), node.Detail}, " | "))
	}
	for _, edge := range graph.Edges {
		edges = append(edges, strings.TrimSpace(edge.From+" -> "+edge.To+" "+edge.Label))
	}
	wantNodes := []string{
		"/root/steps/0 |  | each | map | each of notes, 4 at once",
		"/root/steps/0/body | /root/steps/0 | one | agent | ",
		"/root/steps/1 |  | both | parallel | 2 branches at once",
		"/root/steps/1/branches/0 | /root/steps/1 | fetch | call | tool search",
		"/root/steps/1/branches/1 | /root/steps/1 | run | call | shell",
		"/root/steps/2 |  | again | loop | up to 3 times, until j.ok is true",
		"/root/steps/2/body | /root/steps/2 | ask | judge | ",
		"/root/steps/3 |  | way | route | by listing.stdout",
		"/root/steps/3/branches/a~1b/body | /root/steps/3 | sum | code | ",
		"/root/steps/3/branches/c/body | /root/steps/3 | js | call | executor",
		"/root/steps/4 |  | sub | workflow | inner",
		"/root/steps/4/workflow/root | /root/steps/4 | deep | agent | ",
		"/root/steps/5 |  | end | report | ",
	}
	wantEdges := []string{
		"/root/steps/0 -> /root/steps/1",
		"/root/steps/1 -> /root/steps/2",
		"/root/steps/3 -> /root/steps/3/branches/a~1b/body a/b (or otherwise)",
		"/root/steps/3 -> /root/steps/3/branches/c/body c",
		"/root/steps/2 -> /root/steps/3",
		"/root/steps/3/branches/a~1b/body -> /root/steps/4",
		"/root/steps/3/branches/c/body -> /root/steps/4",
		"/root/steps/4 -> /root/steps/5",
	}
	if diff := cmp.Diff(wantNodes, nodes); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(wantEdges, edges); diff != "" {
		t.Errorf("edges (-want +got):\n%s", diff)
	}
}

// drawnText has a chain in a map, a route without a box of its own in a loop, and an escalation.
const drawnText = `{"v": 2, "name": "w", "schemas": {"Any": {"type": "object"}}, "output": {"schemaId": "Any"},
	"root": {"node": "chain", "steps": [
		{"node": "loop", "label": "again", "maxIters": 2, "until": {"predicate": "ask", "instructions": "Done?"}, "body":
			{"node": "route", "label": "way", "state": {"a": "b"}, "instructions": "i", "unsure": {"branch": "b", "gte": 0.5}, "branches": {
				"a": {"body": {"node": "chain", "steps": [
					{"node": "code", "label": "one", "expr": "1", "as": "n"}, {"node": "code", "label": "two", "expr": "1", "as": "n"}]}},
				"b": {"body": {"node": "code", "label": "three", "expr": "1", "as": "n"}}}}},
		{"node": "escalate", "label": "stop", "kind": "k", "stage": "s", "summary": "s", "when": {"predicate": "lt", "path": "n", "n": 0.5}}
	]}}`

func TestGraphAsMermaid(t *testing.T) {
	t.Parallel()
	want := `flowchart TD
  subgraph n0["again<br/>loop<br/>up to 2 times, until a judge finds: Done?"]
    n1{{"way<br/>route<br/>a judge decides"}}
    n2[["one<br/>code"]]
    n3[["two<br/>code"]]
    n4[["three<br/>code"]]
  end
  n5(["stop<br/>escalate<br/>k when n #lt; 0.5"])
  n2 --> n3
  n1 -->|"a"| n2
  n1 -->|"b (or unsure)"| n4
  n0 --> n5
`
	if diff := cmp.Diff(want, dsl.GraphOf(builtText(t, drawnText)).Mermaid()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestGraphAsDOT(t *testing.T) {
	t.Parallel()
	want := `digraph "w" {
  compound=true;
  node [shape=box, fontname="sans-serif"];
  edge [fontname="sans-serif"];
  subgraph cluster_n0 {
    label="again\nloop\nup to 2 times, until a judge finds: Done?";
    n1 [label="way\nroute\na judge decides", shape=hexagon];
    n2 [label="one\ncode", peripheries=2];
    n3 [label="two\ncode", peripheries=2];
    n4 [label="three\ncode", peripheries=2];
  }
  n5 [label="stop\nescalate\nk when n < 0.5", style=rounded];
  n2 -> n3;
  n1 -> n2 [label="a"];
  n1 -> n4 [label="b (or unsure)"];
  n1 -> n5 [ltail=cluster_n0];
}
`
	if diff := cmp.Diff(want, dsl.GraphOf(builtText(t, drawnText)).DOT()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// hostileText names things so that a picture or a terminal would obey them.
var hostileText = `{"v": 2, "name": "w\" { x", "schemas": {"Any": {"type": "object"}}, "output": {"schemaId": "Any"},
	"root": {"node": "chain", "steps": [
		{"node": "code", "label": "\u001b[2J a\"]\n%%{init: {}}%% <script> \u202egnp", "expr": "1", "as": "n"},
		{"node": "code", "label": "end \\N #quot; ` + "`*x*`" + ` \u0085 ` + strings.Repeat("é", 300) + `", "expr": "1", "as": "n"}
	]}}`

func TestNothingOfALabelIsObeyed(t *testing.T) {
	t.Parallel()
	graph := dsl.GraphOf(builtText(t, hostileText))
	for name, text := range map[string]string{"mermaid": graph.Mermaid(), "dot": graph.DOT(), "json": graph.JSON()} {
		for _, bad := range []string{"\x1b", "\u202e", "\u0085"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q: %s", name, bad, text)
			}
		}
	}
	wantMermaid := `  n0[["#92;u001b[2J a#quot;]#92;u000a#37;#37;{init: {}}#37;#37; #lt;script#gt; #92;u202egnp<br/>code"]]`
	if text := graph.Mermaid(); !strings.Contains(text, wantMermaid) || !strings.Contains(text, "end #92;N #35;quot; #96;*x*#96; #92;u0085 éé") {
		t.Errorf("mermaid: %s", text)
	}
	wantDOT := `  n0 [label="\\u001b[2J a\"]\\u000a%%{init: {}}%% <script> \\u202egnp\ncode", peripheries=2];`
	if text := graph.DOT(); !strings.Contains(text, wantDOT) || !strings.HasPrefix(text, `digraph "w\" { x" {`) {
		t.Errorf("dot: %s", text)
	}
	if text := graph.Mermaid(); strings.Count(text, "é") > 100 || !strings.Contains(text, "…") {
		t.Errorf("a long label is not cut: %s", text)
	}
}

func TestGraphAsJSONKeepsLabels(t *testing.T) {
	t.Parallel()
	graph := dsl.GraphOf(builtText(t, hostileText))
	var read dsl.Graph
	if err := json.Unmarshal([]byte(graph.JSON()), &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(graph, read); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestConditionsInWords(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string]string{
		`{"predicate": "field_equals", "path": "a", "value": "x"}`: `k when a is "x"`,
		`{"predicate": "in", "path": "a", "values": [1, true]}`:    `k when a is one of [1,true]`,
		`{"predicate": "count_gte", "path": "a", "n": 2}`:          `k when there are 2 of a`,
		`{"predicate": "gte", "path": "a", "n": 2.5}`:              `k when a ≥ 2.5`,
		`{"predicate": "empty", "path": "a"}`:                      `k when a is empty`,
		`{"predicate": "no_new_items", "key": "a"}`:                `k when a is empty`,
		`{"predicate": "expr", "expr": "len(a) > 1"}`:              `k when len(a) > 1`,
		`{"predicate": "ask", "instructions": "Is it late?"}`:      `k when a judge finds: Is it late?`,
	} {
		document := `{"v": 2, "name": "w", "schemas": {"Any": {"type": "object"}}, "output": {"schemaId": "Any"}, "root":
			{"node": "escalate", "label": "stop", "kind": "k", "stage": "s", "summary": "s", "when": ` + condition + `}}`
		if got := dsl.GraphOf(builtText(t, document)).Nodes[0].Detail; got != want {
			t.Errorf("%s: %q, want %q", condition, got, want)
		}
	}
}
