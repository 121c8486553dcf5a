package activities

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/agentrun/agentrun/run"
)

// newBrain is a command-line agent for a thread of the run, nil where the run's harness is the server's own loop.
func (s *session) newBrain() *brain {
	name := s.opened.Config.Harness
	if name == "" || name == run.DefaultHarness {
		return nil
	}
	harness, known := s.options.Harnesses[name]
	if !known {
		harness.Find = func() (string, string) { return "", "the worker does not know it" }
	}
	return newBrain(name, harness, s.options.Bounds, s.options.slots)
}

// watch is closed at the next change of the fold; the session's lock is held.
func (s *session) watch() <-chan struct{} {
	if s.bell == nil {
		s.bell = make(chan struct{})
	}
	return s.bell
}

// rang wakes who waits for a change of the fold; the session's lock is held.
func (s *session) rang() {
	if s.bell != nil {
		close(s.bell)
		s.bell = nil
	}
}

// brains are the command-line agents of the run's threads.
func (s *session) brains() []*brain {
	s.mu.Lock()
	defer s.mu.Unlock()
	var brains []*brain
	for _, t := range s.threads {
		if t.brain != nil {
			brains = append(brains, t.brain)
		}
	}
	return brains
}

// restBrains ends the run's command-line agents before its rest or end is recorded. One whose request waits for a raised
// cap stays for a while. What could not be ended is named in the rows.
func (s *session) restBrains(outcome Outcome) []run.Row {
	if outcome == OutcomeBudget && s.document == nil {
		return nil
	}
	brains := s.brains()
	if len(brains) == 0 {
		return nil
	}
	var faults []error
	for _, b := range brains {
		faults = append(faults, b.close())
	}
	err := errors.Join(append(faults, s.tidy())...)
	if err == nil {
		return nil
	}
	s.options.Log.Error("not everything of a run's sessions could be ended", "run", s.runID, "error", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	return []run.Row{run.NewRow(run.RowWarning, fmt.Sprintf("harness/%d/left/%d", s.opened.Claim.Epoch, s.tree.Head()), run.Warning{
		Code: "harness_left", Message: bounded(err.Error()),
	}, nil)}
}

// dismissBrains ends them without waiting: the run has ended, or is another worker's.
func (s *session) dismissBrains() {
	for _, b := range s.brains() {
		go b.dismissLogged(s)
	}
}

func (b *brain) dismissLogged(s *session) {
	if err := b.dismiss(); err != nil {
		s.options.Log.Error("a session was not ended", "run", s.runID, "error", err)
	}
}

// parked are the command-line agents of runs that wait for a raised cap. Each holds its request for a while, so that a
// raise sends the very request it asked.
type parked struct {
	mu   sync.Mutex
	byID map[string]*parkedBrain
}

type parkedBrain struct {
	brain   *brain
	timer   *time.Timer
	session *session
}

// park keeps the agent of a run that is about to be forgotten.
func (p *parked) park(s *session) {
	root := s.find("")
	if s.document != nil || root == nil || root.brain == nil {
		return
	}
	b := root.brain
	s.mu.Lock()
	root.brain = nil
	s.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID == nil {
		p.byID = map[string]*parkedBrain{}
	}
	stays := &parkedBrain{brain: b, session: s}
	stays.timer = time.AfterFunc(b.bounds.Hold, func() {
		if p.take(s.runID, stays) {
			b.dismissLogged(s)
		}
	})
	p.byID[s.runID] = stays
}

// take takes an agent out, and is false where somebody else did.
func (p *parked) take(runID string, stays *parkedBrain) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID[runID] != stays {
		return false
	}
	delete(p.byID, runID)
	return true
}

// release ends the agent of a run that will not go on.
func (p *parked) release(runID string) {
	p.mu.Lock()
	stays := p.byID[runID]
	delete(p.byID, runID)
	p.mu.Unlock()
	if stays != nil {
		stays.timer.Stop()
		go stays.brain.dismissLogged(stays.session)
	}
}

// resume gives a run that is opened again its agent back, where it still waits.
func (p *parked) resume(s *session) {
	p.mu.Lock()
	stays := p.byID[s.runID]
	delete(p.byID, s.runID)
	p.mu.Unlock()
	if stays == nil {
		return
	}
	stays.timer.Stop()
	root := s.find("")
	root.brain = stays.brain
	stays.brain.speaks(root)
}

// endBrains ends every command-line agent of the process, side by side, whatever is under way.
func (all *sessions) endBrains() {
	var ending sync.WaitGroup
	end := func(b *brain, s *session) {
		ending.Go(func() { b.dismissLogged(s) })
	}
	for _, s := range all.list() {
		for _, b := range s.brains() {
			end(b, s)
		}
	}
	all.parked.mu.Lock()
	for _, stays := range all.parked.byID {
		stays.timer.Stop()
		end(stays.brain, stays.session)
	}
	all.parked.byID = nil
	all.parked.mu.Unlock()
	ending.Go(func() {
		if err := all.options.gates.Close(); err != nil {
			all.options.Log.Error("a place for a program was not given up", "error", err)
		}
	})
	ending.Wait()
}
