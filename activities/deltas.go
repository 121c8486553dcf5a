package activities

import (
	"context"
	"sync"
	"time"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/models"
)

// deltaEvery is how often pieces of an answer are passed on; an answer that is quicker has none to pass.
const deltaEvery = 100 * time.Millisecond

// deltaStream gathers the pieces of one answer and passes them on from time to time.
type deltaStream struct {
	s       *session
	request string
	mu      sync.Mutex
	text    []byte
	thought []byte
	timer   *time.Timer
	closed  bool
}

func newDeltaStream(s *session, request string) *deltaStream {
	return &deltaStream{s: s, request: request}
}

func (d *deltaStream) add(delta models.Delta) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text = append(d.text, delta.Text...)
	d.thought = append(d.thought, delta.Reasoning...)
	if d.timer == nil && !d.closed {
		d.timer = time.AfterFunc(deltaEvery, d.pass)
	}
}

func (d *deltaStream) pass() {
	d.mu.Lock()
	delta := door.Delta{Request: d.request, Text: string(d.text), Reasoning: string(d.thought)}
	d.text, d.thought, d.timer = nil, nil, nil
	closed := d.closed
	d.mu.Unlock()
	if closed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	// A lost delta costs a live view a moment: the journal will have the whole answer.
	_ = d.s.options.Door.Deltas(ctx, d.s.opened.Claim, []door.Delta{delta})
}

func (d *deltaStream) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.timer != nil {
		d.timer.Stop()
	}
}
