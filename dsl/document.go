package dsl

import "sync/atomic"

// Kind is what a node does.
type Kind string

// The node kinds.
const (
	KindChain    Kind = "chain"
	KindCode     Kind = "code"
	KindAgent    Kind = "agent"
	KindDecide   Kind = "decide"
	KindExtract  Kind = "extract"
	KindReport   Kind = "report"
	KindArtifact Kind = "artifact"
	KindMap      Kind = "map"
	KindParallel Kind = "parallel"
	KindLoop     Kind = "loop"
	KindEscalate Kind = "escalate"
	KindCall     Kind = "call"
	KindWorkflow Kind = "workflow"
	KindJudge    Kind = "judge"
	KindPick     Kind = "pick"
	KindSift     Kind = "sift"
	KindRoute    Kind = "route"
)

// Workflow is a document that was found valid, ready to run.
type Workflow struct {
	Name string
	// Schemas are the JSON Schemas by id, as the document wrote them.
	Schemas *Object
	// InputSchema is the id of the schema of the input; "" where any object will do.
	InputSchema string
	// OutputSchema is the id of the schema of the output, OutputPath where the state holds it ("": the whole state).
	OutputSchema, OutputPath string
	Root                     Node

	source *Object // the document as written, for its digest
	plan   atomic.Pointer[plan]
}

// Node is one of the node structs below.
type Node interface{ base() *Base }

// Base is what every node has.
type Base struct {
	Kind Kind
	// Label names the node to people; where a node has no As, it is also the key of its value in the state.
	Label string
	// As is the key of the node's value in the state; "" where the document gives none.
	As string
}

func (b *Base) base() *Base { return b }

// Chain runs its steps one after another.
type Chain struct {
	Base
	Steps []Node
}

// Code computes: a JavaScript function in Source, or an expr-lang expression in Expr.
type Code struct {
	Base
	Source string
	Expr   string
}

// Generate is an agent, decide, extract or report node: a model's session ends with a submission.
type Generate struct {
	Base
	// State is what the model is given, to be interpolated; nil where it is given the whole state.
	State        *Object
	Instructions string
	// SOPSections are the sections of the host's procedure text that the model reads.
	SOPSections []string
	// Out is the id of the schema of the submission; "" of a report, whose schema is fixed.
	Out      string
	Requires []string
	// Tools are the tools it may use; nil where the host's default holds, empty where none.
	Tools                  []string
	Effort, Thinking, Tier string
	Verify                 *Verify
	// BudgetUSD is the node's own cap in USD; 0 where it has none. Context is "fresh", "fork" or "". Both of an agent.
	BudgetUSD float64
	Context   string
}

// Verify has a judge doubt a submission before it counts.
type Verify struct {
	Out   string
	State *Object
	// MaxDrives is how many reviews there may be; Below the probability under which a field is doubted.
	MaxDrives int
	Below     float64
}

// Artifact declares the file that is the workflow's product.
type Artifact struct {
	Base
	Type, Path string
}

// Map runs its body once for each item of a list.
type Map struct {
	Base
	ItemsPath, ResultPath string
	Body                  Node
	MaxConcurrency        int
}

// Parallel runs its branches at once and merges what they wrote.
type Parallel struct {
	Base
	Branches []Node
}

// Loop runs its body until a predicate holds or the bound is reached.
type Loop struct {
	Base
	Body     Node
	Until    *Predicate
	MaxIters int
}

// Escalate ends the run as escalated where its predicate holds.
type Escalate struct {
	Base
	When *Predicate
	// Reason, Stage and Summary are the document's kind, stage and summary.
	Reason, Stage, Summary string
}

// Call has an effect outside: a tool, code in a sandbox, or a shell command.
type Call struct {
	Base
	Via, Tool, Source string
	// Args, Input and Env are interpolated by value; Command and Source never are.
	Args, Input, Env *Object
	Command          string
	Where, Out       string
	Produces         []string
	DeadlineSeconds  float64
	Retry            *Retry
	Poll             *Poll
	Requires         []string
}

// Retry says which failures of a call are tried again. Attempts counts all of them, On is nil for the default.
type Retry struct {
	Attempts       int
	BackoffSeconds float64
	On             []string
}

// Poll repeats a call until its result is what was waited for.
type Poll struct {
	Until, FailWhen *Predicate
	IntervalSeconds float64
	DeadlineSeconds float64
}

// Child runs a whole workflow document as one step.
type Child struct {
	Base
	Workflow *Workflow
	Input    *Object
	Out      string
}

// Judge asks a judge questions about a state.
type Judge struct {
	Base
	State    *Object
	Out      string
	Requires []string
}

// Pick has a judge choose one item of a list.
type Pick struct {
	Base
	ItemsPath, Describe, Instructions string
	State                             *Object
	AllowNone                         bool
	Requires                          []string
}

// Sift has a judge answer the same questions for every item of a list, and keeps some.
type Sift struct {
	Base
	ItemsPath, Describe string
	State               *Object
	Out                 string
	// KeepPath is `<question>` or `<question>.confidence`, "" to keep all; KeepAt is nil for the default bound.
	KeepPath string
	KeepAt   *float64
	Requires []string
}

// Route runs one of its branches: chosen by a judge, or named by a value of the state where ValuePath is set.
type Route struct {
	Base
	State        *Object
	Instructions string
	Branches     []Branch
	// Unsure is the branch taken where the judge's confidence is under UnsureBelow; "" where there is none.
	Unsure      string
	UnsureBelow float64
	ValuePath   string
	Otherwise   string
	Requires    []string
}

// Branch is one way of a Route. Criteria is nil where the document gives none.
type Branch struct {
	Name     string
	Criteria *string
	Body     Node
}

// Predicate is a condition over the state. Name is the document's `predicate`; the other fields are those that the
// named one has.
type Predicate struct {
	Name   string
	Path   string
	Value  any
	Values []any
	N      float64
	Key    string
	// Expr is the expr-lang source of an `expr` predicate.
	Expr string
	// Ask is set for `ask`, which a judge answers.
	Ask *Ask
}

// Ask is a yes/no question to the judge.
type Ask struct {
	Instructions string
	State        *Object
	// True and False say what each answer means; nil where the document does not.
	True, False *string
	// AtLeast is the probability from which it holds.
	AtLeast float64
}
