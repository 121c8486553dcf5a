package run

import (
	"errors"
	"fmt"
)

// Error is a refusal that the caller can act on. Code is stable snake_case; Message says what happened, where, and what
// to do, and never holds a secret.
type Error struct {
	Code    string
	Message string
	Details map[string]any
	Issues  []Issue
	cause   error
}

// Issue is one fault of an input, at its path ("definition.tools[1]").
type Issue struct {
	Path    string `json:"path"`
	Code    string `json:"code"`
	Message string `json:"message"`
	// Hint says what to write instead, where the fault's message does not.
	Hint string `json:"hint,omitempty"`
}

// Stable codes of Error.Code. Each one has one HTTP status, in package api.
const (
	ErrInvalid             = "invalid_request"
	ErrInvalidPath         = "invalid_path"
	ErrNotFound            = "not_found"
	ErrAgentExists         = "agent_exists"
	ErrAgentNotRunnable    = "agent_not_runnable"
	ErrRevisionStale       = "revision_stale"
	ErrPreconditionMissing = "precondition_required"
	ErrNotContinuable      = "not_continuable"
	ErrNotArchivable       = "not_archivable"
	ErrConflict            = "conflict"
	ErrIdempotency         = "idempotency_conflict"
	ErrStaleEpoch          = "stale_epoch"
	ErrFenced              = "worker_fenced"
	ErrHeld                = "run_held"
	ErrStoreFull           = "storage_full"
	ErrUnavailable         = "unavailable"
	ErrTooLarge            = "too_large"
)

// Errorf makes an Error; a %w in the format keeps its cause for errors.Is and errors.As.
func Errorf(code, format string, args ...any) *Error {
	wrapped := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: wrapped.Error(), cause: errors.Unwrap(wrapped)}
}

// Invalid makes an Error of code ErrInvalid with its issues.
func Invalid(issues ...Issue) *Error {
	return &Error{Code: ErrInvalid, Message: "the request has faults; each is listed with its path", Issues: issues}
}

// With adds a detail and returns the error.
func (e *Error) With(name string, value any) *Error {
	if e.Details == nil {
		e.Details = map[string]any{}
	}
	e.Details[name] = value
	return e
}

// Error is the message, with the first issue where there are any.
func (e *Error) Error() string {
	if len(e.Issues) > 0 {
		return fmt.Sprintf("%s: %s: %s", e.Message, e.Issues[0].Path, e.Issues[0].Message)
	}
	return e.Message
}

// Unwrap is the cause, if any.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors of one code equal for errors.Is.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// CodeOf is the code of the Error in err's chain, or "".
func CodeOf(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}
