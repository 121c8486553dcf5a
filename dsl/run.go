package dsl

import (
	"context"
	"errors"
)

// Status is how a run ended without failing.
type Status string

// The statuses of a Result.
const (
	StatusComplete  Status = "complete"
	StatusEscalated Status = "escalated"
)

// defaultMaxQuestions is how many questions one request to a judge may hold where the host says nothing.
const defaultMaxQuestions = 256

// Options are what a host settles for a run.
type Options struct {
	// Adapters are what the host offers; nil where it offers everything.
	Adapters *Adapters
	Policy   Policy
	// Tasks runs the concurrent parts; nil for goroutines.
	Tasks Tasks
	// SOP is the host's procedure text, whose sections nodes name; Skill a text that every generative node reads.
	SOP, Skill string
	// MaxQuestionsPerRequest bounds a judge's request (0: 256), MaxStateBytesPerRequest the bytes of the JSON of its state
	// for a sift (0: no bound).
	MaxQuestionsPerRequest, MaxStateBytesPerRequest int
	// Sandbox runs JavaScript and expressions; nil for one with the default bounds, of this run alone.
	Sandbox *Sandbox

	dry bool // a dry run: polls are not repeated
}

// Result is what a run came to.
type Result struct {
	Status Status
	State  *Object
	// Output is the workflow's output, where it completed.
	Output any
	// Host is what the host's policy kept in the state; nil where that is nothing.
	Host *Object
	// Escalation is set where the run escalated.
	Escalation *Escalation
}

// Run interprets the workflow on an input. It blocks until the run completes, escalates, or fails: then the error is a
// *Failure or what the host returned. A host that answers its calls as before gets the same calls again.
func (w *Workflow) Run(ctx context.Context, host Host, options Options, input any) (Result, error) {
	in, err := newInterpreter(w, host, options)
	if err != nil {
		return Result{}, err
	}
	state, err := in.start(input)
	if err != nil {
		return Result{}, err
	}
	at := scope{ctx: ctx, workflow: w, path: "/root", top: true}
	state, err = in.run(at, w.Root, state)
	if err != nil {
		return ended(err)
	}
	output, err := in.output(at, state)
	if err != nil {
		return Result{}, err
	}
	return Result{Status: StatusComplete, State: state, Output: output, Host: hostOf(state)}, nil
}

// ended makes the result of a run that an escalation ended. Beside an effect whose outcome is unknown it does not.
func ended(err error) (Result, error) {
	var found *escalated
	if isUnknown(err) || !errors.As(err, &found) {
		return Result{}, err
	}
	return Result{
		Status: StatusEscalated, State: found.State, Host: hostOf(found.State), Escalation: &found.Escalation,
	}, nil
}

// start checks an input and makes the first state of it.
func (in *interpreter) start(input any) (*Object, error) {
	invalid := &Failure{Code: CodeInputInvalid, Class: ClassRun, Stage: "input", ExecutionPath: "/root"}
	state, ok := input.(*Object)
	if !ok || state == nil {
		invalid.Message = "the input must be an object"
		return nil, invalid
	}
	if id := in.root.InputSchema; id != "" {
		if invalid.Problems = in.problems(in.root, id, state); len(invalid.Problems) > 0 {
			invalid.Message = "the input does not fit its schema"
			return nil, invalid
		}
	}
	if issues := in.root.issuesOn(state); len(issues) > 0 {
		return nil, &Failure{
			Code: CodeWorkflowInvalid, Class: ClassRun, Stage: "validate", ExecutionPath: "/root", Issues: issues,
			Message: "the document does not work on this input: " + issues[0].Message,
		}
	}
	if err := in.capabilities(); err != nil {
		return nil, err
	}
	if state.Has(hostKey) {
		invalid.Message = "the input may not have the key " + hostKey
		return nil, invalid
	}
	return state, nil
}

// output reads the workflow's output off its last state.
func (in *interpreter) output(at scope, state *Object) (any, error) {
	return in.outputOf(at, "output", state)
}

// outputOf reads a document's output, and checks it. A path that leads nowhere is no value.
func (in *interpreter) outputOf(at scope, stage string, state *Object) (any, error) {
	var value any = state.Without(hostKey)
	if path := at.workflow.OutputPath; path != "" {
		found, ok := lookup(state, path)
		if !ok {
			return nil, outputInvalid(at, stage, []string{"the state has no value at " + path})
		}
		value = found
	}
	if problems := in.problems(at.workflow, at.workflow.OutputSchema, value); len(problems) > 0 {
		return nil, outputInvalid(at, stage, problems)
	}
	return value, nil
}
