package faux

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"
)

// patience is how long a test waits for something that should happen at once.
const patience = 20 * time.Second

// testServer is a gateway on a port of its own.
type testServer struct {
	*Gateway
	url string
}

// setup serves a script written as YAML.
func setup(t *testing.T, script string, options Options) *testServer {
	t.Helper()
	parsed, err := Parse([]byte(script))
	if err != nil {
		t.Fatalf("parse the script: %v", err)
	}
	return setupScript(t, parsed, options)
}

func setupScript(t *testing.T, script Script, options Options) *testServer {
	t.Helper()
	gateway, err := New(script, options)
	if err != nil {
		t.Fatalf("make the gateway: %v", err)
	}
	server := httptest.NewServer(gateway)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := gateway.Close(); err != nil {
			t.Errorf("close the gateway: %v", err)
		}
	})
	return &testServer{Gateway: gateway, url: server.URL}
}

// openAI is the official client of the Responses and Chat Completions APIs; it never retries.
func (s *testServer) openAI() openai.Client {
	return openai.NewClient(
		openaioption.WithBaseURL(s.url+"/v1"), openaioption.WithAPIKey("any"), openaioption.WithMaxRetries(0))
}

// anthropic is the official client of the Messages API; it never retries.
func (s *testServer) anthropic() anthropic.Client {
	return anthropic.NewClient(
		anthropicoption.WithBaseURL(s.url), anthropicoption.WithAPIKey("any"), anthropicoption.WithMaxRetries(0))
}

// post sends a body as it is and reads the whole answer.
func (s *testServer) post(t *testing.T, path, body string) (status int, answer string) {
	t.Helper()
	response, err := http.Post(s.url+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatalf("post to %s: %v", path, err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read the answer of %s: %v", path, err)
	}
	return response.StatusCode, string(data)
}

// ask sends one user message as a Responses request and returns the text of the answer.
func (s *testServer) ask(t *testing.T, text string) string {
	t.Helper()
	return s.askBody(t, `{"model":"m","input":`+string(appendString(nil, text))+`}`)
}

// askBody sends the body of a Responses request and returns the text of the answer, or the code of the error.
func (s *testServer) askBody(t *testing.T, body string) string {
	t.Helper()
	_, answer := s.post(t, "/v1/responses", body)
	var read struct {
		Error  *ErrorBody   `json:"error"`
		Output []outputItem `json:"output"`
	}
	if err := json.Unmarshal([]byte(answer), &read); err != nil {
		t.Fatalf("the answer %q: %v", answer, err)
	}
	if read.Error != nil {
		return read.Error.Code
	}
	var text strings.Builder
	for _, item := range read.Output {
		text.WriteString(item.Name)
		for _, part := range item.Content {
			text.WriteString(part.Text + part.Refusal)
		}
	}
	return text.String()
}

// outputItem is what the tests look at in an item of a Responses answer.
type outputItem struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	CallID    string `json:"call_id"`
	Content   []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

// await waits until the records fulfil a condition.
func (s *testServer) await(t *testing.T, enough func([]Record) bool) []Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	records, err := s.Wait(ctx, enough)
	if err != nil {
		t.Fatalf("the records stay %+v: %v", records, err)
	}
	return records
}

// ended is the condition that n requests have ended, whatever the outcome.
func ended(n int) func([]Record) bool {
	return func(records []Record) bool {
		done := 0
		for _, record := range records {
			if record.Outcome != Open {
				done++
			}
		}
		return done >= n
	}
}

// outcomes are the outcomes of records, in order.
func outcomes(records []Record) []Outcome {
	found := make([]Outcome, 0, len(records))
	for _, record := range records {
		found = append(found, record.Outcome)
	}
	return found
}

// fixedClock are options with a clock that stands still, so that answers are the same each time.
func fixedClock(t *testing.T) Options {
	t.Helper()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return Options{Now: func() time.Time { return at }}
}
