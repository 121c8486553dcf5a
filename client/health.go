package client

import (
	"context"
	"encoding/json"
	"net/http"
)

// Health is how the server is: Status "ok", and each check "ok" or the reason it is not.
type Health struct {
	Status string            `json:"status"`
	Checks map[string]string `json:"checks"`
}

// Health asks how the server is. A server that is not well answers a *Problem of status 503.
func (c *Client) Health(ctx context.Context) (Health, error) {
	var out Health
	err := c.call(ctx, request{method: http.MethodGet, path: "/health", safe: true}, &out)
	return out, err
}

// Capabilities is what the server can do, as it says it: the document grows with the server, so it is not typed here.
func (c *Client) Capabilities(ctx context.Context) (json.RawMessage, error) {
	var out json.RawMessage
	err := c.call(ctx, request{method: http.MethodGet, path: "/capabilities", safe: true}, &out)
	return out, err
}
