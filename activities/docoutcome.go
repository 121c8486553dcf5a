package activities

import (
	"encoding/json"
	"errors"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
)

// outcome is the status that the document's end gives its run.
func (d *document) outcome() (run.StatusChange, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change := run.StatusChange{Status: run.Failed, State: run.StateEnded}
	switch {
	case !d.ended:
		return change, run.Errorf(run.ErrConflict, "the document of run %s has not come to its end", d.s.runID)
	case d.failure != nil:
		change.Error = failureOf(d.failure)
	case d.result.Status == dsl.StatusEscalated:
		change.Error = escalation(d.result.Escalation)
	default:
		change.Status = run.Completed
		change.Result = resultOf(d.result)
	}
	return change, nil
}

// resultOf is a completed document's output, and its report or the output as text.
func resultOf(result dsl.Result) *run.Result {
	output := dsl.JSON(result.Output)
	given := &run.Result{FinalAnswer: output, Output: json.RawMessage(output)}
	if report, ok := result.State.Get("report_markdown"); ok {
		if text, ok := report.(string); ok {
			given.FinalAnswer = text
		}
	} else if text, ok := result.Output.(string); ok {
		given.FinalAnswer = text
	}
	return given
}

func escalation(e *dsl.Escalation) *run.Failure {
	message := e.Summary
	if message == "" {
		message = "the workflow hands this run to a person"
	}
	return &run.Failure{Code: run.CodeEscalated, Message: message, Details: map[string]any{
		"kind": e.Kind, "stage": e.Stage, "summary": e.Summary, "label": e.Label, "node": e.ExecutionPath,
	}}
}

// failureOf says in the run's terms why a document failed; the language's own go into the details.
func failureOf(err error) *run.Failure {
	var session *sessionError
	var failure *dsl.Failure
	switch {
	case errors.As(err, &session):
		found := *session.failure
		found.Details = map[string]any{"node": session.node}
		return &found
	case errors.As(err, &failure):
		return &run.Failure{Code: codeOf(failure), Message: bounded(failure.Error()), Details: detailsOf(failure)}
	}
	return &run.Failure{Code: run.CodeRunFailed, Message: bounded(err.Error())}
}

func codeOf(failure *dsl.Failure) string {
	switch {
	case failure.Code == dsl.CodeOutputInvalid:
		return run.CodeInvalidOutput
	case failure.Code == dsl.CodeDeadlineExceeded, failure.RetryClass == "timeout",
		failure.Code == dsl.CodeOutcomeUnknown && failure.Interruption == "deadline":
		return run.CodeTimeout
	}
	return run.CodeRunFailed
}

func detailsOf(failure *dsl.Failure) map[string]any {
	details := map[string]any{"class": failure.Class, "node": failure.ExecutionPath}
	for name, value := range map[string]string{
		"code": failure.Code, "stage": failure.Stage, "path": failure.Path, "reason": failure.Reason,
		"retry_class": failure.RetryClass, "interruption": failure.Interruption, "idempotency_key": failure.IdempotencyKey,
	} {
		if value != "" {
			details[name] = value
		}
	}
	if len(failure.Problems) > 0 {
		details["problems"] = failure.Problems
	}
	if len(failure.Issues) > 0 {
		details["issues"] = failure.Issues
	}
	if failure.Attempt > 0 {
		details["attempt"] = failure.Attempt
	}
	return details
}
