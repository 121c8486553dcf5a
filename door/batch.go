package door

import (
	"context"
	"sync"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// Bounds of appends: how many calls of them are under way at once (one commits while another is on its way), how many
// runs share a call, and about how many bytes of rows.
const (
	maxCalls     = 2
	maxTogether  = 64
	maxTogetherB = 8 << 20
)

// togetherRequest is the appends of several runs in one call, togetherAnswer what became of each.
type (
	togetherRequest struct {
		Appends []journal.Append `json:"appends"`
	}
	togetherAnswer struct {
		Outcomes []outcome `json:"outcomes"`
	}
	outcome struct {
		Appended *journal.Appended `json:"appended,omitempty"`
		Refused  *problem          `json:"refused,omitempty"`
	}
)

// waiting is one append that waits for the call under way, and then for its own.
type waiting struct {
	ask  journal.Append
	done chan struct{}
	// appended and err are its outcome once done is closed.
	appended journal.Appended
	err      error
}

// together lets the appends that come while calls are under way share the next one: the server commits them in one
// write anyway, and a call costs more than an append.
type together struct {
	mu    sync.Mutex
	queue []*waiting
	calls int
}

// append puts an append in line and returns when it is done, or the caller gives up waiting.
func (t *together) append(ctx context.Context, ask journal.Append, call func([]*waiting)) (journal.Appended, error) {
	own := &waiting{ask: ask, done: make(chan struct{})}
	t.mu.Lock()
	t.queue = append(t.queue, own)
	lead := t.calls < maxCalls
	if lead {
		t.calls++
	}
	t.mu.Unlock()
	if lead {
		go t.serve(call)
	}
	select {
	case <-own.done:
		return own.appended, own.err
	case <-ctx.Done():
		return journal.Appended{}, ctx.Err()
	}
}

// serve makes calls until nothing waits.
func (t *together) serve(call func([]*waiting)) {
	for {
		batch := t.take()
		if len(batch) == 0 {
			return
		}
		call(batch)
		for _, w := range batch {
			close(w.done)
		}
	}
}

// take is what goes into the next call; with nothing to do there is one call less.
func (t *together) take() []*waiting {
	t.mu.Lock()
	defer t.mu.Unlock()
	size, n := 0, 0
	for n < len(t.queue) && n < maxTogether && (n == 0 || size < maxTogetherB) {
		for _, row := range t.queue[n].ask.Rows {
			size += len(row.Body) + len(row.Private)
		}
		n++
	}
	batch := t.queue[:n:n]
	t.queue = t.queue[n:]
	if n == 0 {
		t.calls--
	}
	return batch
}

// appendAll makes the appends of a batch in one call.
func (c *Client) appendAll(batch []*waiting) {
	ctx := context.Background()
	if len(batch) == 1 {
		batch[0].err = c.call(ctx, "append", batch[0].ask, &batch[0].appended)
		return
	}
	asked := togetherRequest{Appends: make([]journal.Append, len(batch))}
	for i, w := range batch {
		asked.Appends[i] = w.ask
	}
	var answer togetherAnswer
	err := c.call(ctx, "appends", asked, &answer)
	if err == nil && len(answer.Outcomes) != len(batch) {
		err = run.Errorf(run.ErrUnavailable, "door call appends: %d answers to %d appends", len(answer.Outcomes), len(batch))
	}
	for i, w := range batch {
		switch {
		case err != nil:
			w.err = err
		case answer.Outcomes[i].Refused != nil:
			w.err = &run.Error{Code: answer.Outcomes[i].Refused.Code, Message: answer.Outcomes[i].Refused.Message}
		case answer.Outcomes[i].Appended != nil:
			w.appended = *answer.Outcomes[i].Appended
		}
	}
}

// appendEach makes the appends of one call side by side, so that they share a commit, and none fails another.
func appendEach(ctx context.Context, door Door, asked togetherRequest) (togetherAnswer, error) {
	answer := togetherAnswer{Outcomes: make([]outcome, len(asked.Appends))}
	var group sync.WaitGroup
	for i, ask := range asked.Appends {
		group.Go(func() {
			appended, err := door.Append(ctx, ask)
			if err != nil {
				refused, _ := problemOf(err)
				answer.Outcomes[i].Refused = &refused
				return
			}
			answer.Outcomes[i].Appended = &appended
		})
	}
	group.Wait()
	return answer, nil
}
