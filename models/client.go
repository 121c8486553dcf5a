package models

import (
	"context"
	"net/http"
	"time"
)

// Defaults of Options.
const (
	// DefaultIdleTimeout is how long a provider may send nothing: some think for minutes before the first byte.
	DefaultIdleTimeout = 5 * time.Minute
	// DefaultMaxAnswer is the most an answer may weigh (bytes).
	DefaultMaxAnswer = 32 << 20
)

// drainTimeout is how long a stream may take to end after its last event, for its connection to be used again.
const drainTimeout = 250 * time.Millisecond

// Options say how a Client talks; the zero value is fine.
type Options struct {
	// HTTP is the client to use; redirects are never followed, so that a key goes nowhere else.
	HTTP        *http.Client
	IdleTimeout time.Duration
	// MaxAnswer is the most bytes an answer may have.
	MaxAnswer int64
}

// Client makes model requests. It is safe for concurrent use and keeps connections open between requests.
type Client struct {
	http      http.Client
	idle      time.Duration
	maxAnswer int64
}

// New makes a client.
func New(options Options) *Client {
	c := &Client{idle: options.IdleTimeout, maxAnswer: options.MaxAnswer}
	if options.HTTP != nil {
		c.http = *options.HTTP
	} else {
		c.http.Transport = newTransport()
	}
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if c.idle <= 0 {
		c.idle = DefaultIdleTimeout
	}
	if c.maxAnswer <= 0 {
		c.maxAnswer = DefaultMaxAnswer
	}
	return c
}

// Do makes one attempt at a request and never repeats it. onDelta, which may be nil, is told the answer's pieces as
// they come. The error is an *Error. The end of ctx closes the connection to the provider.
func (c *Client) Do(ctx context.Context, r Request, onDelta func(Delta)) (Answer, error) {
	if onDelta == nil {
		onDelta = func(Delta) {}
	}
	words := failureOf(r)
	said, err := c.speak(r, onDelta)
	if err != nil {
		return Answer{}, words.unsupported(err)
	}
	if err := words.address(r.BaseURL); err != nil {
		return Answer{}, err
	}
	x := newExchange(ctx, &c.http, c.idle, c.maxAnswer, said.whole)
	defer x.close()
	answer, err := x.attempt(r, said)
	if err != nil {
		return Answer{}, words.of(ctx, x, err)
	}
	return answer, nil
}

// attempt sends a request and reads its answer.
func (x *exchange) attempt(r Request, said spoken) (Answer, error) {
	decode := said.decode
	events, err := said.send(x, r, said.data)
	if err != nil {
		return Answer{}, err
	}
	defer events.close()
	for events.next() {
		done, err := decode.take(events.event())
		if err != nil {
			return Answer{}, err
		}
		if done {
			x.drain(events)
			return decode.answer()
		}
	}
	if err := events.err(); err != nil {
		return Answer{}, broken{err}
	}
	return decode.answer()
}

// drain reads what follows the last event, which should be nothing but the end, so that the connection can be kept.
func (x *exchange) drain(events stream) {
	const stray = 16
	x.idle = drainTimeout
	x.timer.Reset(x.idle)
	for range stray {
		if !events.next() {
			return
		}
	}
}
