package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"
	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestEveryFindingOfTheLibraryHasACode(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		validation.MsgUnexpectedProperty:                             "unknown_field",
		fmt.Sprintf(validation.MsgExpectedRequiredProperty, "id"):    "required",
		fmt.Sprintf(validation.MsgExpectedOneOf, "a, b"):             "not_one_of",
		fmt.Sprintf(validation.MsgExpectedMinLength, 1):              "too_short",
		fmt.Sprintf(validation.MsgExpectedMaxLength, 1):              "too_long",
		fmt.Sprintf(validation.MsgExpectedMinItems, 1):               "too_short",
		fmt.Sprintf(validation.MsgExpectedMaxItems, 1):               "too_long",
		fmt.Sprintf(validation.MsgExpectedMinProperties, 1):          "too_short",
		fmt.Sprintf(validation.MsgExpectedMaxProperties, 1):          "too_long",
		fmt.Sprintf(validation.MsgExpectedMinimumNumber, 1):          "out_of_range",
		fmt.Sprintf(validation.MsgExpectedMaximumNumber, 1):          "out_of_range",
		fmt.Sprintf(validation.MsgExpectedExclusiveMinimumNumber, 1): "out_of_range",
		fmt.Sprintf(validation.MsgExpectedExclusiveMaximumNumber, 1): "out_of_range",
		fmt.Sprintf(validation.MsgExpectedMatchPattern, "^a$"):       "invalid_format",
		fmt.Sprintf(validation.MsgExpectedBePattern, "a slug"):       "invalid_format",
		validation.MsgExpectedBoolean:                                "wrong_type",
		validation.MsgExpectedInteger:                                "wrong_type",
		validation.MsgExpectedNumber:                                 "wrong_type",
		validation.MsgExpectedString:                                 "wrong_type",
		validation.MsgExpectedArray:                                  "wrong_type",
		validation.MsgExpectedObject:                                 "wrong_type",
		"something the library says in its next version":             "invalid",
	} {
		if got := codeOfMessage(message); got != want {
			t.Errorf("%q: %s, want %s", message, got, want)
		}
	}
}

func TestAFindingIsSaidAtItsField(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		location, message string
		want              run.Issue
		in                string
	}{
		"of the body":        {"body", validation.MsgExpectedObject, run.Issue{Code: "wrong_type", Message: validation.MsgExpectedObject}, "body"},
		"deep in the body":   {"body.input.files[2].path", validation.MsgExpectedString, run.Issue{Path: "input.files[2].path", Code: "wrong_type", Message: validation.MsgExpectedString}, "body"},
		"missing at the top": {"body", fmt.Sprintf(validation.MsgExpectedRequiredProperty, "definition"), run.Issue{Path: "definition", Code: "required", Message: "is required"}, "body"},
		"missing deeper":     {"body.input", fmt.Sprintf(validation.MsgExpectedRequiredProperty, "content"), run.Issue{Path: "input.content", Code: "required", Message: "is required"}, "body"},
		"of a parameter":     {"query.limit", validation.MsgExpectedInteger, run.Issue{Path: "limit", Code: "wrong_type", Message: validation.MsgExpectedInteger}, "query"},
	} {
		got, in := issueOf(&huma.ErrorDetail{Location: test.location, Message: test.message, Value: "what was sent"})
		if diff := cmp.Diff(test.want, got); diff != "" || in != test.in {
			t.Errorf("%s: in %q %s", name, in, diff)
		}
	}
	long, _ := issueOf(&huma.ErrorDetail{Location: "body." + strings.Repeat("é", 10_000), Message: validation.MsgUnexpectedProperty})
	if len(long.Path) > 210 || !strings.HasSuffix(long.Path, "é…") {
		t.Errorf("a path of %d bytes", len(long.Path))
	}
}

func TestLibraryProblemsHaveOurShape(t *testing.T) {
	t.Parallel()
	detail := func(location, message string) error { return &huma.ErrorDetail{Location: location, Message: message} }
	for name, test := range map[string]struct {
		status int
		errs   []error
		code   string
		want   int
	}{
		"a faulty body":       {422, []error{detail("body.a", validation.MsgExpectedString)}, run.ErrInvalid, 422},
		"a faulty parameter":  {422, []error{detail("query.limit", validation.MsgExpectedInteger)}, codeParameter, 400},
		"a faulty path":       {422, []error{detail("path.n", validation.MsgExpectedInteger)}, codeParameter, 400},
		"a faulty header":     {422, []error{detail("header.Idempotency-Key", "expected length <= 255")}, codeParameter, 400},
		"both":                {422, []error{detail("body.a", validation.MsgExpectedString), detail("query.x", "unknown query parameter")}, codeParameter, 400},
		"no JSON":             {400, []error{detail("body", "unexpected end of JSON input")}, codeMalformed, 400},
		"no body":             {400, nil, codeMalformed, 400},
		"another media type":  {415, []error{detail("body", "unknown content type")}, codeMediaType, 415},
		"a large body":        {413, nil, run.ErrTooLarge, 413},
		"a slow body":         {408, nil, codeTimeout, 408},
		"what nobody expects": {http.StatusTeapot, []error{errors.New("secret")}, codeInternal, 500},
		"a fault of ours":     {500, []error{errors.New("secret")}, codeInternal, 500},
	} {
		got, ok := libraryProblem(test.status, "secret", test.errs...).(*Problem)
		if !ok || got.Code != test.code || got.Status != test.want {
			t.Errorf("%s: %+v", name, got)
		}
		if test.want == 500 && strings.Contains(got.Detail, "secret") {
			t.Errorf("%s: %s", name, got.Detail)
		}
	}
	many := make([]error, 5000)
	for i := range many {
		many[i] = detail(fmt.Sprintf("body.x%d", i), validation.MsgUnexpectedProperty)
	}
	if got := libraryProblem(422, "", many...).(*Problem); len(got.Errors) != maxIssues {
		t.Errorf("%d issues", len(got.Errors))
	}
}
