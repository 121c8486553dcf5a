package api

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/agentrun/agentrun/run"
)

// Codes of problems that only HTTP has; the domain's are run's.
const (
	codeInternal         = "internal"
	codeUnauthenticated  = "unauthenticated"
	codeHostNotAllowed   = "host_not_allowed"
	codeCSRF             = "csrf_refused"
	codeMethodNotAllowed = "method_not_allowed"
	codeMediaType        = "unsupported_media_type"
	codeMalformed        = "malformed_json"
	codeParameter        = "invalid_parameter"
	codeRateLimited      = "rate_limited"
	codeUnsupported      = "unsupported"
	codeTimeout          = "request_timeout"
	codeUnhealthy        = "unhealthy"
	codeRange            = "range_not_satisfiable"
)

// statusOf is the HTTP status of each code. What is not listed is a fault of ours.
var statusOf = map[string]int{
	run.ErrInvalid:             http.StatusUnprocessableEntity,
	run.ErrInvalidPath:         http.StatusBadRequest,
	run.ErrNotFound:            http.StatusNotFound,
	run.ErrAgentExists:         http.StatusConflict,
	run.ErrAgentNotRunnable:    http.StatusConflict,
	run.ErrRevisionStale:       http.StatusPreconditionFailed,
	run.ErrPreconditionMissing: http.StatusPreconditionRequired,
	run.ErrNotContinuable:      http.StatusConflict,
	run.ErrNotArchivable:       http.StatusConflict,
	run.ErrConflict:            http.StatusConflict,
	run.ErrIdempotency:         http.StatusConflict,
	run.ErrStaleEpoch:          http.StatusConflict,
	run.ErrFenced:              http.StatusConflict,
	run.ErrHeld:                http.StatusConflict,
	run.ErrStoreFull:           http.StatusServiceUnavailable,
	run.ErrUnavailable:         http.StatusServiceUnavailable,
	run.ErrTooLarge:            http.StatusRequestEntityTooLarge,

	codeUnauthenticated:  http.StatusUnauthorized,
	codeHostNotAllowed:   http.StatusForbidden,
	codeCSRF:             http.StatusForbidden,
	codeMethodNotAllowed: http.StatusMethodNotAllowed,
	codeMediaType:        http.StatusUnsupportedMediaType,
	codeMalformed:        http.StatusBadRequest,
	codeParameter:        http.StatusBadRequest,
	codeRateLimited:      http.StatusTooManyRequests,
	codeUnsupported:      http.StatusUnprocessableEntity,
	codeTimeout:          http.StatusRequestTimeout,
	codeUnhealthy:        http.StatusServiceUnavailable,
	codeRange:            http.StatusRequestedRangeNotSatisfiable,
}

// retryAfter is how long a caller is asked to wait before it tries again, where a code does not say it itself.
var retryAfter = map[string]time.Duration{
	run.ErrStoreFull:   30 * time.Second,
	run.ErrUnavailable: time.Second,
	codeUnhealthy:      5 * time.Second,
}

// problemMedia is the media type of every error.
const problemMedia = "application/problem+json"

// Problem is the one shape of every error (RFC 9457, contract §1).
type Problem struct {
	Type    string         `json:"type"`
	Title   string         `json:"title"`
	Status  int            `json:"status"`
	Detail  string         `json:"detail"`
	Code    string         `json:"code"`
	Details map[string]any `json:"details"`
	// Errors are the faults of the input, each at its path.
	Errors []run.Issue `json:"errors,omitempty"`

	header http.Header
}

// newProblem makes a problem of a code of statusOf.
func newProblem(code, detail string) *Problem {
	status, ok := statusOf[code]
	if !ok {
		status = http.StatusInternalServerError
	}
	p := &Problem{
		Type: "urn:agentrun:problem:" + code, Title: http.StatusText(status), Status: status,
		Detail: detail, Code: code, Details: map[string]any{}, header: http.Header{},
	}
	if wait, ok := retryAfter[code]; ok {
		p.retryAfter(wait)
	}
	return p
}

// parameterProblem is a query parameter, header or id that cannot be read.
func parameterProblem(name, why string) *Problem {
	p := newProblem(codeParameter, name+": "+why)
	p.Details["parameter"] = name
	return p
}

func (p *Problem) retryAfter(wait time.Duration) {
	seconds := max(1, int((wait+time.Second-1)/time.Second))
	p.header.Set("Retry-After", strconv.Itoa(seconds))
}

// Error is the detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status (huma.StatusError).
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders are the response's headers (huma.HeadersError).
func (p *Problem) GetHeaders() http.Header { return p.header }

// ContentType makes the media type the problem's own (huma.ContentTypeFilter).
func (*Problem) ContentType(string) string { return problemMedia }

// write sends the problem as a whole response.
func (p *Problem) write(w http.ResponseWriter) {
	body, err := json.Marshal(p)
	if err != nil {
		body = []byte(`{"status":500,"code":"internal"}`)
	}
	maps.Copy(w.Header(), p.header)
	w.Header().Set("Content-Type", problemMedia)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(body, '\n')) // a caller that has gone needs no answer
}
