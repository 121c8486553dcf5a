package client

import (
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/agentrun/agentrun/run"
)

// maxProblem bounds what is read of an error's body.
const maxProblem = 1 << 20

// Problem is an error the server answered (RFC 9457). Its chain holds a *run.Error of the same code, so that
// errors.Is(err, &run.Error{Code: run.ErrNotFound}) and run.CodeOf work on it.
type Problem struct {
	Status  int            `json:"status"`
	Title   string         `json:"title"`
	Detail  string         `json:"detail"`
	Code    string         `json:"code"`
	Details map[string]any `json:"details"`
	// Errors are the faults of the input, each at its path.
	Errors []run.Issue `json:"errors"`
	// RetryAfter is how long the server asks to wait (0: it does not say).
	RetryAfter time.Duration `json:"-"`
	// RequestID finds the request in the server's log.
	RequestID string `json:"-"`
}

// Error is the detail and the code.
func (p *Problem) Error() string {
	text := p.Detail
	if text == "" {
		text = p.Title
	}
	if p.Code == "" {
		return fmt.Sprintf("%s (HTTP %d)", text, p.Status)
	}
	return fmt.Sprintf("%s (%s)", text, p.Code)
}

// Unwrap is the problem in the domain's words.
func (p *Problem) Unwrap() error {
	return &run.Error{Code: p.Code, Message: p.Detail, Details: p.Details, Issues: p.Errors}
}

// readProblem reads the body of an error. One that is no problem+json (a proxy's page) gives its status line.
func readProblem(res *http.Response) *Problem {
	problem := &Problem{}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind == "application/problem+json" || kind == "application/json" {
		if json.NewDecoder(io.LimitReader(res.Body, maxProblem)).Decode(problem) != nil {
			problem = &Problem{}
		}
	}
	problem.Status = res.StatusCode
	if problem.Title == "" && problem.Detail == "" {
		problem.Title = "the server answered " + strings.ToLower(http.StatusText(res.StatusCode))
	}
	problem.RequestID = res.Header.Get("X-Request-Id")
	if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
		problem.RetryAfter = time.Duration(seconds) * time.Second
	}
	return problem
}
