package api

import (
	"sync"
	"time"

	"github.com/agentrun/agentrun/run"
)

// streams counts the live timelines and ends them when the server closes.
type streams struct {
	closing chan struct{}

	mu     sync.Mutex
	open   int
	most   int
	closed bool
}

func newStreams(most int) *streams { return &streams{closing: make(chan struct{}), most: most} }

// enter makes room for one more, or says that there is none.
func (s *streams) enter() (leave func(), problem *Problem) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, newProblem(run.ErrUnavailable, "the server is stopping")
	case s.open >= s.most:
		problem := newProblem(codeRateLimited, "too many live timelines are open on this server")
		problem.retryAfter(5 * time.Second)
		return nil, problem
	}
	s.open++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open--
	}, nil
}

func (s *streams) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
}
