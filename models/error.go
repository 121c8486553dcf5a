package models

import (
	"time"

	"github.com/agentrun/agentrun/run"
)

// Spend says what is known of the money of an attempt that failed.
type Spend string

// The spends. SpendUnsent: the request never left. SpendUnbilled: the provider answered with an error status instead of
// an answer. SpendUnknown: the request was sent and cut or refused on the way, so it may have been billed.
const (
	SpendUnsent   Spend = "unsent"
	SpendUnbilled Spend = "unbilled"
	SpendUnknown  Spend = "unknown"
)

// The codes of Error.Code.
const (
	// CodeConnection: the provider could not be reached, or the connection broke.
	CodeConnection = "connection_error"
	// CodeIdleTimeout: nothing came for too long, or an answer in one piece was not there in time.
	CodeIdleTimeout = "idle_timeout"
	// CodeBadResponse: what came is not an answer of the protocol, or too large.
	CodeBadResponse = "bad_response"
	// CodeCancelled: the caller's context ended first.
	CodeCancelled = "cancelled"
	// CodeModerated: the provider's content policy blocked the request or the answer.
	CodeModerated = "moderated"
	// CodeRateLimited: too many requests, or no quota left.
	CodeRateLimited = "rate_limited"
	// CodeOverloaded: the provider failed (5xx), or said in a stream that it did.
	CodeOverloaded = "provider_error"
	// CodeUnauthorized: the key is missing, wrong or not allowed this.
	CodeUnauthorized = "unauthorized"
	// CodeContextLength: the request is longer than the model's context window.
	CodeContextLength = "context_length_exceeded"
	// CodeRejected: any other status that says the request is at fault.
	CodeRejected = "request_rejected"
	// CodeUnsupported: the request cannot be put in the model's protocol; nothing was sent.
	CodeUnsupported = "unsupported"
)

// Error is why an attempt gave no answer. Message is readable, names the provider and never holds the key.
type Error struct {
	Provider string
	// Status is the HTTP status the provider answered with (0: none).
	Status  int
	Code    string
	Message string
	// RetryAfter is how long the provider asks to wait (0: it did not say).
	RetryAfter time.Duration
	// Retryable: the same request may well succeed later.
	Retryable bool
	Spend     Spend
	// Usage is what the provider says the attempt used, where it withheld the answer but said so: then its spend,
	// SpendUnknown to whoever does not look, is known.
	Usage *run.Usage
	cause error
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Unwrap is what went wrong underneath, if anything.
func (e *Error) Unwrap() error { return e.cause }
