package activities

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/agentrun/agentrun/run/journal"
)

// What a Want is done by: a session's turns, one effect, or the passing of time.
const (
	WantSession = "session"
	WantEffect  = "effect"
	WantWait    = "wait"
)

// Want is something that a workflow document's interpretation waits for, by reference: the session, effect or wait with
// the key.
type Want struct {
	Kind    string `json:"kind"`
	Key     string `json:"key"`
	Summary string `json:"summary,omitempty"`
	// Position is where a session stands.
	Position *journal.Position `json:"position,omitempty"`
	// Until is the end of a wait.
	Until *time.Time `json:"until,omitempty"`
}

// Advanced is how far an interpretation came by itself.
type Advanced struct {
	Position journal.Position `json:"position"`
	// Wants are those that the workflow does not have in hand yet.
	Wants []Want `json:"wants,omitempty"`
	// Ended says that the document came to its end, well or not.
	Ended bool `json:"ended,omitempty"`
	// Busy says that the interpretation still goes on by itself.
	Busy bool `json:"busy,omitempty"`
	// Blocked says that what is waited for cannot go on before a person raises the cap.
	Blocked bool `json:"blocked,omitempty"`
}

// Advance lets the interpretation go on as far as it can by itself, and answers what it wants beside what is in hand.
func (a *Activities) Advance(ctx context.Context, step Step) (Advanced, error) {
	var advanced Advanced
	name := "advance/" + time.Now().String() // each caller has an answer of its own
	position, err := a.with(ctx, step, name, func(ctx context.Context, s *session) error {
		d, err := s.interpretation()
		if err != nil {
			return err
		}
		if advanced = d.advance(step.InHand); !advanced.Busy {
			return nil
		}
		return s.load(ctx) // what people asked meanwhile
	})
	advanced.Position = position
	for i := range advanced.Wants {
		if p := advanced.Wants[i].Position; p != nil {
			p.Lane = position.Lane
		}
	}
	return advanced, err
}

// interpretation is the run's, started where there is none yet.
func (s *session) interpretation() (*document, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	if s.document == nil {
		started, err := newDocument(s)
		if err != nil {
			return nil, err
		}
		s.document = started
	}
	return s.document, nil
}

// advance waits until the interpreter can do nothing by itself.
func (d *document) advance(inHand []string) Advanced {
	held := make(map[string]bool, len(inHand))
	for _, key := range inHand {
		held[key] = true
	}
	for {
		busy := !d.quiet()
		advanced, waits := d.look(held)
		if advanced.Busy = busy; busy || advanced.Ended || len(advanced.Wants) > 0 || len(held) > 0 || waits {
			return advanced
		}
		// Between two tasks, one of which has ended and let the other go on.
		time.Sleep(time.Millisecond)
	}
}

// quietFor is how long an interpretation may go on by itself before the workflow looks whether a person wants it to stop.
const quietFor = time.Second

// quiet returns once no task goes on by itself, or tells that some do for long.
func (d *document) quiet() bool {
	late := false
	timer := time.AfterFunc(quietFor, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		late = true
		d.moved.Broadcast()
	})
	defer timer.Stop()
	d.mu.Lock()
	defer d.mu.Unlock()
	for calm := 0; calm < 3; calm++ {
		for d.running > 0 && !late {
			calm = 0
			d.moved.Wait()
		}
		if d.running > 0 {
			return false
		}
		d.mu.Unlock()
		runtime.Gosched()
		d.mu.Lock()
	}
	return true
}

// look lists what is wanted and not in hand, in the order in which it was asked for. waits tells whether everything
// that is wanted waits for a person.
func (d *document) look(held map[string]bool) (advanced Advanced, waits bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	advanced.Ended = d.ended
	list := make([]*want, 0, len(d.wants))
	for _, w := range d.wants {
		if !held[w.key] {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *want) int { return cmp.Compare(a.number, b.number) })
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	for _, w := range list {
		if !w.open() {
			waits = true
			continue
		}
		offered := Want{Kind: w.kind, Key: w.key, Summary: w.summary}
		switch w.kind {
		case WantSession:
			position := d.s.tree.PositionOf(w.key, d.s.windowOf(w.key))
			offered.Position = &position
		case WantWait:
			offered.Until = &w.until
		case WantEffect:
		}
		advanced.Wants = append(advanced.Wants, offered)
	}
	if waits && len(held) == 0 && len(advanced.Wants) == 0 && d.s.tree.ReleaseOne() {
		return advanced, false // look again: nothing else holds what the cap has left
	}
	advanced.Blocked = waits && len(d.s.tree.Refusals()) > 0
	return advanced, waits
}
