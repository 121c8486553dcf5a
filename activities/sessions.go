package activities

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentrun/agentrun/run"
)

// flushEvery bounds how long a finished tool call's row waits for the next begin to share its commit.
const flushEvery = 100 * time.Millisecond

// sessions are the runs this process drives.
type sessions struct {
	options Options

	mu      sync.Mutex
	byRun   map[string]*session
	opening map[string]*opening

	active   atomic.Int64
	draining chan struct{}
	drainOne sync.Once
	parked   parked
}

type opening struct {
	done chan struct{}
	s    *session
	err  error
}

func newSessions(options Options) *sessions {
	all := &sessions{
		options: options, byRun: map[string]*session{}, opening: map[string]*opening{},
		draining: make(chan struct{}),
	}
	go all.flushLate()
	return all
}

func (all *sessions) find(runID string) *session {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.byRun[runID]
}

// get is the run's session, opened (and its claim taken) where this process has none.
func (all *sessions) get(ctx context.Context, runID string, token int64) (*session, error) {
	all.mu.Lock()
	if s := all.byRun[runID]; s != nil {
		all.mu.Unlock()
		return s, nil
	}
	if under := all.opening[runID]; under != nil {
		all.mu.Unlock()
		select {
		case <-under.done:
			return under.s, under.err
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	under := &opening{done: make(chan struct{})}
	all.opening[runID] = under
	all.mu.Unlock()

	under.s, under.err = openSession(ctx, all.options, all.draining, runID, token)
	all.mu.Lock()
	delete(all.opening, runID)
	if under.err == nil {
		all.parked.resume(under.s)
		all.byRun[runID] = under.s
	}
	all.mu.Unlock()
	close(under.done)
	return under.s, under.err
}

// drop forgets a session that lost its claim or ended; an error that may pass keeps it.
func (all *sessions) drop(s *session, err error) {
	switch run.CodeOf(err) {
	case run.ErrStaleEpoch, run.ErrFenced, run.ErrConflict, run.ErrNotFound:
		all.forget(s)
	}
}

func (all *sessions) forget(s *session) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.byRun[s.runID] == s {
		delete(all.byRun, s.runID)
		if s.document != nil {
			s.document.stop(context.Canceled)
		}
		s.dismissBrains()
		_ = s.workspace.Close() // nothing is buffered in it
	}
}

// enter counts a step under way until the returned function is called.
func (all *sessions) enter() func() {
	all.active.Add(1)
	return func() { all.active.Add(-1) }
}

func (all *sessions) busy() int { return int(all.active.Load()) }

func (all *sessions) drain(ctx context.Context) {
	all.drainOne.Do(func() { close(all.draining) })
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for all.acting() > 0 && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	for _, s := range all.list() {
		_ = s.flush(ctx)
	}
	all.endBrains()
}

// acting counts the sessions that are in the middle of an effect: waiting ones do not hold up a drain.
func (all *sessions) acting() int {
	n := 0
	for _, s := range all.list() {
		n += int(s.acting.Load())
	}
	return n
}

func (all *sessions) list() []*session {
	all.mu.Lock()
	defer all.mu.Unlock()
	list := make([]*session, 0, len(all.byRun))
	for _, s := range all.byRun {
		list = append(list, s)
	}
	return list
}

// flushLate writes rows whose run did not begin its next step soon after.
func (all *sessions) flushLate() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for range tick.C {
		for _, s := range all.list() {
			if s.late() {
				if err := s.flush(context.Background()); err != nil {
					all.drop(s, err)
				}
			}
		}
	}
}
