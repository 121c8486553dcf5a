package models

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// failed makes one attempt that must fail and gives its error.
func failed(t *testing.T, client *Client, r Request) *Error {
	t.Helper()
	answer, err := client.Do(t.Context(), r, nil)
	var failure *Error
	if !errors.As(err, &failure) {
		t.Fatalf("got answer %+v and error %v, want an *Error", answer, err)
	}
	if strings.Contains(failure.Message, testKey) {
		t.Errorf("the message shows the key: %s", failure.Message)
	}
	if failure.Provider != r.Model.Provider {
		t.Errorf("the error is of provider %q", failure.Provider)
	}
	return failure
}

// ignoreWords compares errors without their messages and causes.
var ignoreWords = cmp.Options{cmpopts.IgnoreFields(Error{}, "Message", "Provider"), cmpopts.IgnoreUnexported(Error{})}

func TestErrorStatuses(t *testing.T) {
	t.Parallel()
	header := func(pairs ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	openAI := func(kind, code, message string) string {
		return `{"error":{"message":"` + message + `","type":"` + kind + `","param":null,"code":"` + code + `"}}`
	}
	anthropic := func(kind, message string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `"},"request_id":"req_1"}`
	}
	for name, test := range map[string]struct {
		status int
		header http.Header
		body   string
		want   Error
		says   string
	}{
		"400 request at fault":        {400, nil, openAI("invalid_request_error", "unknown_parameter", "Unknown parameter: 'x'."), Error{Code: CodeRejected}, "Unknown parameter: 'x'."},
		"400 too long, OpenAI":        {400, nil, openAI("invalid_request_error", "context_length_exceeded", "Too long."), Error{Code: CodeContextLength}, "Too long."},
		"400 too long, Anthropic":     {400, nil, anthropic("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"), Error{Code: CodeContextLength}, "213462"},
		"400 moderated":               {400, nil, openAI("invalid_request_error", "content_policy_violation", "Rejected by the safety system."), Error{Code: CodeModerated}, "safety system"},
		"400 moderated, at a gateway": {400, nil, `{"error":{"code":"content_filter","message":"Filtered.","status":400}}`, Error{Code: CodeModerated}, "Filtered."},
		"401":                         {401, nil, openAI("invalid_request_error", "invalid_api_key", "Incorrect API key provided: "+testKey), Error{Code: CodeUnauthorized}, "provided: [key]"},
		"402":                         {402, nil, anthropic("billing_error", "Your credit balance is too low."), Error{Code: CodeRateLimited}, "credit balance"},
		"403":                         {403, nil, anthropic("permission_error", "Not yours."), Error{Code: CodeUnauthorized}, "Not yours."},
		"404":                         {404, nil, `{"error":{"message":"model \"x\" not found","type":"api_error","param":null,"code":null}}`, Error{Code: CodeRejected}, `model "x" not found`},
		"408":                         {408, nil, "", Error{Code: CodeOverloaded, Retryable: true}, "408 Request Timeout"},
		"409":                         {409, nil, "", Error{Code: CodeOverloaded, Retryable: true}, "409 Conflict"},
		"413":                         {413, nil, anthropic("request_too_large", "Too large."), Error{Code: CodeContextLength}, "Too large."},
		"422 of another server":       {422, nil, `{"detail":[{"loc":["body","tools"],"msg":"field required"}]}`, Error{Code: CodeRejected}, "field required"},
		"429 in seconds":              {429, header("Retry-After", "7"), openAI("requests", "rate_limit_exceeded", "Slow down."), Error{Code: CodeRateLimited, Retryable: true, RetryAfter: 7 * time.Second}, "Slow down."},
		"429 in parts of a second":    {429, header("Retry-After", "0.5"), "", Error{Code: CodeRateLimited, Retryable: true, RetryAfter: 500 * time.Millisecond}, ""},
		"429 in milliseconds":         {429, header("Retry-After-Ms", "1500", "Retry-After", "2"), "", Error{Code: CodeRateLimited, Retryable: true, RetryAfter: 1500 * time.Millisecond}, ""},
		"429 at a past date":          {429, header("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"), "", Error{Code: CodeRateLimited, Retryable: true}, ""},
		"429 for ages":                {429, header("Retry-After", "1e300"), "", Error{Code: CodeRateLimited, Retryable: true, RetryAfter: 24 * time.Hour}, ""},
		"429 for nonsense":            {429, header("Retry-After", "soon"), "", Error{Code: CodeRateLimited, Retryable: true}, ""},
		"429 for less than nothing":   {429, header("Retry-After", "-3"), "", Error{Code: CodeRateLimited, Retryable: true}, ""},
		"429 no quota":                {429, nil, openAI("insufficient_quota", "insufficient_quota", "You exceeded your current quota."), Error{Code: CodeRateLimited}, "quota"},
		"429 not to be repeated":      {429, header("X-Should-Retry", "false"), "", Error{Code: CodeRateLimited}, ""},
		"400 to be repeated":          {400, header("X-Should-Retry", "true"), "", Error{Code: CodeRejected, Retryable: true}, ""},
		"500":                         {500, nil, openAI("server_error", "", "The server had an error."), Error{Code: CodeOverloaded, Retryable: true}, "The server had an error."},
		"502 of a proxy":              {502, nil, "<html><head>\n<title>Bad\tGateway</title></head></html>", Error{Code: CodeOverloaded, Retryable: true}, "<title>Bad Gateway</title>"},
		"503":                         {503, header("Retry-After", "1"), `{"error":"loading model"}`, Error{Code: CodeOverloaded, Retryable: true, RetryAfter: time.Second}, "loading model"},
		"529":                         {529, nil, anthropic("overloaded_error", "Overloaded"), Error{Code: CodeOverloaded, Retryable: true}, "529 Overloaded: Overloaded"},
		"307 goes nowhere else":       {307, header("Location", "http://127.0.0.1:1/elsewhere"), "", Error{Code: CodeRejected}, "307 Temporary Redirect"},
		"a long story":                {400, nil, strings.Repeat("blah ", 40000), Error{Code: CodeRejected}, "blah b…"},
		"bytes that are no text":      {400, nil, "\xff\x00\x1b[31mred", Error{Code: CodeRejected}, "400 Bad Request: [31mred"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, func(w http.ResponseWriter, _ *http.Request) {
				maps.Copy(w.Header(), test.header)
				w.WriteHeader(test.status)
				_, _ = io.WriteString(w, test.body)
			})
			want := test.want
			want.Status, want.Spend = test.status, SpendUnbilled
			for api := range encoders {
				got := failed(t, New(Options{}), p.asking(api))
				if diff := cmp.Diff(&want, got, ignoreWords); diff != "" {
					t.Errorf("%s (-want +got):\n%s", api, diff)
				}
				if !strings.HasPrefix(got.Message, "test (127.0.0.1:") || !strings.Contains(got.Message, test.says) {
					t.Errorf("%s: message %q does not say %q", api, got.Message, test.says)
				}
				if len([]rune(got.Message)) > maxErrorText+100 {
					t.Errorf("%s: a message of %d bytes", api, len(got.Message))
				}
			}
		})
	}
}

