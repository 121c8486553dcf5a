package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// seen is what a server was sent.
type seen struct {
	Method, Path, Query, Body string
	Header                    http.Header
}

// serve starts a server of one handler and a client of it that never really waits. Requests are recorded in order.
func serve(t *testing.T, handler http.HandlerFunc) (*Client, *[]seen) {
	t.Helper()
	var requests []seen
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read the request: %v", err)
		}
		requests = append(requests, seen{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header.Clone()})
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return connect(t, server.URL), &requests
}

// connect makes a client whose waits pass at once.
func connect(t *testing.T, address string) *Client {
	t.Helper()
	c, err := New(Options{BaseURL: address, Token: "ar_local_test"})
	if err != nil {
		t.Fatal(err)
	}
	c.wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return c
}

// answer writes a JSON answer.
func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func TestNewRefusesAnAddressThatIsNone(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "localhost:8080", "ftp://host", "http://", "http://host?x=1", "http://host#top", "http://bad host", "://",
	} {
		if _, err := New(Options{BaseURL: address}); err == nil {
			t.Errorf("New(%q): no error", address)
		}
	}
}

func TestEveryCallCarriesTheTokenAndThePrefix(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"status":"ok"}`) })
	prefixed := connect(t, c.base+"/proxied/")
	if _, err := prefixed.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := (*requests)[0]
	if got.Path != "/proxied/v2/health" {
		t.Errorf("path %s", got.Path)
	}
	if auth := got.Header.Get("Authorization"); auth != "Bearer ar_local_test" {
		t.Errorf("authorization %q", auth)
	}
}

func TestATokenIsNotSentWhenThereIsNone(t *testing.T) {
	t.Parallel()
	c, requests := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"status":"ok"}`) })
	c.token = ""
	if _, err := c.Health(t.Context()); err != nil {
		t.Fatal(err)
	}
	if auth, ok := (*requests)[0].Header["Authorization"]; ok {
		t.Errorf("authorization %q", auth)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, `{"status":"ok","checks":{"store":"ok","engine":"ok"}}`)
	})
	got, err := c.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := Health{Status: "ok", Checks: map[string]string{"store": "ok", "engine": "ok"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCapabilitiesAreGivenAsTheyCame(t *testing.T) {
	t.Parallel()
	const document = `{"version":"1","features":{"later":true}}`
	c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, document) })
	got, err := c.Capabilities(t.Context())
	if err != nil || string(got) != document {
		t.Errorf("%s, %v", got, err)
	}
}

func TestAnAnswerThatIsNoJSONNamesTheCall(t *testing.T) {
	t.Parallel()
	c, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `<html>`) })
	_, err := c.Health(t.Context())
	if err == nil || !strings.Contains(err.Error(), "GET /health") {
		t.Errorf("error %v", err)
	}
}

// decodeBody reads a recorded request's body.
func decodeBody(t *testing.T, s seen) map[string]any {
	t.Helper()
	var out map[string]any
	if err := json.Unmarshal([]byte(s.Body), &out); err != nil {
		t.Fatalf("body %q: %v", s.Body, err)
	}
	return out
}
