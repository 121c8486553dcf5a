package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/agentrun/agentrun/run"
)

// NewRun is what to ask of an agent.
type NewRun struct {
	Content string
	Files   []File
	// Object is the input of a workflow agent, a JSON object; Content is then not sent.
	Object json.RawMessage
	// Effort, MaxCostUSD, Revision, Session and Labels override the definition's (zero: as it says).
	Effort     string
	MaxCostUSD *run.USD
	Revision   int64
	Session    string
	Labels     map[string]string
	// IdempotencyKey makes the call safe to repeat: the same key gives the first answer again. "" sends none, and the
	// call is then never retried.
	IdempotencyKey string
}

// File is a file for a run; the run finds it under inputs/ at its path.
type File struct {
	Path    string
	Content []byte
}

type newRunBody struct {
	Input      any               `json:"input"`
	Effort     string            `json:"effort,omitempty"`
	MaxCostUSD *run.USD          `json:"max_cost_usd,omitempty"`
	Revision   int64             `json:"revision,omitempty"`
	Session    string            `json:"session,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
}

type newRunInput struct {
	Content string       `json:"content"`
	Files   []newRunFile `json:"files,omitempty"`
}

type newRunFile struct {
	Path string `json:"path"`
	// Content is encoded as base64 by the JSON encoder.
	Content []byte `json:"content_base64"`
}

// CreateRun starts a run of an agent.
func (c *Client) CreateRun(ctx context.Context, agent string, ask NewRun) (run.Run, error) {
	body := newRunBody{
		Effort: ask.Effort, MaxCostUSD: ask.MaxCostUSD, Revision: ask.Revision, Session: ask.Session, Labels: ask.Labels,
	}
	if body.Input = ask.Object; ask.Object == nil {
		input := newRunInput{Content: ask.Content}
		for _, file := range ask.Files {
			input.Files = append(input.Files, newRunFile(file))
		}
		body.Input = input
	}
	var out run.Run
	err := c.call(ctx, keyed(request{
		method: http.MethodPost, path: "/agents/" + url.PathEscape(agent) + "/runs", body: body,
	}, ask.IdempotencyKey), &out)
	return out, err
}

// keyed makes a creating request safe to repeat.
func keyed(req request, key string) request {
	if key != "" {
		req.header = http.Header{"Idempotency-Key": {key}}
		req.safe = true
	}
	return req
}

// Run gives a run as it is now.
func (c *Client) Run(ctx context.Context, id string) (run.Run, error) {
	var out run.Run
	err := c.call(ctx, request{method: http.MethodGet, path: runPath(id), safe: true}, &out)
	return out, err
}

// RunFilter narrows a list of runs; zero fields do not.
type RunFilter struct {
	Agent    string
	Status   []run.Status
	Labels   map[string]string
	From, To time.Time
	Archived bool
	// Live gives only runs that have not ended.
	Live bool
}

// Runs gives a page of runs.
func (c *Client) Runs(ctx context.Context, filter RunFilter, page Page) (List[run.Run], error) {
	var out List[run.Run]
	err := c.call(ctx, request{method: http.MethodGet, path: "/runs", query: filter.query(page), safe: true}, &out)
	return out, err
}

func (f RunFilter) query(page Page) url.Values {
	query := page.query(url.Values{})
	if f.Agent != "" {
		query.Set("agent", f.Agent)
	}
	for _, status := range f.Status {
		query.Add("status", string(status))
	}
	for name, value := range f.Labels {
		query.Add("label", name+"="+value)
	}
	if !f.From.IsZero() {
		query.Set("from", f.From.UTC().Format(time.RFC3339Nano))
	}
	if !f.To.IsZero() {
		query.Set("to", f.To.UTC().Format(time.RFC3339Nano))
	}
	if f.Archived {
		query.Set("archived", "true")
	}
	if f.Live {
		query.Set("live", "true")
	}
	return query
}

// SetCap sets a run's cap, in USD. A run that waits for a higher cap goes on by itself.
func (c *Client) SetCap(ctx context.Context, id string, limit run.USD) (run.Run, error) {
	var out run.Run
	err := c.call(ctx, request{
		method: http.MethodPatch, path: runPath(id), body: map[string]any{"max_cost_usd": limit}, safe: true,
	}, &out)
	return out, err
}

func runPath(id string) string { return "/runs/" + url.PathEscape(id) }

func timelineQuery(after int64, limit int) url.Values {
	query := url.Values{}
	if after > 0 {
		query.Set("after", strconv.FormatInt(after, 10))
	}
	if limit > 0 {
		query.Set("limit", strconv.Itoa(limit))
	}
	return query
}
