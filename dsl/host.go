package dsl

import (
	"context"
	"time"
)

// Host does what nodes ask of the outside. The interpreter calls it from many goroutines at once, at most once for each
// path and number, and blocks until it answers; a durable host answers from its record what it answered before. An
// error that is not a *Failure ends the run as it is. Once its context is cancelled a call must return, with an error
// that wraps the context's cause: that is how the failure that cancelled its siblings is told from their echoes.
type Host interface {
	// Generate has a model work until it submits. Where the ask carries a Review the host lets it read each draft, and
	// gives a refused one back to the same session.
	Generate(ctx context.Context, ask Generation) (Submission, error)
	// Judge asks a judge all questions in one request.
	Judge(ctx context.Context, ask Judgment) (Judged, error)
	// Effect makes one attempt of a call within ask.DeadlineSeconds; its failures are *EffectError.
	Effect(ctx context.Context, ask Attempt) (Settled, error)
	// Wait lets time pass between two attempts of a call.
	Wait(ctx context.Context, ask Pause) error
	// Observe is told of everything that happens; it neither waits nor fails.
	Observe(event Event)
}

// Policy is what a host may add to the language: code of the host, which a document cannot reach. Nil functions do
// nothing.
type Policy struct {
	// SystemBlocks are texts that follow a node's instructions.
	SystemBlocks func(ask Generation) []string
	// Decode takes a raw submission apart: the value that schema and verify see, and what goes to `$host`.
	Decode func(ask Generation, submission any) (value any, host *Object, err error)
	// AfterNode is a patch of the state once a node's value is in it; it may not write `$host`.
	AfterNode func(path string, node Node, state *Object) (*Object, error)
}

// Tasks runs the concurrent parts of an interpretation. A host that must know when an interpretation can go no further
// by itself counts them.
type Tasks interface {
	// Go runs fn beside its caller.
	Go(fn func())
	// Block runs fn, which waits for other tasks.
	Block(fn func())
}

// Adapters are what a host offers; a document that needs one that it lacks is refused before anything runs.
type Adapters struct{ Generate, Judge, Effect bool }

// Place says where in an execution something happens.
type Place struct {
	// Path is the execution path (`/root/steps/1/items/0/body`), Label the node's, with the labels of the child workflow
	// invocations it is in before it.
	Path, Label string
	Kind        Kind
}

// Generation is what a generative node asks a model.
type Generation struct {
	Place
	// System is the procedure slice, skill, instructions and policy blocks, empty ones left out; User the JSON text of
	// the state the node gives.
	System []string
	User   string
	// Schema is the JSON Schema of the submission, Definitions the schemas that its `$ref`s may name.
	Schema      *Object
	Definitions *Object
	// Tools are nil where the host's default holds.
	Tools                  []string
	Effort, Thinking, Tier string
	BudgetUSD              float64
	Context                string
	// Item is the innermost map item the node runs for; nil outside of a map.
	Item *MapItem
	// Terminal says that the submission is the workflow's output.
	Terminal bool
	// Check tells what keeps a value from being the submission, read as the interpreter will read it.
	Check func(value any) []string
	// Review has a draft judged; nil where the node has no verify.
	Review func(ctx context.Context, draft any) (Review, error)
}

// MapItem says which item of which map something runs for.
type MapItem struct {
	Label string
	Index int
}

// Submission is what a session handed in. Markdown is set by a report, Value by the others.
type Submission struct {
	Value    any
	Markdown string
}

// Review is a judge's view of a draft.
type Review struct {
	Drive          int
	Doubted, Unmet []string
	Accepted       bool
	// Last says that no further draft is reviewed: a session that was not accepted fails with it.
	Last bool
}

// Judgment is a set of questions about one state.
type Judgment struct {
	Place
	// Purpose is what asks: judge, pick, sift, route, verify, ask. Request numbers the requests of a sift and the reviews
	// of a verify, from 0.
	Purpose   string
	Request   int
	State     any
	Questions []Question
}

// Question is one question to a judge: Type is "noul" (a probability of yes), "choice" or "score".
type Question struct {
	ID, Type, Instructions string
	// Criteria say what each answer means: of a noul under "true" and "false", of a choice under each option (text or
	// null, in the document's order).
	Criteria *Object
	// Levels are the levels of a score, the lowest first.
	Levels []string
}

// Judged is a judge's answers, raw: the interpreter checks their shape before it uses one. Model is nil and CostUSD nil
// where unknown. Source is the kind of judge: "jev" or "model".
type Judged struct {
	Answers       *Object
	Model, Source string
	CostUSD       *float64
}

// Attempt is one try of a call's effect.
type Attempt struct {
	Place
	Via, Tool, Source, Command string
	// Input is the tool's arguments or the code's input; Env the shell command's environment.
	Input    any
	Env      *Object
	Produces []string
	// Out is the JSON Schema of the result; nil of a shell command.
	Out *Object
	// Number counts the attempts of the call from 1, polls included. IdempotencyKey is the same for all of them.
	Number          int
	IdempotencyKey  string
	DeadlineSeconds float64
}

// Settled is the result of an attempt and when it began and ended by the host's clock.
type Settled struct {
	Result         any
	Began, EndedAt time.Time
}

// Pause is a wait of a call. Number is that of the attempt before it.
type Pause struct {
	Place
	Number  int
	Seconds float64
	// Reason is "retry" or "poll".
	Reason string
}

// Event is something that happened. Detail is nil where there is nothing to say.
type Event struct {
	Type string
	Place
	Detail *Object
}
