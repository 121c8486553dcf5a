package dsl

import (
	"context"
	"errors"
)

// DryRunReport is what a dry run found.
type DryRunReport struct {
	OK bool `json:"ok"`
	// Skipped says why a dry run shows nothing of a document, though nothing is wrong with it.
	Skipped []string `json:"skipped,omitempty"`
	// Problems say what failed, Stage where: a node's label, input, output or validate.
	Problems []string `json:"problems,omitempty"`
	Stage    string   `json:"stage,omitempty"`
}

// DryRun runs the workflow on answers made of its schemas, so that mistakes in how its parts fit together show without
// a model. Input may be nil: then it is made of the input schema too. It stands down, which is OK with a reason, where
// no value can be made of a schema, or where a made answer makes the document escalate.
func (w *Workflow) DryRun(ctx context.Context, input any) DryRunReport {
	report, _ := w.TraceDryRun(ctx, input)
	return report
}

// madeInput is an input made of the input schema; not ok where what is made does not fit it.
func (w *Workflow) madeInput() (input any, ok bool) {
	if w.InputSchema == "" {
		return NewObject(0), true
	}
	schema, _ := object(w.Schemas, w.InputSchema)
	input = makerOf(w.Schemas).value(schema, 0)
	compiled, _ := CompileSchemas(w.Schemas)
	return input, len(compiled.Check(w.InputSchema, input)) == 0
}

func dryFailure(err error) DryRunReport {
	report := DryRunReport{Problems: []string{err.Error()}}
	if failure, ok := errors.AsType[*Failure](err); ok {
		report.Stage = failure.Stage
		if len(failure.Problems) > 0 {
			report.Problems = failure.Problems
		}
		for _, issue := range failure.Issues {
			report.Problems = append(report.Problems, issue.Path+": "+issue.Message)
		}
	}
	return report
}

// dryHost answers from schemas, and keeps what happened.
type dryHost struct {
	workflow *Workflow
	tracer
}

func (h *dryHost) Generate(ctx context.Context, ask Generation) (Submission, error) {
	value := makerOf(ask.Definitions).value(ask.Schema, 0)
	if ask.Review != nil {
		if _, err := ask.Review(ctx, value); err != nil {
			return Submission{}, err
		}
	}
	fields, _ := value.(*Object)
	return Submission{Value: value, Markdown: text(fields, reportKey)}, nil
}

func (h *dryHost) Judge(_ context.Context, ask Judgment) (Judged, error) {
	answers := NewObject(len(ask.Questions))
	for _, question := range ask.Questions {
		answers.Set(question.ID, madeAnswer(question))
	}
	return Judged{Answers: answers}, nil
}

func (h *dryHost) Effect(_ context.Context, ask Attempt) (Settled, error) {
	if ask.Out == nil {
		return Settled{Result: ObjectOf("code", 0.0, "stdout", "{}", "stderr", "", "truncated", false)}, nil
	}
	return Settled{Result: makerOf(h.schemasOf(ask)).value(ask.Out, 0)}, nil
}

// schemasOf are the schemas of the document that declares an attempt's result.
func (h *dryHost) schemasOf(ask Attempt) *Object {
	for node := range nodes(h.workflow.Root) {
		child, ok := node.(*Child)
		if !ok {
			continue
		}
		for _, schema := range child.Workflow.Schemas.All() {
			if schema == any(ask.Out) {
				return child.Workflow.Schemas
			}
		}
	}
	return h.workflow.Schemas
}

func (*dryHost) Wait(context.Context, Pause) error { return nil }
