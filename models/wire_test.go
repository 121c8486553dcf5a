package models

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// wired is a request that a program wrote, to the provider.
func (p *provider) wired(api string) Request {
	r := p.asking(api)
	r.Wire = &Wire{
		Body: func(ceiling int64) ([]byte, error) {
			return fmt.Appendf(nil, `{"model":"model-1","stream":true,"limit":%d}`, ceiling), nil
		},
		Size: 60, Digest: "digest-1", Tools: 2,
	}
	return r
}

func TestWireIsSentAsItIsWritten(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		api, path, query string
		asked            int64
		unlimited        bool
		want             string
	}{
		"messages": {
			api: APIMessages, path: "/v1/messages", query: "beta=true", want: `{"model":"model-1","stream":true,"limit":4000}`,
		},
		"responses": {
			api: APIResponses, path: "/v1/responses", want: `{"model":"model-1","stream":true,"limit":4000}`,
		},
		"a lowered ceiling": {
			api: APIResponses, path: "/v1/responses", asked: 512, want: `{"model":"model-1","stream":true,"limit":512}`,
		},
		"a model that takes no limit": {
			api: APIResponses, path: "/v1/responses", asked: 512, unlimited: true,
			want: `{"model":"model-1","stream":true,"limit":0}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(streamsOf(t)[test.api]))
			r := p.wired(test.api)
			r.MaxOutput, r.Model.NoOutputLimit = test.asked, test.unlimited
			answer, err := New(Options{}).Do(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if answer.Text != "The answer is 42." {
				t.Errorf("answer %q", answer.Text)
			}
			sent := <-p.requests
			if string(sent.body) != test.want {
				t.Errorf("body %s, want %s", sent.body, test.want)
			}
			if sent.path != test.path || sent.query != test.query {
				t.Errorf("sent to %s?%s", sent.path, sent.query)
			}
		})
	}
}

// TestWireHeaders sends what a real program sends, and what a careless one might.
func TestWireHeaders(t *testing.T) {
	t.Parallel()
	program := http.Header{
		"Anthropic-Beta":          {"interleaved-thinking-2025-05-14,context-management-2025-06-27", "effort-2025-11-24"},
		"Anthropic-Version":       {"2023-06-01"},
		"X-App":                   {"cli"},
		"x-claude-code-sessionid": {"session-1"},
		"X-Stainless-Runtime":     {"node"},
		"Openai-Beta":             {"responses=experimental"},
		"X-Codex-Window-Id":       {"window-1"},
		"Session-Id":              {"session-1"},

		"Accept":              {"application/json"},
		"Accept-Encoding":     {"gzip, deflate, br, zstd"},
		"Accept-Language":     {"*"},
		"Authorization":       {"Bearer session-token"},
		"X-Api-Key":           {"session-token"},
		"Cookie":              {"a=b"},
		"Connection":          {"keep-alive, X-Hop"},
		"X-Hop":               {"1"},
		"Keep-Alive":          {"timeout=5"},
		"Proxy-Authorization": {"Basic c2VjcmV0"},
		"Te":                  {"trailers"},
		"Transfer-Encoding":   {"chunked"},
		"Upgrade":             {"h2c"},
		"Expect":              {"100-continue"},
		"Content-Length":      {"7"},
		"Content-Encoding":    {"zstd"},
		"Content-Type":        {"text/plain"},
		"Host":                {"127.0.0.1:1"},
		"User-Agent":          {"program/1.0"},
	}
	passed := map[string][]string{
		"Anthropic-Beta":          program["Anthropic-Beta"],
		"Anthropic-Version":       {"2023-06-01"},
		"X-App":                   {"cli"},
		"X-Claude-Code-Sessionid": {"session-1"},
		"X-Stainless-Runtime":     {"node"},
		"Openai-Beta":             {"responses=experimental"},
		"X-Codex-Window-Id":       {"window-1"},
		"Session-Id":              {"session-1"},
		"Accept":                  {"text/event-stream"},
		"Content-Type":            {"application/json"},
		"Content-Length":          {"46"},
	}
	keys := map[string]map[string][]string{
		APIMessages:  {"X-Api-Key": {testKey}},
		APIResponses: {"Authorization": {"Bearer " + testKey}},
	}
	for api, key := range keys {
		for _, keyed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, a key: %v", api, keyed), func(t *testing.T) {
				t.Parallel()
				p := newProvider(t, streaming(streamsOf(t)[api]))
				r := p.wired(api)
				r.Wire.Header = program
				want := map[string][]string{
					"X-Api-Key": nil, "Authorization": nil, "Accept-Encoding": nil, "Accept-Language": nil, "Cookie": nil,
					"Connection": nil, "X-Hop": nil, "Keep-Alive": nil, "Proxy-Authorization": nil, "Te": nil,
					"Transfer-Encoding": nil, "Upgrade": nil, "Expect": nil, "Content-Encoding": nil,
				}
				for name, values := range passed {
					want[name] = values
				}
				if keyed {
					for name, values := range key {
						want[name] = values
					}
				} else {
					r.APIKey = ""
				}
				before := program.Clone()
				if _, err := New(Options{}).Do(t.Context(), r, nil); err != nil {
					t.Fatal(err)
				}
				sent := (<-p.requests).header
				got := map[string][]string{}
				for name := range want {
					got[name] = sent[name]
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("headers (-want +got):\n%s", diff)
				}
				if agent := sent.Get("User-Agent"); strings.Contains(agent, "program") {
					t.Errorf("the program's own name was sent: %s", agent)
				}
				if diff := cmp.Diff(before, program); diff != "" {
					t.Errorf("the program's headers were changed:\n%s", diff)
				}
			})
		}
	}
}

func TestWireThatCannotBeSent(t *testing.T) {
	t.Parallel()
	torn := errors.New("the file with the request is torn")
	for name, test := range map[string]struct {
		api  string
		fail error
		want string
	}{
		"to a chat model":     {api: APIChat, want: `a program's own request cannot be sent to model test/model-1, which speaks "chat"`},
		"to a judge":          {api: APIJev, want: `a program's own request cannot be sent to model test/model-1, which speaks "jev"`},
		"of a body with none": {api: APIMessages, fail: torn, want: "the request to model test/model-1 cannot be written: " + torn.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, streaming(""))
			r := p.wired(test.api)
			if test.fail != nil {
				r.Wire.Body = func(int64) ([]byte, error) { return nil, test.fail }
			}
			_, err := New(Options{}).Do(t.Context(), r, nil)
			var failure *Error
			if !errors.As(err, &failure) {
				t.Fatalf("error %v", err)
			}
			if failure.Message != test.want || failure.Code != CodeUnsupported || failure.Spend != SpendUnsent || failure.Retryable {
				t.Errorf("%+v", failure)
			}
			if test.fail != nil && !errors.Is(err, torn) {
				t.Error("the reason is lost")
			}
			if len(p.requests) > 0 {
				t.Error("something was sent")
			}
		})
	}
}

