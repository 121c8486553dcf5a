package models

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
)

// TestEveryRequestIsJSON draws requests of any texts, orders and figures: each is JSON that says every text in it.
func TestEveryRequestIsJSON(t *testing.T) {
	t.Parallel()
	for api, encode := range encoders {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				request, said := drawRequest(r, api)
				sent := encode(request)
				var body any
				if err := json.Unmarshal(sent, &body); err != nil {
					r.Fatalf("%v: %s", err, sent)
				}
				heard := textsIn(body, nil)
				for _, text := range said {
					if !slices.Contains(heard, text) {
						r.Fatalf("%q is not in %s", text, sent)
					}
				}
				if again := encode(request); string(again) != string(sent) {
					r.Fatalf("the same request is another:\n%s\n%s", sent, again)
				}
			})
		})
	}
}

// drawRequest makes a request and lists the texts that must be in it.
func drawRequest(t *rapid.T, api string) (request Request, said []string) {
	text := func(what string) string {
		s := "x" + rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\"\\\n\t\x00</é😀")))).Draw(t, what)
		said = append(said, s)
		return s
	}
	request = Request{
		Model: run.Model{
			Name: text("model"), API: api,
			MaxOutput:     rapid.Int64Range(0, 200_000).Draw(t, "max output"),
			NoOutputLimit: rapid.Bool().Draw(t, "no limit"),
			Reasoning:     rapid.Bool().Draw(t, "reasoning"),
			Efforts:       rapid.SliceOfDistinct(rapid.SampledFrom(efforts), rapid.ID[string]).Draw(t, "efforts"),
		},
		Effort:    rapid.SampledFrom(append([]string{"", "vast"}, efforts...)).Draw(t, "effort"),
		MaxOutput: rapid.Int64Range(0, 200_000).Draw(t, "asked"),
	}
	if rapid.Bool().Draw(t, "instructed") {
		request.Instructions = text("instructions")
	}
	for range rapid.IntRange(0, 2).Draw(t, "tools") {
		request.Tools = append(request.Tools,
			Tool{Name: text("tool"), Description: text("description"), Schema: json.RawMessage(`{"type":"object","properties":{}}`)})
	}
	for range rapid.IntRange(1, 5).Draw(t, "messages") {
		switch rapid.SampledFrom([]Role{RoleUser, RoleAssistant, RoleTool}).Draw(t, "role") {
		case RoleUser:
			request.Messages = append(request.Messages, Message{Role: RoleUser, Text: text("question")})
		case RoleTool:
			request.Messages = append(request.Messages, Message{
				Role: RoleTool, CallID: text("id"), Text: text("result"), IsError: rapid.Bool().Draw(t, "failed"),
			})
		case RoleAssistant:
			said := Message{Role: RoleAssistant, Text: text("answer")}
			for range rapid.IntRange(0, 2).Draw(t, "calls") {
				said.Calls = append(said.Calls, Call{ID: text("call"), Name: text("name"), Args: rapid.SampledFrom([]json.RawMessage{
					nil, json.RawMessage(`{}`), json.RawMessage(` {"a": [1]}`), json.RawMessage(`"{broken"`), json.RawMessage(`7`), json.RawMessage(`[]`),
				}).Draw(t, "args")})
			}
			request.Messages = append(request.Messages, said)
		}
	}
	return request, said
}

// textsIn are all strings in a JSON value.
func textsIn(value any, texts []string) []string {
	switch value := value.(type) {
	case string:
		return append(texts, value)
	case []any:
		for _, element := range value {
			texts = textsIn(element, texts)
		}
	case map[string]any:
		for _, element := range value {
			texts = textsIn(element, texts)
		}
	}
	return texts
}

// TestBudgetsStayBelowTheCeiling: whatever a gate lowers a ceiling to, thinking leaves room for an answer.
func TestBudgetsStayBelowTheCeiling(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Int64Range(0, 200_000).Draw(t, "ceiling")
		budget := thinkingBudget(rapid.SampledFrom(efforts).Draw(t, "effort"), limit)
		if budget != 0 && (budget < minThinkingBudget || budget >= limit) {
			t.Fatalf("a budget of %d under a ceiling of %d", budget, limit)
		}
	})
}
