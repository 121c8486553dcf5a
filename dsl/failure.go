package dsl

import (
	"errors"
	"fmt"
	"strings"
)

// Codes of the failures that a run may end with. A failure may also carry the code of an effect, or none: then its
// Class says what it is.
const (
	CodeWorkflowInvalid  = "workflow_invalid"
	CodeInputInvalid     = "input_invalid"
	CodeOutputInvalid    = "output_invalid"
	CodeStateInvalid     = "state_invalid"
	CodeCodeFailed       = "code_transform_failed"
	CodeVerification     = "WORKFLOW_VERIFICATION_FAILED"
	CodeDeadlineExceeded = "effect_deadline_exceeded"
	CodeOutcomeUnknown   = "effect_outcome_unknown"
)

// Classes of failures.
const (
	// ClassRun is of the failures that the codes above name, those of effects left out.
	ClassRun = "WorkflowFailure"
	// ClassEffect is of a call whose effect failed, ClassUnknown of one whose outcome nobody knows, ClassLate of one that
	// succeeded after its deadline.
	ClassEffect  = "EffectFailure"
	ClassUnknown = "EffectOutcomeUnknownError"
	ClassLate    = "EffectDeadlineExceededError"
	// ClassJudge is of answers of a judge that cannot be used, ClassCapability of a document that needs what its host
	// does not offer.
	ClassJudge      = "SystemOneError"
	ClassCapability = "capability_missing"
)

// Failure is why a run ended without an output. Fields that say nothing about it are zero.
type Failure struct {
	// Code is one of the codes above or of an effect; "" where it has none. Class is what kind of failure it is.
	Code, Class string
	// Stage is the label of the node, or input, output or validate. ExecutionPath says where it happened.
	Stage, ExecutionPath string
	Message              string
	// Problems are what a schema finds wrong; Issues what the validator does.
	Problems []string
	Issues   []Issue
	// Path and Reason say which path of the state was wrong, and how. Of a judge's answers Reason says what was wrong.
	Path, Reason string
	// RetryClass and Detail are what the effect's failure said of itself.
	RetryClass string
	Detail     *Object
	// Interruption is deadline or cancelled where an outcome is unknown; Attempt and IdempotencyKey are its call's.
	Interruption   string
	Attempt        int
	IdempotencyKey string
	// Late is the result that came after the deadline.
	Late any
	// Candidate is the submission that was never accepted, Drives how often a judge said why.
	Candidate any
	Drives    []any
	// Others are the failures and unknown outcomes beside this one, and an escalation that they hold back.
	Others []error

	cause error
}

func (f *Failure) Error() string {
	var text strings.Builder
	for _, part := range []string{f.Stage, f.Code} {
		if part != "" {
			text.WriteString(part + ": ")
		}
	}
	text.WriteString(f.Message)
	for _, problem := range f.Problems {
		text.WriteString("; " + problem)
	}
	return text.String()
}

// Unwrap is what caused the failure, for the host's log only.
func (f *Failure) Unwrap() []error {
	if f.cause == nil {
		return f.Others
	}
	return append([]error{f.cause}, f.Others...)
}

// EffectError is how an attempt of a call fails. Class is one of timeout, http_5xx, http_429, connection, exit or "";
// Code one of the effect codes or "".
type EffectError struct {
	Message, Class, Code string
	// Detail is what else the host has to say; it goes into the event.
	Detail *Object
	// Interruption is deadline or cancelled where the outcome is unknown (code effect_outcome_unknown).
	Interruption string
	// Late is the result of an effect that succeeded after its deadline (code effect_deadline_exceeded).
	Late any
}

func (e *EffectError) Error() string { return e.Message }

// code is the error's own, or what its class implies.
func (e *EffectError) code() string {
	switch {
	case e.Code != "":
		return e.Code
	case e.Class == "":
		return ""
	case e.Class == "timeout":
		return "effect_timeout"
	case e.Class == "exit":
		return "effect_exit"
	default:
		return "effect_transport"
	}
}

func (e *EffectError) unknown() bool { return e.Code == CodeOutcomeUnknown }

// Escalation is a run that a document hands to a person.
type Escalation struct {
	Kind, Stage, Summary string
	// Label and ExecutionPath say which node escalated, State what it knew.
	Label, ExecutionPath string
	State                *Object
}

// escalated carries an escalation up to where the run ends.
type escalated struct{ Escalation }

func (e *escalated) Error() string {
	return fmt.Sprintf("escalated: %s at %s: %s", e.Kind, e.Stage, e.Summary)
}

func stateInvalid(at scope, label, path, reason, message string) *Failure {
	return &Failure{
		Code: CodeStateInvalid, Class: ClassRun, Stage: label, ExecutionPath: at.path, Path: path, Reason: reason,
		Message: message,
	}
}

func outputInvalid(at scope, stage string, problems []string) *Failure {
	return &Failure{
		Code: CodeOutputInvalid, Class: ClassRun, Stage: stage, ExecutionPath: at.path, Problems: problems,
		Message: "the value does not fit its schema",
	}
}

func codeFailed(at scope, label string, cause error) *Failure {
	return &Failure{
		Code: CodeCodeFailed, Class: ClassRun, Stage: label, ExecutionPath: at.path, Message: cause.Error(), cause: cause,
	}
}

func capability(format string, args ...any) *Failure {
	return &Failure{Class: ClassCapability, Message: fmt.Sprintf(format, args...)}
}

// isUnknown tells whether an error holds an effect whose outcome nobody knows.
func isUnknown(err error) bool {
	var failure *Failure
	return errors.As(err, &failure) && failure.Code == CodeOutcomeUnknown
}
