package door

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// retryFor bounds how long a call outlives a server that cannot be reached; every call may be repeated.
const retryFor = 30 * time.Second

// Client is the door over a socket.
type Client struct {
	base  string
	token string
	http  *http.Client

	appends together
}

var (
	_ Door     = (*Client)(nil)
	_ Presence = (*Client)(nil)
)

// NewClient speaks to the door at an address: "unix:/path" or an http(s) URL.
func NewClient(address, token string, transport *http.Transport) *Client {
	if transport == nil {
		transport = &http.Transport{}
	}
	transport.MaxIdleConnsPerHost = 256
	transport.IdleConnTimeout = time.Minute
	transport.DisableCompression = true
	client := &Client{base: strings.TrimSuffix(address, "/"), token: token, http: &http.Client{Transport: transport}}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		client.base = "http://door"
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, "unix", path)
		}
	}
	return client
}

// Open implements Door.
func (c *Client) Open(ctx context.Context, open journal.Open) (Opened, error) {
	var opened Opened
	err := c.call(ctx, "open", open, &opened)
	return opened, err
}

// Rows implements Door.
func (c *Client) Rows(ctx context.Context, claim journal.Claim, after int64, limit int) ([]run.Row, error) {
	var rows []run.Row
	err := c.call(ctx, "rows", rowsRequest{Claim: claim, After: after, Limit: limit}, &rows)
	return rows, err
}

// Append implements Door.
func (c *Client) Append(ctx context.Context, rows journal.Append) (journal.Appended, error) {
	return c.appends.append(ctx, rows, c.appendAll)
}

// Secret implements Door.
func (c *Client) Secret(ctx context.Context, claim journal.Claim, name string) (string, error) {
	var answer secretAnswer
	err := c.call(ctx, "secret", secretRequest{Claim: claim, Name: name}, &answer)
	return answer.Value, err
}

// Deltas implements Door.
func (c *Client) Deltas(ctx context.Context, claim journal.Claim, deltas []Delta) error {
	return c.call(ctx, "deltas", deltasRequest{Claim: claim, Deltas: deltas}, &struct{}{})
}

// Hello implements Presence.
func (c *Client) Hello(ctx context.Context, holder run.Holder) error {
	return c.call(ctx, "hello", holder, &struct{}{})
}

// Beat implements Presence.
func (c *Client) Beat(ctx context.Context, worker string) error {
	return c.call(ctx, "beat", workerRequest{Worker: worker}, &struct{}{})
}

// Nudges implements Presence.
func (c *Client) Nudges(ctx context.Context, worker string) (<-chan Nudge, error) {
	response, err := c.post(ctx, "nudges", workerRequest{Worker: worker}) //nolint:bodyclose // the reading goroutine closes it
	if err != nil {
		return nil, err
	}
	nudges := make(chan Nudge)
	go func() {
		defer close(nudges)
		defer func() { _ = response.Body.Close() }()
		decoder := json.NewDecoder(response.Body)
		for {
			var nudge Nudge
			if decoder.Decode(&nudge) != nil {
				return
			}
			select {
			case nudges <- nudge:
			case <-ctx.Done():
				return
			}
		}
	}()
	return nudges, nil
}

// call makes one call and repeats it while the server cannot be reached.
func (c *Client) call(ctx context.Context, name string, in, out any) error {
	deadline := time.Now().Add(retryFor)
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		err := c.once(ctx, name, in, out)
		if err == nil || run.CodeOf(err) != "" {
			return err
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return run.Errorf(run.ErrUnavailable, "door call %s: the server is not to be reached: %w", name, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// once makes one call; only an error that the server gave has a code.
func (c *Client) once(ctx context.Context, name string, in, out any) error {
	response, err := c.post(ctx, name, in)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if err := json.Unmarshal(data, out); err != nil {
		return run.Errorf(run.ErrUnavailable, "door call %s: %w", name, err)
	}
	return nil
}

// post sends one call; an answer that is not 200 becomes its run.Error.
func (c *Client) post(ctx context.Context, name string, in any) (*http.Response, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, run.Errorf(run.ErrInvalid, "door call %s: %w", name, err)
	}
	//nolint:gosec // the address is the one the server gave its worker
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/"+name, bytes.NewReader(body))
	if err != nil {
		return nil, run.Errorf(run.ErrInvalid, "door call %s: %w", name, err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.http.Do(request) //nolint:gosec // the same
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	var refused problem
	if err := json.NewDecoder(io.LimitReader(response.Body, 64<<10)).Decode(&refused); err != nil {
		return nil, run.Errorf(run.ErrUnavailable, "door call %s: status %d", name, response.StatusCode)
	}
	return nil, &run.Error{Code: refused.Code, Message: refused.Message}
}
