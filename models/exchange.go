package models

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"
)

// maxErrorBody is how much of an error status's body is read (bytes).
const maxErrorBody = 64 << 10

// streamFactor is how many times larger than the answer in it a stream may be: a provider wraps a few bytes of text in
// a few hundred of JSON.
const streamFactor = 16

var errIdle = errors.New("nothing came for too long")

// exchange is one HTTP request and its answer, as the provider's client library sees an HTTP client. It notes what the
// library does not tell, and bounds what the provider may send.
type exchange struct {
	client *http.Client
	// ctx is cancelled, with a cause, when the caller gives up or nothing comes for idle.
	ctx    context.Context //nolint:containedctx // an exchange is one call, and ends with it
	cancel context.CancelCauseFunc
	timer  *time.Timer
	idle   time.Duration
	// whole: the answer comes in one piece, and idle is how long it may take in all.
	whole bool
	// maxAnswer is the most bytes one event may have.
	maxAnswer int64

	// sent is set once the request's headers are on a connection: from then on it may be answered and billed.
	sent        atomic.Bool
	status      int
	header      http.Header
	contentType string
	errorBody   []byte
}

func newExchange(
	ctx context.Context, client *http.Client, idle time.Duration, maxAnswer int64, whole bool,
) *exchange {
	if whole {
		idle = min(idle, wholeTimeout)
	}
	x := &exchange{client: client, idle: idle, maxAnswer: maxAnswer, whole: whole}
	x.ctx, x.cancel = context.WithCancelCause(ctx)
	x.timer = time.AfterFunc(idle, func() { x.cancel(errIdle) })
	return x
}

// heard notes that something came.
func (x *exchange) heard() {
	if !x.whole {
		x.timer.Reset(x.idle)
	}
}

// idled tells whether the exchange was ended because nothing came.
func (x *exchange) idled() bool { return errors.Is(context.Cause(x.ctx), errIdle) }

// silence is what such an exchange has to say of the provider.
func (x *exchange) silence() string {
	if x.whole {
		return fmt.Sprintf("did not give its answer within %s", x.idle)
	}
	return fmt.Sprintf("sent nothing for %s", x.idle)
}

// close ends the exchange; a connection whose answer was not read to its end is closed with it.
func (x *exchange) close() {
	x.timer.Stop()
	x.cancel(nil)
}

// Do sends the request.
func (x *exchange) Do(request *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{
		// The transport asks for another connection only if it wrote nothing to the one it had.
		GetConn:      func(string) { x.sent.Store(false) },
		WroteHeaders: func() { x.sent.Store(true) },
	}
	//nolint:gosec // the address is the owner's own, from the configuration
	answer, err := x.client.Do(request.WithContext(httptrace.WithClientTrace(request.Context(), trace)))
	if err != nil {
		return nil, err
	}
	x.heard()
	x.status, x.header = answer.StatusCode, answer.Header
	x.contentType = answer.Header.Get("Content-Type")
	answer.Body = &guard{x: x, body: answer.Body}
	if x.status >= http.StatusMultipleChoices {
		x.errorBody, _ = io.ReadAll(io.LimitReader(answer.Body, maxErrorBody))
		_ = answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(x.errorBody))
	}
	return answer, nil
}

// guard bounds a response body: the time between two reads, the size of one event and of the whole.
type guard struct {
	x     *exchange
	body  io.ReadCloser
	total int64
	// event is the size of the event under way, line that of its last line; lone: that line is a carriage return so far.
	event, line int64
	lone        bool
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.body.Read(p)
	if n > 0 {
		g.x.heard()
		g.total += int64(n)
		if g.measure(p[:n]) > g.x.maxAnswer || g.total > streamFactor*g.x.maxAnswer {
			return 0, errTooLarge
		}
	}
	return n, err
}

func (g *guard) Close() error { return g.body.Close() }

// measure follows the stream's events, which an empty line ends, and is the size of the largest so far in data.
func (g *guard) measure(data []byte) int64 {
	largest := int64(0)
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			g.lone = g.line == 0 && string(data) == "\r" || g.lone && len(data) == 0
			g.line += int64(len(data))
			g.event += int64(len(data))
			return max(largest, g.event)
		}
		g.event += int64(end) + 1
		largest = max(largest, g.event)
		if g.line == 0 && (end == 0 || string(data[:end]) == "\r") || g.lone && end == 0 {
			g.event = 0
		}
		g.line, g.lone = 0, false
		data = data[end+1:]
	}
}