func TestRetryAtADate(t *testing.T) {
	t.Parallel()
	at := time.Now().Add(time.Hour)
	wait := retryAfter(http.Header{"Retry-After": {at.UTC().Format(http.TimeFormat)}})
	if wait < 59*time.Minute || wait > time.Hour {
		t.Errorf("wait %s, want about an hour", wait)
	}
}

func TestFaultsInsideAStream(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		api, stream string
		want        Error
		says        string
	}{
		"responses: failed": {
			APIResponses, `{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"The model failed."},"usage":null}}`,
			Error{Code: CodeOverloaded, Retryable: true, Spend: SpendUnknown},
			"The model failed.",
		},
		"responses: failed without a word": {
			APIResponses, `{"type":"response.failed","response":{"status":"failed"}}`,
			Error{Code: CodeOverloaded, Retryable: true, Spend: SpendUnknown},
			"it gave no reason",
		},
		"responses: the prompt was flagged": {
			APIResponses, `{"type":"response.failed","response":{"status":"failed","error":{"code":"invalid_prompt","message":"Flagged."}}}`,
			Error{Code: CodeModerated, Spend: SpendUnknown},
			"Flagged.",
		},
		"responses: an error by itself": {
			APIResponses, `{"type":"error","code":"rate_limit_exceeded","message":"Slow down.","param":null,"sequence_number":3}`,
			Error{Code: CodeRateLimited, Retryable: true, Spend: SpendUnknown},
			"Slow down.",
		},
		"responses: an error inside": {
			APIResponses, `{"type":"error","error":{"type":"invalid_request_error","code":"context_length_exceeded","message":"Too long."}}`,
			Error{Code: CodeContextLength, Spend: SpendUnknown},
			"Too long.",
		},
		"messages: overloaded": {
			APIMessages, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			Error{Code: CodeOverloaded, Retryable: true, Spend: SpendUnknown},
			"Overloaded",
		},
		"messages: request at fault": {
			APIMessages, `{"type":"error","error":{"type":"invalid_request_error","message":"Bad."}}`,
			Error{Code: CodeRejected, Spend: SpendUnknown},
			"Bad.",
		},
		"chat: an error as an object": {
			APIChat, `{"error":{"message":"CUDA out of memory","code":500}}`,
			Error{Code: CodeOverloaded, Retryable: true, Spend: SpendUnknown},
			"CUDA out of memory",
		},
		"chat: an error as a text": {
			APIChat, `{"error":"CUDA out of memory"}`,
			Error{Code: CodeOverloaded, Retryable: true, Spend: SpendUnknown},
			"CUDA out of memory",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(sse(t, test.stream)))
			got := failed(t, New(Options{}), p.asking(test.api))
			want := test.want
			want.Status = http.StatusOK
			if diff := cmp.Diff(&want, got, ignoreWords); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(got.Message, test.says) {
				t.Errorf("message %q does not say %q", got.Message, test.says)
			}
		})
	}
}

// TestModeratedAnswerHasUsage: the provider withholds the answer but says what it used.
func TestModeratedAnswerHasUsage(t *testing.T) {
	t.Parallel()
	for api, stream := range map[string]string{
		APIResponses: sse(t, `{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[],"usage":{"input_tokens":10,"output_tokens":5}}}`),
		APIChat: sse(t,
			`{"choices":[{"index":0,"delta":{"content":"How to"},"finish_reason":"content_filter"}]}`,
			`{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}`),
	} {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(stream))
			got := failed(t, New(Options{}), p.asking(api))
			if got.Code != CodeModerated || got.Retryable || got.Spend != SpendUnknown {
				t.Errorf("got %+v", got)
			}
			if got.Usage == nil || got.Usage.InputTokens != 10 || got.Usage.OutputTokens != 5 {
				t.Errorf("usage %+v", got.Usage)
			}
		})
	}
}
