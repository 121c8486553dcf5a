package dsl

import (
	"maps"
	"slices"
)

// Inspection is what a document is made of and what it needs, read off its structure alone: nothing of it ran.
type Inspection struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	SHA256  string `json:"sha256"`
	// Checked says how much this is worth: always "structure-only".
	Checked string `json:"checked"`
	// InputSchema and OutputSchema are ids of the document's schemas.
	InputSchema  string          `json:"inputSchema,omitempty"`
	OutputSchema string          `json:"outputSchema"`
	OutputPath   string          `json:"outputPath,omitempty"`
	Nodes        []InspectedNode `json:"nodes"`
	Requires     Requires        `json:"requires"`
}

// InspectedNode is one node of a document or of a child document in it. A body that runs many times is one node.
type InspectedNode struct {
	// Path is where it runs (`/root/steps/0/body`), Parent the path of the node it is in.
	Path   string `json:"path"`
	Parent string `json:"parent,omitempty"`
	// Place is where it stands in the document, as issues write it (`root.steps[0].body`).
	Place string `json:"place"`
	// Relation says what it is to its parent: `step 1`, `each notes`, `route refund`.
	Relation string `json:"relation"`
	Kind     Kind   `json:"kind"`
	Label    string `json:"label,omitempty"`
	// Workflow is the name of the document that the node is in.
	Workflow string `json:"workflow"`
	// Writes are the keys of the state that it sets, as far as the document says.
	Writes []string `json:"writes,omitempty"`
	// OutputSchema is the id of the schema of its value.
	OutputSchema string `json:"outputSchema,omitempty"`
	// ResultPath is a map's, ChildWorkflow the name of the document that a workflow node runs.
	ResultPath    string `json:"resultPath,omitempty"`
	ChildWorkflow string `json:"childWorkflow,omitempty"`
}

// Requires is what a host must have to run a document.
type Requires struct {
	// Adapters are among runEffect, runJudge and runNode, sorted; Tools and SOPSections are names, sorted.
	Adapters    []string `json:"adapters"`
	Tools       []string `json:"tools"`
	SOPSections []string `json:"sopSections"`
	// ExecutableCode says that a node or a call runs JavaScript or a shell command; expressions are none.
	ExecutableCode bool `json:"executableCode"`
	// ToolUses are all places that name a tool, in the document's order.
	ToolUses []ToolUse `json:"toolUses"`
	// BoxCalls are the calls that run code or a command, which only a box may do.
	BoxCalls []BoxCall `json:"boxCalls"`
	// Forks are the places of agent nodes that go on from a transcript of their host's, which few hosts have.
	Forks []string `json:"forks,omitempty"`
}

// ToolUse is a place of a document that names a tool: a call, or the tools of a generative node.
type ToolUse struct {
	Tool string `json:"tool"`
	// Path is the very place of the name (`root.steps[0].tools[1]`, `root.tool`), Label that of its node.
	Path  string `json:"path"`
	Label string `json:"label"`
	// Call says that the document itself calls the tool; otherwise a model may.
	Call bool `json:"call"`
}

// BoxCall is a call via executor or shell.
type BoxCall struct {
	Via string `json:"via"`
	// Path is the place of its `via` in the document, Label that of its node.
	Path  string `json:"path"`
	Label string `json:"label"`
}

// Inspect reads what a workflow is made of and needs, its child workflows included. It runs nothing.
func Inspect(w *Workflow) Inspection {
	in := inspector{adapters: map[string]bool{}, tools: map[string]bool{}, sections: map[string]bool{}}
	in.requires = Requires{ToolUses: []ToolUse{}, BoxCalls: []BoxCall{}}
	in.node(w, w.Root, InspectedNode{Path: "/root", Place: "root", Relation: "root"})
	in.requires.Adapters = sorted(in.adapters)
	in.requires.Tools = sorted(in.tools)
	in.requires.SOPSections = sorted(in.sections)
	return Inspection{
		Name: w.Name, Version: 2, SHA256: w.Digest(), Checked: "structure-only", InputSchema: w.InputSchema,
		OutputSchema: w.OutputSchema, OutputPath: w.OutputPath, Nodes: in.nodes, Requires: in.requires,
	}
}

// sorted are the names of a set; never nil, so that it is a list in JSON.
func sorted(names map[string]bool) []string {
	return slices.AppendSeq([]string{}, slices.Values(slices.Sorted(maps.Keys(names))))
}

// inspector gathers an inspection.
type inspector struct {
	nodes                     []InspectedNode
	requires                  Requires
	adapters, tools, sections map[string]bool
}

// node adds a node of which the place is known, and what is below it.
func (in *inspector) node(w *Workflow, node Node, found InspectedNode) {
	base := node.base()
	found.Kind, found.Label, found.Workflow = base.Kind, base.Label, w.Name
	found.Writes, found.OutputSchema = writesOf(node), outOf(node)
	switch n := node.(type) {
	case *Map:
		found.ResultPath = n.ResultPath
	case *Child:
		found.ChildWorkflow = n.Workflow.Name
	}
	in.nodes = append(in.nodes, found)
	in.needs(w, node, found.Place)
	for _, below := range innerOf(node) {
		in.node(below.workflow(w), below.node, InspectedNode{
			Path: found.Path + below.path, Parent: found.Path, Place: found.Place + below.place, Relation: below.relation,
		})
	}
}
