package models

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func containsText(text, part string) bool { return strings.Contains(text, part) }

func TestReadFault(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want fault
	}{
		"OpenAI":               {`{"error":{"message":"Bad.","type":"invalid_request_error","param":null,"code":"unknown"}}`, fault{Code: "unknown", Type: "invalid_request_error", Message: "Bad."}},
		"OpenAI, no code":      {`{"error":{"message":"Bad.","type":"server_error","code":null}}`, fault{Type: "server_error", Message: "Bad."}},
		"Anthropic":            {`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`, fault{Type: "overloaded_error", Message: "Overloaded"}},
		"a number for a code":  {`{"error":{"message":"Out of memory","code":500}}`, fault{Code: "500", Message: "Out of memory"}},
		"an error in words":    {`{"error":"model not found"}`, fault{Message: "model not found"}},
		"an error that is one": {`{"error":7}`, fault{Message: "7"}},
		"by itself":            {`{"object":"error","message":"Too long","type":"BadRequestError","code":400}`, fault{Code: "400", Type: "BadRequestError", Message: "Too long"}},
		"a detail in words":    {`{"detail":"Not Found"}`, fault{Message: "Not Found"}},
		"a list of details":    {`{"detail":[{"msg":"field required"}]}`, fault{Message: `[{"msg":"field required"}]`}},
		"words that are data":  {`{"error":{"message":{"en":"No"}}}`, fault{Message: `{"en":"No"}`}},
		"an object of its own": {`{"reason":"no"}`, fault{Message: `{"reason":"no"}`}},
		"a list":               {`[]`, fault{Message: `[]`}},
		"a page":               {`<html>`, fault{Message: `<html>`}},
		"nothing":              {``, fault{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := readFault([]byte(test.body))
			if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreUnexported(fault{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Error() != got.Message {
				t.Errorf("it says %q", got.Error())
			}
		})
	}
}

func TestWhatAFaultMeans(t *testing.T) {
	t.Parallel()
	type meaning struct{ Moderated, TooLong, NoQuota bool }
	for name, test := range map[string]struct {
		fault fault
		want  meaning
	}{
		"nothing known":            {fault{Code: "x", Type: "y", Message: "z"}, meaning{}},
		"a policy":                 {fault{Code: "content_policy_violation"}, meaning{Moderated: true}},
		"a policy, as the type":    {fault{Type: "content_filter"}, meaning{Moderated: true}},
		"a policy, at Azure":       {fault{Code: "ResponsibleAIPolicyViolation"}, meaning{Moderated: true}},
		"a flagged prompt":         {fault{Code: "invalid_prompt"}, meaning{Moderated: true}},
		"too long, OpenAI":         {fault{Code: "context_length_exceeded"}, meaning{TooLong: true}},
		"too long, vLLM":           {fault{Message: "This model's maximum context length is 4096 tokens."}, meaning{TooLong: true}},
		"too long, Anthropic":      {fault{Message: "prompt is too long: 5 tokens > 4 maximum"}, meaning{TooLong: true}},
		"too long with its answer": {fault{Message: "input length and `max_tokens` exceed context limit: 1 + 2 > 2"}, meaning{TooLong: true}},
		"no money, OpenAI":         {fault{Code: "insufficient_quota"}, meaning{NoQuota: true}},
		"no money, Anthropic":      {fault{Type: "billing_error"}, meaning{NoQuota: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := meaning{test.fault.moderated(), test.fault.tooLong(), test.fault.noQuota()}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestErrorTellsItsCause(t *testing.T) {
	t.Parallel()
	failure := &Error{Message: "openai (api.openai.com) answered 500", cause: errTooLarge}
	if failure.Error() != failure.Message || failure.Unwrap() != errTooLarge { //nolint:errorlint // the very cause is meant
		t.Errorf("%v because of %v", failure, failure.Unwrap())
	}
}
