package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"time"

	"github.com/agentrun/agentrun/run"
)

// Event is one thing a followed run said: a row, or a piece of an answer that is being written.
type Event struct {
	Row   *run.Row
	Delta *Delta
}

// Delta is a piece of an answer under way. It is not kept: the row of the answer says it all again.
type Delta struct {
	Text      string `json:"text"`
	Reasoning string `json:"reasoning"`
}

// ErrStop is what the function given to Follow returns to end it without an error.
var ErrStop = errors.New("stop following")

// errLost is a stream that ended before the timeline did.
var errLost = errors.New("the timeline's stream was lost")

// maxFollowWait is how long a lost timeline stays lost at most once its server is back.
const maxFollowWait = 5 * time.Second

// Follow gives each row after a seq to fn as it is written, every row once and in order, until the server says that the
// timeline is final or fn returns an error. A lost or silent connection is taken up again after the last row, as often
// as it takes: once connected, only the context, fn or a refusal of the server ends it. It gives the last row's seq.
func (c *Client) Follow(ctx context.Context, id string, after int64, fn func(Event) error) (int64, error) {
	f := &follower{client: c, id: id, last: after, fn: fn}
	for failures := 0; ; failures++ {
		before := f.last
		err := f.connect(ctx)
		switch {
		case err == nil || errors.Is(f.refused, ErrStop):
			return f.last, nil
		case f.refused != nil:
			return f.last, f.refused
		case ctx.Err() != nil:
			return f.last, context.Cause(ctx)
		}
		if f.last > before {
			failures = 0
		}
		delay, again := retryAfter(err, failures)
		if !again || (!f.connected && failures >= c.retries) {
			return f.last, err
		}
		if err := c.wait(ctx, min(delay, maxFollowWait)); err != nil {
			return f.last, err
		}
	}
}

// follower is one followed timeline.
type follower struct {
	client *Client
	id     string
	fn     func(Event) error
	// last is the seq of the last row that fn took; refused is the error with which fn ended it.
	last    int64
	refused error
	// connected: the server has streamed this timeline at least once.
	connected bool
}

// connect reads one stream; nil means that the timeline is final. A stream that is silent past the client's idle time
// is given up as lost.
func (f *follower) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(f.client.idle, func() { cancel(errLost) })
	defer watch.Stop()

	header := http.Header{"Accept": {"text/event-stream"}}
	if f.last > 0 {
		header.Set("Last-Event-ID", strconv.FormatInt(f.last, 10))
	}
	res, err := f.client.once(ctx, request{
		method: http.MethodGet, path: runPath(f.id) + "/timeline", query: timelineQuery(f.last, 0), header: header,
	}, nil)
	switch {
	case errors.Is(context.Cause(ctx), errLost):
		return errLost
	case err != nil:
		return err
	}
	defer res.Body.Close()
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind != "text/event-stream" {
		return fmt.Errorf("the server does not stream timelines: it answered %q", kind)
	}
	f.connected = true
	reader := newSSEReader(res.Body, func() { watch.Reset(f.client.idle) })
	for {
		event, err := reader.next()
		if errors.Is(err, errEventTooLong) {
			return err
		}
		if err != nil {
			return errLost
		}
		if event.name == "final" {
			return nil
		}
		if err := f.deliver(event); err != nil {
			return err
		}
	}
}

// deliver hands an event to fn. A row that fn had already, from before a lost connection, is dropped.
func (f *follower) deliver(event sseEvent) error {
	if event.name == "delta" {
		var delta Delta
		// A piece that cannot be read is dropped: its text comes again with the answer's row.
		if json.Unmarshal(event.data, &delta) == nil {
			f.refused = f.fn(Event{Delta: &delta})
		}
		return f.refused
	}
	row, err := decodeRow(event.data)
	if err != nil || row.Seq <= f.last {
		return err
	}
	f.refused = f.fn(Event{Row: &row})
	if f.refused == nil || errors.Is(f.refused, ErrStop) {
		f.last = row.Seq
	}
	return f.refused
}
