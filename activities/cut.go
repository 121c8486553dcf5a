package activities

import (
	"context"

	"github.com/agentrun/agentrun/run"
)

// cutter is an effect under way that a person may cut short. by is what cut it, or "".
type cutter struct {
	cancel context.CancelFunc
	by     run.RowType
	// idle: it does nothing but wait, so a pause ends it as well.
	idle bool
}

// cuttable gives an effect a context that a stop or a cancel of the run ends, until done is called.
func (s *session) cuttable(ctx context.Context) (cutContext context.Context, c *cutter, done func()) {
	cutContext, cancel := context.WithCancel(ctx)
	c = &cutter{cancel: cancel}
	return cutContext, c, s.listens(c)
}

// waiting is cuttable for a wait that a pause ends too.
func (s *session) waiting(ctx context.Context) (waitContext context.Context, done func()) {
	waitContext, cancel := context.WithCancel(ctx)
	return waitContext, s.listens(&cutter{cancel: cancel, idle: true})
}

// listens has a cutter heard until done is called.
func (s *session) listens(c *cutter) (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cuts[c] = struct{}{}
	return func() {
		c.cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.cuts, c)
	}
}

// cut ends the effects under way where a person asked for that.
func (s *session) cut(kind run.RowType) {
	ends := kind == run.RowStopRequested || kind == run.RowCancelRequested
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.cuts {
		if !ends && (!c.idle || kind != run.RowPauseRequested) {
			continue
		}
		c.by = kind
		c.cancel()
	}
}

// cutBy is what cut the effect short, or "".
func (s *session) cutBy(c *cutter) run.RowType {
	s.mu.Lock()
	defer s.mu.Unlock()
	return c.by
}
