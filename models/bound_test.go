package models

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
)

// recorded is a request that a provider answered and what it counted. The file was read out of the recorded traffic of
// a public test suite: the shortest request of each kind that came nearest to its bound, among 387 to 40 models.
type recorded struct {
	Model       string `json:"model"`
	API         string `json:"api"`
	InputTokens int64  `json:"input_tokens"`
	Request     struct {
		Instructions string          `json:"instructions"`
		Output       json.RawMessage `json:"output"`
		Tools        []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"schema"`
		} `json:"tools"`
		Messages []struct {
			Role   Role   `json:"role"`
			Text   string `json:"text"`
			CallID string `json:"call_id"`
			Calls  []struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args"`
			} `json:"calls"`
		} `json:"messages"`
	} `json:"request"`
}

func (r recorded) request() Request {
	request := Request{
		Model:        run.Model{Name: r.Model, API: r.API},
		Instructions: r.Request.Instructions, Output: r.Request.Output,
	}
	for _, tool := range r.Request.Tools {
		request.Tools = append(request.Tools, Tool(tool))
	}
	for _, m := range r.Request.Messages {
		message := Message{Role: m.Role, Text: m.Text, CallID: m.CallID}
		for _, call := range m.Calls {
			message.Calls = append(message.Calls, Call(call))
		}
		request.Messages = append(request.Messages, message)
	}
	return request
}

func recordings(t *testing.T) []recorded {
	t.Helper()
	data, err := os.ReadFile("testdata/usage.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []recorded
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestInputBoundHoldsForRecordedRequests(t *testing.T) {
	t.Parallel()
	for _, r := range recordings(t) {
		bound := InputBound(r.request())
		if 10*r.InputTokens > 6*bound {
			t.Errorf("%s counted %d tokens of %q; the bound is only %d", r.Model, r.InputTokens, r.Request.Messages[0].Text, bound)
		}
	}
}

// TestInputBoundCountsEveryByte: whatever is added to a request, the bound grows by at least its bytes.
func TestInputBoundCountsEveryByte(t *testing.T) {
	t.Parallel()
	for api := range encoders {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.StringN(1, 200, -1).Draw(t, "text")
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			for name, add := range map[string]func(*Request){
				"instructions": func(r *Request) { r.Instructions += text },
				"message":      func(r *Request) { r.Messages = append(r.Messages, Message{Role: RoleUser, Text: text}) },
				"tool":         func(r *Request) { r.Tools = append(r.Tools, Tool{Name: "x", Description: text}) },
				"schema":       func(r *Request) { r.Tools = append(r.Tools, Tool{Name: "x", Schema: quoted}) },
				"output":       func(r *Request) { r.Output = quoted },
				"call":         func(r *Request) { r.Messages = append(r.Messages, Message{Calls: []Call{{Args: quoted}}}) },
				"native":       func(r *Request) { r.Messages = append(r.Messages, Message{NativeAPI: api, Native: quoted}) },
			} {
				r := conversation(api)
				before := InputBound(r)
				add(&r)
				if grown := InputBound(r) - before; grown < int64(len(text)) {
					t.Fatalf("%s, %s: %d bytes more, and the bound grew by %d", api, name, len(text), grown)
				}
			}
		})
	}
}

// TestInputBoundOfReasoning: what the provider counted counts, not the size of what it encrypted.
func TestInputBoundOfReasoning(t *testing.T) {
	t.Parallel()
	native := json.RawMessage(`[{"type":"reasoning","encrypted_content":"` + strings.Repeat("A", 9000) + `"}]`)
	bound := func(api string, reasoning int64) int64 {
		r := Request{Model: run.Model{API: APIResponses}}
		r.Messages = []Message{{Role: RoleAssistant, Text: "42", Native: native, NativeAPI: api, ReasoningTokens: reasoning}}
		return InputBound(r)
	}
	plain := bound(APIMessages, 0)
	for name, test := range map[string]struct{ got, low, high int64 }{
		"of another protocol": {plain, 100, 200},
		"counted":             {bound(APIResponses, 1000), plain + 1000, plain + 1100},
		"not counted":         {bound(APIResponses, 0), 9000, 9300},
	} {
		if test.got < test.low || test.got > test.high {
			t.Errorf("%s: bound %d, want between %d and %d", name, test.got, test.low, test.high)
		}
	}
}
