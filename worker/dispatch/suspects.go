package dispatch

import (
	"math"
	"slices"
)

// MaxStrikes is how many times in a row a run is opened again after its worker died with no step ended in between.
const MaxStrikes = 3

// maxAlone is how many deaths a run that was the only suspect may be blamed for in doubt.
const maxAlone = 3

// Lost is a run whose worker is gone, and how many were in a row with no step of the run ended in between.
type Lost struct {
	RunID   string
	Strikes int
}

// Verdict is what becomes of the runs of a worker that is gone.
type Verdict struct {
	// Again are opened again at once. Held are suspects: they wait to be opened a few at a time.
	Again, Held []Lost
	// Guilty is the run that its workers died of, nil where that cannot be told.
	Guilty *Lost
}

// suspects are the runs that were lost more than MaxStrikes times in a row. Which of them took the workers down cannot
// be seen from outside, so fewer and fewer are opened side by side: a step that ends clears a run, and a death with one
// suspect open names it. They are kept in memory: after a restart the search begins anew.
type suspects struct {
	line []string
	// open are those being tried, alone the deaths that each was the only suspect at.
	open  map[string]bool
	alone map[string]int
	// width is how many may be open at once, until all that were lost last are cleared.
	width int
	last  map[string]bool
}

// Judge says what becomes of the runs of a worker that is gone, and opens again those that nothing is held against. The
// caller records what became of the others, and then gives back those that are held (Hold).
func (d *Dispatcher) Judge(lost []Lost) Verdict {
	d.mu.Lock()
	var v Verdict
	unproven := 0
	for _, run := range lost {
		if run.Strikes > 1 {
			unproven++
		}
		if run.Strikes > MaxStrikes {
			v.Held = append(v.Held, run)
		} else {
			v.Again = append(v.Again, run)
		}
	}
	if len(v.Held) == 1 {
		only := v.Held[0]
		if d.suspects.alone[only.RunID]++; unproven == 1 || d.suspects.alone[only.RunID] >= maxAlone {
			v.Held, v.Guilty = nil, &only
			d.cleared(only.RunID)
		}
	}
	d.mu.Unlock()
	for _, run := range v.Again {
		d.Again(run.RunID)
	}
	return v
}

// Hold puts suspects at the head of their line, half as many of which are tried next.
func (d *Dispatcher) Hold(runs []Lost) {
	if len(runs) == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = run.RunID
		delete(d.suspects.open, run.RunID)
		delete(d.running, run.RunID)
		d.settled(run.RunID)
	}
	s := &d.suspects
	s.last = map[string]bool{}
	for _, id := range ids {
		s.last[id] = true
	}
	s.line = slices.DeleteFunc(s.line, func(id string) bool { return s.last[id] })
	s.line = slices.Concat(ids, s.line)
	s.width = max(1, len(ids)/2)
	d.try()
}

// try opens suspects as far as there is room; the lock is held.
func (d *Dispatcher) try() {
	s := &d.suspects
	for len(s.line) > 0 && len(s.open) < s.width {
		next := s.line[0]
		s.line = s.line[1:]
		s.open[next] = true
		d.enqueue(next)
	}
}

// cleared takes a run out of suspicion: it ended a step, or came to rest; the lock is held.
func (d *Dispatcher) cleared(runID string) {
	s := &d.suspects
	delete(s.alone, runID)
	if delete(s.last, runID); len(s.last) == 0 {
		s.width = math.MaxInt // nothing is held against the others any more
	}
	if i := slices.Index(s.line, runID); i >= 0 {
		s.line = slices.Delete(s.line, i, i+1)
	}
	delete(s.open, runID)
	d.try()
}

// Progressed notes that a step of the run ended.
func (d *Dispatcher) Progressed(runID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cleared(runID)
}
