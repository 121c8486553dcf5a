package store

import (
	"sync"

	"github.com/agentrun/agentrun/run/journal"
)

// Subscription tells that a run changed. Close it when done.
type Subscription struct {
	owner *subscriptions
	runID string
	ready chan struct{}
}

// C has one value waiting after one or more commits changed the run.
func (s *Subscription) C() <-chan struct{} { return s.ready }

// Close ends the subscription; C stays open and silent.
func (s *Subscription) Close() { s.owner.remove(s) }

// Subscribe tells of every change of a run from now on.
func (s *Store) Subscribe(runID string) *Subscription {
	sub := &Subscription{owner: s.subs, runID: runID, ready: make(chan struct{}, 1)}
	s.subs.add(sub)
	return sub
}

// OnChange calls f after each commit that wrote a status of a run, in the order of the commits and on a
// goroutine of its own, so f may write to the store.
func (s *Store) OnChange(f func(runID string, p journal.Projection)) { s.subs.hook(f) }

// change is what a commit did to one run.
type change struct {
	runID      string
	projection journal.Projection
	status     bool
}

// subscriptions tells readers and hooks of commits.
type subscriptions struct {
	mu    sync.Mutex
	byRun map[string]map[*Subscription]struct{}

	hooks  []func(string, journal.Projection)
	queue  []change
	wake   *sync.Cond
	closed bool
	ended  chan struct{}
}

func newSubscriptions() *subscriptions {
	s := &subscriptions{byRun: map[string]map[*Subscription]struct{}{}, ended: make(chan struct{})}
	s.wake = sync.NewCond(&s.mu)
	go s.loop()
	return s
}

func (s *subscriptions) add(sub *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byRun[sub.runID] == nil {
		s.byRun[sub.runID] = map[*Subscription]struct{}{}
	}
	s.byRun[sub.runID][sub] = struct{}{}
}

func (s *subscriptions) remove(sub *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.byRun[sub.runID], sub)
	if len(s.byRun[sub.runID]) == 0 {
		delete(s.byRun, sub.runID)
	}
}

func (s *subscriptions) hook(f func(string, journal.Projection)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hooks = append(s.hooks, f)
}

// notify is called by the writer after a commit and never waits.
func (s *subscriptions) notify(changes []change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range changes {
		for sub := range s.byRun[c.runID] {
			select {
			case sub.ready <- struct{}{}:
			default:
			}
		}
		if c.status && len(s.hooks) > 0 {
			s.queue = append(s.queue, c)
			s.wake.Signal()
		}
	}
}

// loop calls the hooks.
func (s *subscriptions) loop() {
	defer close(s.ended)
	for {
		s.mu.Lock()
		for len(s.queue) == 0 && !s.closed {
			s.wake.Wait()
		}
		queue, hooks := s.queue, s.hooks
		s.queue = nil
		s.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		for _, c := range queue {
			for _, f := range hooks {
				f(c.runID, c.projection)
			}
		}
	}
}

// stop returns once the hooks have been told of everything.
func (s *subscriptions) stop() {
	s.mu.Lock()
	s.closed = true
	s.wake.Signal()
	s.mu.Unlock()
	<-s.ended
}
