package api

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/agentrun/agentrun/run"
)

// The library keeps these three for the whole process and has no other place for them: errors in our shape, names that
// match exactly, and arrays that are never null.
func init() { //nolint:gochecknoinits // see above
	huma.NewError = libraryProblem
	huma.NewErrorWithContext = func(_ huma.Context, status int, detail string, errs ...error) huma.StatusError {
		return libraryProblem(status, detail, errs...)
	}
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
}

// libraryProblem puts an error the HTTP library found by itself into our shape.
func libraryProblem(status int, detail string, errs ...error) huma.StatusError {
	var issues []run.Issue
	var parameter *run.Issue
	for _, err := range errs {
		var found huma.ErrorDetailer
		if err == nil || !errors.As(err, &found) {
			continue
		}
		issue, in := issueOf(found.ErrorDetail())
		if in != "body" && parameter == nil {
			parameter = &issue
		}
		if len(issues) < maxIssues {
			issues = append(issues, issue)
		}
	}
	slices.SortStableFunc(issues, func(a, b run.Issue) int { return strings.Compare(a.Path, b.Path) })
	switch {
	case status == http.StatusUnprocessableEntity && parameter != nil:
		problem := parameterProblem(parameter.Path, parameter.Message)
		problem.Errors = issues
		return problem
	case status == http.StatusUnprocessableEntity:
		return invalid(issues)
	case status == http.StatusBadRequest && len(issues) > 0:
		if problem := twiceProblem(issues[0].Message); problem != nil {
			return problem
		}
		return newProblem(codeMalformed, "the body is not JSON: "+issues[0].Message)
	case status == http.StatusBadRequest:
		return newProblem(codeMalformed, detail)
	case status == http.StatusUnsupportedMediaType:
		return newProblem(codeMediaType, "the body's Content-Type must be application/json")
	case status == http.StatusRequestEntityTooLarge:
		return newProblem(run.ErrTooLarge, detail)
	case status == http.StatusRequestTimeout:
		return newProblem(codeTimeout, detail)
	}
	return internalProblem()
}

// maxIssues bounds how many faults of one request are listed.
const maxIssues = 100

// issueOf is one finding of the library's validation, and what it was found in: "body", "query", "path" or "header".
func issueOf(detail *huma.ErrorDetail) (issue run.Issue, in string) {
	in, path, _ := strings.Cut(detail.Location, ".")
	path = shortened(path)
	issue = run.Issue{Path: path, Code: codeOfMessage(detail.Message), Message: detail.Message}
	// A missing field is found at the object it is missing from: say it at the field.
	if name, ok := missingField(detail.Message); ok {
		issue.Path = strings.TrimPrefix(path+"."+name, ".")
		issue.Message = "is required"
	}
	return issue, in
}

// shortened keeps a path that the caller chose short.
func shortened(path string) string {
	const longest = 200
	if len(path) > longest {
		return strings.ToValidUTF8(path[:longest], "") + "…"
	}
	return path
}

// messages are the beginnings of the library's messages and our codes for them; the first that fits counts.
var messages = []struct{ begins, code string }{
	{validation.MsgUnexpectedProperty, "unknown_field"},
	{"unknown query parameter", "unknown_parameter"},
	{beginning(validation.MsgExpectedRequiredProperty), "required"},
	{beginning(validation.MsgExpectedOneOf), "not_one_of"},
	{beginning(validation.MsgExpectedMinLength), "too_short"},
	{beginning(validation.MsgExpectedMaxLength), "too_long"},
	{beginning(validation.MsgExpectedMinItems), "too_short"},
	{beginning(validation.MsgExpectedMaxItems), "too_long"},
	{beginning(validation.MsgExpectedMinProperties), "too_short"},
	{beginning(validation.MsgExpectedMaxProperties), "too_long"},
	{beginning(validation.MsgExpectedMinimumNumber), "out_of_range"},
	{beginning(validation.MsgExpectedMaximumNumber), "out_of_range"},
	{beginning(validation.MsgExpectedExclusiveMinimumNumber), "out_of_range"},
	{beginning(validation.MsgExpectedExclusiveMaximumNumber), "out_of_range"},
	{beginning(validation.MsgExpectedMatchPattern), "invalid_format"},
	{beginning(validation.MsgExpectedBePattern), "invalid_format"},
	{validation.MsgExpectedBoolean, "wrong_type"},
	{validation.MsgExpectedInteger, "wrong_type"},
	{validation.MsgExpectedNumber, "wrong_type"},
	{validation.MsgExpectedString, "wrong_type"},
	{validation.MsgExpectedArray, "wrong_type"},
	{validation.MsgExpectedObject, "wrong_type"},
}

func codeOfMessage(message string) string {
	for _, known := range messages {
		if strings.HasPrefix(message, known.begins) {
			return known.code
		}
	}
	return "invalid"
}

// beginning is a message up to its first value.
func beginning(format string) string {
	text, _, _ := strings.Cut(format, "%")
	return text
}

func missingField(message string) (string, bool) {
	rest, ok := strings.CutPrefix(message, beginning(validation.MsgExpectedRequiredProperty))
	if !ok {
		return "", false
	}
	name, _, _ := strings.Cut(rest, " ")
	return name, true
}