func TestWireDigest(t *testing.T) {
	t.Parallel()
	r := conversation(APIMessages)
	r.Wire = &Wire{Digest: "digest-1"}
	if got := Digest(r); got != "digest-1" {
		t.Errorf("digest %q", got)
	}
}

// TestWireBoundHoldsForRecordedRequests writes the recorded requests and bounds them by nothing but their size.
func TestWireBoundHoldsForRecordedRequests(t *testing.T) {
	t.Parallel()
	for _, recorded := range recordings(t) {
		encode := encoders[recorded.API]
		r := recorded.request()
		r.Wire = &Wire{Size: int64(len(encode(r))), Tools: len(r.Tools)}
		if bound := InputBound(r); 10*recorded.InputTokens > 6*bound {
			t.Errorf("%s counted %d tokens; the bound is only %d", recorded.Model, recorded.InputTokens, bound)
		}
	}
}

func TestWireBound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		model run.Model
		wire  Wire
		want  int64
	}{
		"nothing":                    {run.Model{API: APIResponses}, Wire{}, requestTokens + outputPrompt},
		"its size":                   {run.Model{API: APIResponses}, Wire{Size: 1000}, requestTokens + outputPrompt + 1500},
		"tools":                      {run.Model{API: APIResponses}, Wire{Tools: 3}, requestTokens + outputPrompt + toolPrompt + 3*toolTokens},
		"tools of Messages":          {run.Model{API: APIMessages}, Wire{Tools: 1}, requestTokens + outputPrompt + claudeToolPrompt + toolTokens},
		"Claude at another endpoint": {run.Model{API: APIResponses, Name: "Claude-9"}, Wire{Tools: 1}, requestTokens + outputPrompt + claudeToolPrompt + toolTokens},
	} {
		r := Request{Model: test.model, Wire: &test.wire}
		if got := InputBound(r); got != test.want {
			t.Errorf("%s: bound %d, want %d", name, got, test.want)
		}
	}
}
