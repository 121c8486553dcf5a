package models_test

import (
	"encoding/json"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/models/faux"
	"github.com/agentrun/agentrun/run"
)

const fauxScript = `
models: [{id: faux-1, max_output: 4000, reasoning: true, efforts: [low, high, max], prices: {input: 1, cache_read: 0.1, cache_write: 1.25, output: 6}}]
usage: {input: 1000, cached: 600, cache_write: 100, output: 50, reasoning: 20}
rules:
  - when: {user: Look.}
    replies:
      - reasoning: I must look first.
        tool_calls: [{name: read, args: {path: a.txt}}, {name: list}, {name: read, args_text: '{"path": '}]
      - text: "It says {{tool_result}}."
  - {when: {user: Refuse.}, reply: {refusal: I will not.}}
  - {when: {user: Cut short.}, reply: {text: The ans, stop: length}}
  - {when: {user: Filter.}, reply: {text: How to, stop: content_filter}}
  - {when: {user: Count nothing.}, reply: {text: Done., no_usage: true}}
  - {when: {user: Typed.}, reply: {output: {total: 42}}}
  - {when: {user: Slow down.}, reply: {status: 429, headers: {Retry-After: "3"}}}
  - {when: {user: Fail.}, reply: {status: 529}}
  - {when: {user: Break.}, reply: {text: A longer answer., chunks: 4, fault: {kind: cut}}}
  - {when: {user: End early.}, reply: {text: A longer answer., chunks: 4, fault: {kind: end}}}
  - {when: {user: Babble.}, reply: {text: A longer answer., chunks: 4, fault: {kind: garbage}}}
  - {when: {user: Stall.}, reply: {text: A longer answer., chunks: 4, fault: {kind: stall}}}
  - {when: {user: Give up.}, reply: {text: A longer answer., chunks: 4, fault: {kind: error}}}
`

