// Package client owns the way a Go program talks to an AgentRun server: typed calls of /v2, their problems, and a
// timeline that is followed through lost connections. It imports only run, keeps no state but its connection pool, and
// must not decide what a command prints or when a run counts as done for its user.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options says which server to talk to.
type Options struct {
	// BaseURL is the server's address as its banner prints it, "http://127.0.0.1:8080". A path is kept as a prefix.
	BaseURL string
	// Token is the bearer token ("" for the routes that need none).
	Token string
	// HTTP is the client to use; nil is one without a time limit, for contexts bound each call.
	HTTP *http.Client
	// Retries is how often a call that is safe to repeat is sent again after a lost connection or an answer that says
	// to come back (0: twice; negative: never).
	Retries int
}

// Client calls one server. It is safe for concurrent use.
type Client struct {
	base    string
	token   string
	http    *http.Client
	retries int
	// wait sleeps between two tries; tests replace it.
	wait func(context.Context, time.Duration) error
	// idle is how long a followed timeline may be silent (the server sends a comment every 15 s).
	idle time.Duration
}

const (
	defaultRetries = 2
	defaultIdle    = 50 * time.Second
	// maxAnswer bounds what is read of one JSON answer.
	maxAnswer = 256 << 20
)

// New makes a client; the error says what is wrong with the address.
func New(opts Options) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(opts.BaseURL, "/"))
	if err != nil {
		return nil, fmt.Errorf("server address: %w", err)
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return nil, fmt.Errorf("server address %q: want http://HOST:PORT or https://HOST", opts.BaseURL)
	}
	c := &Client{
		base: base.String(), token: opts.Token, http: opts.HTTP,
		retries: opts.Retries, wait: sleep, idle: defaultIdle,
	}
	if c.http == nil {
		c.http = &http.Client{}
	}
	if c.retries == 0 {
		c.retries = defaultRetries
	}
	return c, nil
}

// request is one call of the API. A call with a key, or that only reads, is safe to repeat.
type request struct {
	method string
	path   string // below /v2, each segment escaped
	query  url.Values
	body   any
	header http.Header
	safe   bool
}

// call sends a request and decodes its JSON answer into out (nil: the answer is dropped).
func (c *Client) call(ctx context.Context, req request, out any) error {
	res, err := c.send(ctx, req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if out == nil {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(data, out)
	}
	if err == nil {
		err = readInputs(data, out)
	}
	if err != nil {
		return fmt.Errorf("%s %s: the answer is not the JSON expected: %w", req.method, req.path, err)
	}
	return nil
}

// send gives the response of a successful request; the caller closes its body. Anything else is a *Problem or the
// fault of the connection.
func (c *Client) send(ctx context.Context, req request) (*http.Response, error) {
	var body []byte
	if req.body != nil {
		var err error
		if body, err = json.Marshal(req.body); err != nil {
			return nil, fmt.Errorf("%s %s: encode the body: %w", req.method, req.path, err)
		}
	}
	for try := 0; ; try++ {
		res, err := c.once(ctx, req, body)
		if err == nil {
			return res, nil
		}
		delay, again := retryAfter(err, try)
		if !again || !req.safe || try >= c.retries || c.wait(ctx, delay) != nil {
			return nil, err
		}
	}
}

// once sends a request one time.
func (c *Client) once(ctx context.Context, req request, body []byte) (*http.Response, error) {
	address := c.base + "/v2" + req.path
	if len(req.query) > 0 {
		address += "?" + req.query.Encode()
	}
	hr, err := http.NewRequestWithContext(ctx, req.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", req.method, req.path, err)
	}
	maps.Copy(hr.Header, req.header)
	if hr.Header.Get("Accept") == "" {
		hr.Header.Set("Accept", "application/json")
	}
	if req.body != nil {
		hr.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		hr.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(hr)
	if err != nil {
		return nil, &connectionError{base: c.base, cause: err}
	}
	if res.StatusCode >= http.StatusBadRequest {
		defer res.Body.Close()
		return nil, readProblem(res)
	}
	return res, nil
}
