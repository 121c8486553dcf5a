package models

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJudgeStatuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		wait   string
		body   string
		want   Error
		says   string
	}{
		"401":                       {401, "", `{"detail":"Invalid API key ` + testKey + `"}`, Error{Code: CodeUnauthorized}, "Invalid API key [key]"},
		"403":                       {403, "", `{"detail":"Not yours."}`, Error{Code: CodeUnauthorized}, "Not yours."},
		"408":                       {408, "", ``, Error{Code: CodeOverloaded, Retryable: true}, "408 Request Timeout"},
		"413":                       {413, "", ``, Error{Code: CodeContextLength}, "413"},
		"422, a fault":              {422, "", `{"detail":[{"loc":["body","questions"],"msg":"field required"}]}`, Error{Code: CodeRejected}, "field required"},
		"422, too many tokens":      {422, "", `{"detail":{"code":"max_tokens_exceeded","message":"Too long."}}`, Error{Code: CodeContextLength}, "Too long."},
		"429, too many tokens":      {429, "3", `{"detail":{"code":"max_tokens_exceeded"}}`, Error{Code: CodeContextLength, RetryAfter: 3 * time.Second}, "max_tokens_exceeded"},
		"503, too many, in a word":  {503, "", `{"detail":"max_tokens_exceeded"}`, Error{Code: CodeContextLength}, "max_tokens_exceeded"},
		"400, too many, in a error": {400, "", `{"error":{"type":"max_tokens_exceeded","message":"Too long."}}`, Error{Code: CodeContextLength}, "Too long."},
		"429 with a wait":           {429, "7", `{"detail":"Slow down."}`, Error{Code: CodeRateLimited, Retryable: true, RetryAfter: 7 * time.Second}, "Slow down."},
		"500":                       {500, "", `Internal Server Error`, Error{Code: CodeOverloaded, Retryable: true}, "Internal Server Error"},
		"529":                       {529, "1", `{"detail":{"message":"Busy."}}`, Error{Code: CodeOverloaded, Retryable: true, RetryAfter: time.Second}, "Busy."},
		"a redirect":                {302, "", ``, Error{Code: CodeRejected}, "302 Found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
				if test.wait != "" {
					w.Header().Set("Retry-After", test.wait)
				}
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			got := failed(t, New(Options{}), judging(p.URL))
			test.want.Status, test.want.Spend = test.status, SpendUnbilled
			if diff := cmp.Diff(&test.want, got, ignoreWords); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(got.Message, test.says) {
				t.Errorf("message %q does not say %q", got.Message, test.says)
			}
			if len(p.requests) != 1 {
				t.Errorf("%d requests", len(p.requests))
			}
		})
	}
}

func TestJudgeGarbage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, says string }{
		"nothing":               {"", "not what the protocol says"},
		"a page":                {"<html>Sign in</html>", "not what the protocol says"},
		"a list":                {`[]`, "not what the protocol says"},
		"two values":            {judgeAnswer + `{}`, "not what the protocol says"},
		"cut":                   {judgeAnswer[:60], "not what the protocol says"},
		"no answers":            {`{"model":"jev"}`, "it has no answers"},
		"answers of null":       {`{"answers":null}`, "it has no answers"},
		"answers in a list":     {`{"answers":[]}`, "it has no answers"},
		"an error instead":      {`{"error":{"message":"Oops"}}`, "it has no answers"},
		"a usage of words":      {`{"answers":{},"usage":"much"}`, "not what the protocol says"},
		"not UTF-8":             {"{\"answers\":{\"a\":\"\xff\"}}", "not UTF-8"},
		"larger than is taken":  {judgeBody(t, `{"a":"`+strings.Repeat("x", 20_000)+`"}`), errTooLarge.Error()},
		"blank lines forever":   {strings.Repeat("\n\n", 6_000) + judgeAnswer, errTooLarge.Error()},
		"the key, said back to": {`{"answers":"` + testKey + `"}`, "it has no answers"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, answering(test.body))
			got := failed(t, New(Options{MaxAnswer: 10_000}), judging(p.URL))
			want := &Error{Code: CodeBadResponse, Status: 200, Retryable: true, Spend: SpendUnknown}
			if diff := cmp.Diff(want, got, ignoreWords); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(got.Message, test.says) || strings.Contains(got.Message, "not JSON") {
				t.Errorf("message %q does not say %q", got.Message, test.says)
			}
		})
	}
	p := newProvider(t, streaming("data: {}\n\n"))
	if got := failed(t, New(Options{}), judging(p.URL)); !strings.Contains(got.Message, `"text/event-stream; charset=utf-8", not JSON`) {
		t.Errorf("a stream: %s", got.Message)
	}
}
