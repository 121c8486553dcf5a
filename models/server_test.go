package models

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/run"
)

const testKey = "sk-test-0123456789"

// provider is a loopback server that plays a provider: it answers every request with serve and keeps the bodies.
type provider struct {
	*httptest.Server
	requests chan seen
}

// seen is a request as the provider got it.
type seen struct {
	path   string
	query  string
	header http.Header
	body   []byte
}

func newProvider(tb testing.TB, serve http.HandlerFunc) *provider {
	tb.Helper()
	p := &provider{requests: make(chan seen, 100)}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		select {
		case p.requests <- seen{path: r.URL.Path, query: r.URL.RawQuery, header: r.Header, body: body}:
		default:
		}
		serve(w, r)
	}))
	tb.Cleanup(p.Close)
	return p
}

// streaming answers with an event stream of exactly these bytes.
func streaming(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		_, _ = io.WriteString(w, text)
	}
}

// sse writes events the way providers do: each JSON under its own type as the event's name.
func sse(tb testing.TB, events ...string) string {
	tb.Helper()
	var b strings.Builder
	for _, data := range events {
		var named struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(data), &named); err != nil {
			tb.Fatalf("event %s: %v", data, err)
		}
		if named.Type != "" {
			b.WriteString("event: " + named.Type + "\n")
		}
		b.WriteString("data: " + strings.ReplaceAll(data, "\n", "\ndata: ") + "\n\n")
	}
	return b.String()
}

// asking is a small request to the provider.
func (p *provider) asking(api string) Request {
	return Request{
		Model:        run.Model{ID: "test/model-1", Name: "model-1", Provider: "test", API: api, MaxOutput: 4000},
		BaseURL:      p.URL + "/v1",
		APIKey:       testKey,
		Instructions: "Be brief.",
		Messages:     []Message{{Role: RoleUser, Text: "What is six times seven?"}},
	}
}

// got is the body of the next request the provider got, decoded.
func (p *provider) got(tb testing.TB) map[string]any {
	tb.Helper()
	return decoded(tb, (<-p.requests).body)
}

func decoded(tb testing.TB, data []byte) map[string]any {
	tb.Helper()
	var body map[string]any
	if err := json.Unmarshal(data, &body); err != nil {
		tb.Fatalf("the request's body is not JSON: %v\n%s", err, data)
	}
	return body
}

// object reads expected JSON.
func object(tb testing.TB, text string) map[string]any {
	tb.Helper()
	return decoded(tb, []byte(text))
}
