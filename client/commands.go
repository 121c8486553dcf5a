package client

import (
	"context"
	"net/http"
)

// Message says something to a run: a follow-up to a completed one, the next turn's input to a working one. The key
// makes the call safe to repeat ("" sends none).
func (c *Client) Message(ctx context.Context, id, content, idempotencyKey string) error {
	return c.call(ctx, keyed(request{
		method: http.MethodPost, path: runPath(id) + "/messages", body: map[string]string{"content": content},
	}, idempotencyKey), nil)
}

// Stopped is what a stop did.
type Stopped struct {
	Stopped bool `json:"stopped"`
}

// Stop cuts the request under way; the run then waits for a message.
func (c *Client) Stop(ctx context.Context, id string) (Stopped, error) {
	var out Stopped
	err := c.act(ctx, id, "stop", &out)
	return out, err
}

// Cancelled is what a cancel did: it was asked, or the run had ended already.
type Cancelled struct {
	CancelRequested bool `json:"cancel_requested"`
	AlreadyTerminal bool `json:"already_terminal"`
}

// Cancel ends a run for good.
func (c *Client) Cancel(ctx context.Context, id string) (Cancelled, error) {
	var out Cancelled
	err := c.act(ctx, id, "cancel", &out)
	return out, err
}

// Pause holds a run before its next request; Resume lets it go on.
func (c *Client) Pause(ctx context.Context, id string) error { return c.act(ctx, id, "pause", nil) }

// Resume lets a paused run go on.
func (c *Client) Resume(ctx context.Context, id string) error { return c.act(ctx, id, "resume", nil) }

// act posts one of the commands without a body; each may be said twice.
func (c *Client) act(ctx context.Context, id, act string, out any) error {
	return c.call(ctx, request{method: http.MethodPost, path: runPath(id) + "/" + act, safe: true}, out)
}