// gateway is the scripted gateway behind a loopback server.
func gateway(t *testing.T) (ask func(api, text string) models.Request) {
	t.Helper()
	script, err := faux.Parse([]byte(fauxScript))
	if err != nil {
		t.Fatal(err)
	}
	g, err := faux.New(script, faux.Options{RequireKey: "faux-key"})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	catalogue, err := models.Load(models.LoadOptions{Faux: g.Models(), FauxURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return func(api, text string) models.Request {
		model, _ := catalogue.Default()
		model.API = api
		endpoint, err := catalogue.EndpointOf(model)
		if err != nil {
			t.Fatal(err)
		}
		return models.Request{
			Model: model, BaseURL: endpoint.BaseURL, APIKey: "faux-key", Instructions: "Be brief.", Effort: "high",
			Tools: []models.Tool{
				{Name: "read", Description: "Reads a file.", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
				{Name: "list", Description: "Lists files.", Schema: json.RawMessage(`{"type":"object","properties":{}}`)},
			},
			Messages: []models.Message{{Role: models.RoleUser, Text: text}},
		}
	}
}

var apis = []string{models.APIResponses, models.APIMessages, models.APIChat}

// TestConversationWithTheGateway has the gateway ask for tools, answers them and goes on.
func TestConversationWithTheGateway(t *testing.T) {
	t.Parallel()
	ask := gateway(t)
	client := models.New(models.Options{})
	for _, api := range apis {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			r := ask(api, "Look.")
			first, err := client.Do(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			var args []string
			reply := models.Message{Role: models.RoleAssistant, Text: first.Text, Calls: first.Calls, Native: first.Native, NativeAPI: api}
			r.Messages = append(r.Messages, reply)
			for _, call := range first.Calls {
				args = append(args, string(call.Args))
				r.Messages = append(r.Messages, models.Message{Role: models.RoleTool, CallID: call.ID, Text: "hello"})
			}
			if diff := cmp.Diff([]string{`{"path":"a.txt"}`, `{}`, `"{\"path\": "`}, args); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			want := run.Usage{InputTokens: 1000, CachedInputTokens: 600, CacheWriteTokens: 100, OutputTokens: 50, Requests: 1}
			if api != models.APIMessages { // The gateway's Messages does not count its thinking apart.
				want.ReasoningTokens = 20
			}
			if diff := cmp.Diff(want, first.Usage); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if cost := r.Model.Price.Cost(first.Usage).String(); cost != "0.000785" {
				t.Errorf("cost %s", cost)
			}
			second, err := client.Do(t.Context(), r, nil)
			if err != nil || second.Text != "It says hello." || second.Stop != models.StopEnd {
				t.Errorf("second answer %+v, %v", second, err)
			}
		})
	}
}

func TestAnswersOfTheGateway(t *testing.T) {
	t.Parallel()
	ask := gateway(t)
	client := models.New(models.Options{})
	for text, want := range map[string]models.Answer{
		"Refuse.":        {Stop: models.StopRefusal, Refusal: "I will not."},
		"Cut short.":     {Stop: models.StopLength, Text: "The ans"},
		"Typed.":         {Stop: models.StopEnd, Text: `{"total":42}`},
		"Count nothing.": {Stop: models.StopEnd, Text: "Done.", NoUsage: true},
	} {
		for _, api := range apis {
			t.Run(text+" "+api, func(t *testing.T) {
				t.Parallel()
				r := ask(api, text)
				r.Output = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
				got, err := client.Do(t.Context(), r, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got.Stop != want.Stop || got.Refusal != want.Refusal || got.NoUsage != want.NoUsage || want.Text != "" && got.Text != want.Text {
					t.Errorf("got %+v", got)
				}
			})
		}
	}
}

func TestFailuresOfTheGateway(t *testing.T) {
	t.Parallel()
	ask := gateway(t)
	client := models.New(models.Options{IdleTimeout: time.Second})
	for text, want := range map[string]models.Error{
		"Slow down.": {Code: models.CodeRateLimited, Status: 429, Retryable: true, RetryAfter: 3 * time.Second, Spend: models.SpendUnbilled},
		"Fail.":      {Code: models.CodeOverloaded, Status: 529, Retryable: true, Spend: models.SpendUnbilled},
		"Break.":     {Code: models.CodeConnection, Status: 200, Retryable: true, Spend: models.SpendUnknown},
		"End early.": {Code: models.CodeBadResponse, Status: 200, Retryable: true, Spend: models.SpendUnknown},
		"Babble.":    {Code: models.CodeBadResponse, Status: 200, Retryable: true, Spend: models.SpendUnknown},
		"Stall.":     {Code: models.CodeIdleTimeout, Status: 200, Retryable: true, Spend: models.SpendUnknown},
		"Give up.":   {Code: models.CodeOverloaded, Status: 200, Retryable: true, Spend: models.SpendUnknown},
		"Nobody wrote a rule for this.": {
			Code: models.CodeRejected, Status: 400, Spend: models.SpendUnbilled,
		},
	} {
		for _, api := range apis {
			t.Run(text+" "+api, func(t *testing.T) {
				t.Parallel()
				_, err := client.Do(t.Context(), ask(api, text), nil)
				var got *models.Error
				if !errors.As(err, &got) {
					t.Fatalf("error %v", err)
				}
				found := models.Error{Code: got.Code, Status: got.Status, Retryable: got.Retryable, RetryAfter: got.RetryAfter, Spend: got.Spend}
				if found != want {
					t.Errorf("got %+v, want %+v: %v", found, want, got)
				}
			})
		}
	}
}

// TestFilteredByTheGateway: two protocols say that a filter stopped the answer; Messages calls it a refusal.
func TestFilteredByTheGateway(t *testing.T) {
	t.Parallel()
	ask := gateway(t)
	for _, api := range apis {
		answer, err := models.New(models.Options{}).Do(t.Context(), ask(api, "Filter."), nil)
		var got *models.Error
		if errors.As(err, &got) && got.Code == models.CodeModerated && got.Usage != nil {
			continue
		}
		if api != models.APIMessages || err != nil || answer.Stop != models.StopRefusal {
			t.Errorf("%s: %+v, %v", api, answer, err)
		}
	}
}

// TestWrongKeyAtTheGateway never shows the key it was refused for.
func TestWrongKeyAtTheGateway(t *testing.T) {
	t.Parallel()
	ask := gateway(t)
	for _, api := range apis {
		r := ask(api, "Look.")
		r.APIKey = "wrong-key-123"
		_, err := models.New(models.Options{}).Do(t.Context(), r, nil)
		var got *models.Error
		if !errors.As(err, &got) || got.Code != models.CodeUnauthorized || got.Retryable {
			t.Errorf("%s: %+v", api, err)
		}
	}
}
