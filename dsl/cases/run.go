package cases

import (
	"context"
	"errors"

	"github.com/agentrun/agentrun/dsl"
)

// Outcome is what became of a case on some host.
type Outcome struct {
	Result dsl.Result
	// Err is why the run failed; nil where it completed or escalated.
	Err    error
	Events []dsl.Event
	Script *Script
}

// Run validates the document of a case and, where the case expects an outcome, runs it on the scripted host. It returns
// what is otherwise than the case expects: nothing where it passes.
func Run(ctx context.Context, c Case) []Problem {
	issues := dsl.Validate(c.Document, c.Check)
	if problems := c.Validity(issues); len(problems) > 0 || !c.Runs() {
		return append(problems, c.Codes(issues)...)
	}
	var problems []Problem
	document, _ := c.Document.(*dsl.Object)
	workflow, err := dsl.Build(document)
	if err != nil {
		return []Problem{{What: "document", Got: err.Error()}}
	}
	if c.Expect.DryRun.Given {
		problems = append(problems, c.dryRun(workflow.DryRun(ctx, nil))...)
	}
	if c.Expect.Outcome == "" {
		return append(problems, c.Codes(issues)...)
	}
	script := NewScript(c.Fakes)
	defer script.Close()
	host := NewHost(script)
	outcome := Outcome{Script: script}
	outcome.Result, outcome.Err = workflow.Run(ctx, host, c.Options(script), c.Input)
	outcome.Events = host.Events()
	problems = append(problems, c.Codes(append(issues, outcome.issues()...))...)
	return append(problems, c.Compare(outcome)...)
}

// Options are what the host of a case settles, answered by a script.
func (c Case) Options(script *Script) dsl.Options {
	return dsl.Options{
		Adapters: script.Adapters(), Policy: script.Policy(), SOP: c.Deps.SOP, Skill: c.Deps.Skill,
		MaxQuestionsPerRequest: c.Deps.MaxQuestionsPerRequest,
	}
}

// Runs tells whether the case expects anything but issues.
func (c Case) Runs() bool {
	return c.Expect.Outcome != "" || c.Expect.DryRun.Given
}

// Compare says what of an outcome is otherwise than the case expects.
func (c Case) Compare(o Outcome) []Problem {
	problems := o.Script.Problems()
	if got := o.name(); got != c.Expect.Outcome {
		return append(problems, Problem{What: "outcome", Want: c.Expect.Outcome, Got: got + o.why()})
	}
	problems = append(problems, c.values(o)...)
	problems = append(problems, c.failure(o)...)
	problems = append(problems, c.events(o)...)
	return append(problems, c.calls(o)...)
}

// issues are what validating again, with the actual input, found.
func (o Outcome) issues() []dsl.Issue {
	if failed, ok := errors.AsType[*dsl.Failure](o.Err); ok {
		return failed.Issues
	}
	return nil
}

func (o Outcome) name() string {
	if o.Err != nil {
		return "failed"
	}
	return string(o.Result.Status)
}

func (o Outcome) why() string {
	switch {
	case o.Err != nil:
		return ": " + o.Err.Error()
	case o.Result.Escalation != nil:
		return ": " + o.Result.Escalation.Summary
	default:
		return ""
	}
}
