package models

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxErrorText is how much of a provider's own words an error keeps (runes).
const maxErrorText = 500

// statusOverloaded is what Anthropic answers when it is overloaded.
const statusOverloaded = 529

// failure words the errors of one attempt.
type failure struct {
	provider string
	// name is the provider and its host, as messages have it.
	name string
	key  string
}

func failureOf(r Request) failure {
	name := r.Model.Provider
	if host := hostOf(r.BaseURL); host != "" {
		name = strings.TrimSpace(name + " (" + host + ")")
	}
	return failure{provider: r.Model.Provider, name: name, key: r.APIKey}
}

// of is the error for what ended an attempt. caller is the context the caller gave.
func (f failure) of(caller context.Context, x *exchange, err error) *Error {
	made := f.classify(caller, x, err)
	made.Provider, made.cause = f.provider, err
	return made
}

func (f failure) classify(caller context.Context, x *exchange, err error) *Error {
	spend := SpendUnsent
	switch {
	case x.status >= http.StatusMultipleChoices:
		spend = SpendUnbilled
	case x.sent.Load():
		spend = SpendUnknown
	}
	var reported *fault
	switch {
	case caller.Err() != nil:
		return &Error{
			Code: CodeCancelled, Spend: spend, Status: x.status,
			Message: fmt.Sprintf("the request to %s was cut: %v", f.name, context.Cause(caller)),
		}
	case x.idled():
		return &Error{
			Code: CodeIdleTimeout, Spend: spend, Status: x.status, Retryable: true,
			Message: fmt.Sprintf("%s %s", f.name, x.silence()),
		}
	case x.status >= http.StatusMultipleChoices:
		return f.status(x)
	case errors.As(err, &reported):
		return f.reported(x, reported)
	case x.status == 0 || isBroken(err):
		return f.connection(x, err, spend)
	default:
		return f.garbage(x, err)
	}
}

// broken is an error of the connection under a stream.
type broken struct{ error }

// Unwrap is the error itself.
func (b broken) Unwrap() error { return b.error }

// isBroken tells whether a stream broke, as opposed to saying something that is no answer.
func isBroken(err error) bool {
	var b broken
	return errors.As(err, &b) && !errors.Is(err, errTooLarge) && !errors.Is(err, bufio.ErrTooLong)
}

// unsupported is the error of a request that cannot be sent.
func (f failure) unsupported(reason error) *Error {
	return &Error{
		Provider: f.provider, Code: CodeUnsupported, Spend: SpendUnsent, Message: f.clean(reason.Error()), cause: reason,
	}
}

// address is an error for an address that is none.
func (f failure) address(base string) error {
	if webAddress(base) {
		return nil
	}
	return f.unsupported(fmt.Errorf("the address of %s is not an http or https URL", f.name))
}

// webAddress tells whether an address is one that HTTP reaches.
func webAddress(address string) bool {
	parsed, err := url.Parse(address)
	return err == nil && (parsed.Scheme == "http" || parsed.Scheme == "https") && parsed.Host != ""
}

func (f failure) connection(x *exchange, err error, spend Spend) *Error {
	verb := "could not be reached"
	if x.sent.Load() {
		verb = "closed the connection before its answer was complete"
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	return &Error{
		Code: CodeConnection, Status: x.status, Retryable: true, Spend: spend,
		Message: fmt.Sprintf("%s %s: %s", f.name, verb, f.clean(err.Error())),
	}
}

func (f failure) garbage(x *exchange, err error) *Error {
	reason := err
	if errors.Is(err, bufio.ErrTooLong) {
		reason = errTooLarge
	}
	message := fmt.Sprintf("%s sent an answer that cannot be used: %s", f.name, f.clean(reason.Error()))
	kind, called := acceptStream, "an event stream"
	if x.whole {
		kind, called = acceptJSON, "JSON"
	}
	if !strings.HasPrefix(x.contentType, kind) {
		message += fmt.Sprintf(" (it is %q, not %s)", f.clean(x.contentType), called)
	}
	return &Error{Code: CodeBadResponse, Status: x.status, Retryable: true, Spend: SpendUnknown, Message: message}
}

// status is the error of an HTTP status that is no answer.
func (f failure) status(x *exchange) *Error {
	reported := readFault(x.errorBody)
	made := &Error{Status: x.status, Spend: SpendUnbilled, RetryAfter: retryAfter(x.header)}
	made.Message = fmt.Sprintf("%s answered %d", f.name, x.status)
	if meaning := statusText(x.status); meaning != "" {
		made.Message += " " + meaning
	}
	if words := f.clean(reported.Message); words != "" {
		made.Message += ": " + words
	}
	switch {
	case reported.moderated():
		made.Code = CodeModerated
		return made
	case reported.tooManyTokens():
		made.Code = CodeContextLength
		return made
	case x.status == http.StatusTooManyRequests || reported.noQuota():
		made.Code = CodeRateLimited
		made.Retryable = x.status == http.StatusTooManyRequests && !reported.noQuota()
	case x.status >= http.StatusInternalServerError:
		made.Code, made.Retryable = CodeOverloaded, true
	case x.status == http.StatusRequestTimeout || x.status == http.StatusConflict:
		made.Code, made.Retryable = CodeOverloaded, true
	case x.status == http.StatusUnauthorized || x.status == http.StatusForbidden:
		made.Code = CodeUnauthorized
	case reported.tooLong() || x.status == http.StatusRequestEntityTooLarge:
		made.Code = CodeContextLength
	default:
		made.Code = CodeRejected
	}
	switch x.header.Get("X-Should-Retry") {
	case "true":
		made.Retryable = true
	case "false":
		made.Retryable = false
	}
	return made
}

func statusText(status int) string {
	if status == statusOverloaded {
		return "Overloaded"
	}
	return http.StatusText(status)
}

// reported is the error of a fault inside a stream. Money: the provider took the request, so only a usage it gives makes
// the spend known.
func (f failure) reported(x *exchange, reported *fault) *Error {
	made := &Error{Status: x.status, Spend: SpendUnknown}
	if used := reported.used; used != nil && !used.NoUsage {
		made.Usage = &used.Usage
	}
	words := f.clean(firstOf(reported.Message, reported.Code, reported.Type, "it gave no reason"))
	switch kind := reported.Code + " " + reported.Type; {
	case reported.moderated():
		made.Code = CodeModerated
		made.Message = fmt.Sprintf("%s's content policy stopped the answer: %s", f.name, words)
		return made
	case reported.tooLong():
		made.Code = CodeContextLength
	case strings.Contains(kind, "rate_limit") || reported.noQuota():
		made.Code, made.Retryable = CodeRateLimited, !reported.noQuota()
	case strings.Contains(kind, "invalid_request"):
		made.Code = CodeRejected
	default:
		made.Code, made.Retryable = CodeOverloaded, true
	}
	made.Message = fmt.Sprintf("%s failed while answering: %s", f.name, words)
	return made
}

// clean makes foreign words fit for a message: without the key, on one line, and not too many of them.
func (f failure) clean(words string) string {
	if f.key != "" {
		words = strings.ReplaceAll(words, f.key, "[key]")
	}
	var b strings.Builder
	runes, space := 0, false
	for _, r := range words {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == utf8.RuneError {
			space = b.Len() > 0
			continue
		}
		if runes >= maxErrorText {
			b.WriteString("…")
			break
		}
		if space {
			b.WriteByte(' ')
			space, runes = false, runes+1
		}
		b.WriteRune(r)
		runes++
	}
	return b.String()
}
