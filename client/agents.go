package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/agentrun/agentrun/run"
)

// CreateAgent makes an agent. The definition is a run.Definition, or the JSON of one (json.RawMessage), which is sent as
// it is so that the server names the field it does not know.
func (c *Client) CreateAgent(ctx context.Context, definition any) (run.Agent, error) {
	var out run.Agent
	body := map[string]any{"definition": definition}
	err := c.call(ctx, request{method: http.MethodPost, path: "/agents", body: body}, &out)
	return out, err
}

// Agent gives an agent with its newest definition.
func (c *Client) Agent(ctx context.Context, id string) (run.Agent, error) {
	var out run.Agent
	err := c.call(ctx, request{method: http.MethodGet, path: "/agents/" + url.PathEscape(id), safe: true}, &out)
	return out, err
}

// Agents gives a page of the agents, or of the archived ones.
func (c *Client) Agents(ctx context.Context, archived bool, page Page) (List[run.Agent], error) {
	query := page.query(url.Values{})
	if archived {
		query.Set("archived", "true")
	}
	var out List[run.Agent]
	err := c.call(ctx, request{method: http.MethodGet, path: "/agents", query: query, safe: true}, &out)
	return out, err
}

// PutDefinition gives an agent a new revision, unless somebody else did since etag (the agent's HomeETag) was read.
func (c *Client) PutDefinition(ctx context.Context, id, etag string, definition any) (run.Agent, error) {
	var out run.Agent
	err := c.call(ctx, request{
		method: http.MethodPut,
		path:   "/agents/" + url.PathEscape(id) + "/definition",
		body:   map[string]any{"definition": definition},
		header: http.Header{"If-Match": {etag}},
	}, &out)
	return out, err
}

// ArchiveAgent hides an agent and lets it start no more runs; UnarchiveAgent takes that back.
func (c *Client) ArchiveAgent(ctx context.Context, id string) (run.Agent, error) {
	return c.actOnAgent(ctx, id, "archive")
}

// UnarchiveAgent brings an archived agent back.
func (c *Client) UnarchiveAgent(ctx context.Context, id string) (run.Agent, error) {
	return c.actOnAgent(ctx, id, "unarchive")
}

func (c *Client) actOnAgent(ctx context.Context, id, act string) (run.Agent, error) {
	var out run.Agent
	path := "/agents/" + url.PathEscape(id) + "/" + act
	err := c.call(ctx, request{method: http.MethodPost, path: path, safe: true}, &out)
	return out, err
}
