package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// jev is a loopback double of TypeSafe's judge: it answers every yes/no question with one probability.
func jev(t *testing.T, key string, probability float64) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request struct {
			Model     string                     `json:"model"`
			State     json.RawMessage            `json:"state"`
			Questions map[string]json.RawMessage `json:"questions"`
		}
		if r.URL.Path != "/v1/systemone" || r.Header.Get("Authorization") != "Bearer "+key ||
			json.Unmarshal(body, &request) != nil || request.Model != "jev-latest" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		asked.Add(1)
		answers := map[string]any{}
		for id := range request.Questions {
			answers[id] = map[string]any{"type": "noul", "noul": probability}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"model": "jev-1.13.0", "answers": answers, "usage": map[string]int{"input_tokens": 300, "output_tokens": 30},
		})
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// TestJevJudgesWhereItsKeyIsSet: a judgment goes to the judge and not to the model, is paid like a request, and its key
// is nowhere to be read.
func TestJevJudgesWhereItsKeyIsSet(t *testing.T) {
	t.Parallel()
	const key = "ts-key-0123456789abcdef"
	url, asked := jev(t, key, 0.91)
	g := newGateway(t, `
models: [{id: faux-1, max_output: 1000, context_window: 200000}]
rules: [{reply: {text: The model must not be asked.}}]
`)
	s := start(t, setup{env: append(g.env(), "TYPESAFE_API_KEY="+key, "TYPESAFE_BASE_URL="+url)})
	s.workflow("gate", []byte(`{"v":2,"name":"gate","schemas":{
		"In":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},
		"Q":{"type":"object","properties":{"fine":{"type":"boolean","description":"Is the text fine?"}}}},
		"input":{"schemaId":"In"},"output":{"schemaId":"Q","path":"verdict"},
		"root":{"node":"judge","label":"gate","state":{"text":"{text}"},"out":"Q","as":"verdict"}}`))
	r := s.completes(s.give("gate", []byte(`{"text":"hello"}`), nil))
	if string(r.Result.Output) != `{"fine":true}` || asked.Load() != 1 || len(g.Requests()) != 0 {
		t.Errorf("output %s; the judge was asked %d times, the model %d", r.Result.Output, asked.Load(), len(g.Requests()))
	}
	answered := s.rows(r.ID, run.RowJudgeAnswered)
	if len(answered) != 1 {
		t.Fatalf("judge rows: %v", answered)
	}
	if detail, _ := answered[0]["detail"].(map[string]any); detail["source"] != "jev" || detail["model"] != "typesafe/jev-latest" {
		t.Errorf("the row says %v", detail)
	}
	if r.Usage.InputTokens != 300 || r.Cost.USD != nil {
		t.Errorf("usage %+v, cost %+v: its price is not known", r.Usage, r.Cost)
	}
	if log := s.log.String(); strings.Contains(log, key) {
		t.Error("the key is in the log")
	}
}
