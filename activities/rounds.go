package activities

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/run/journal"
)

// An escalated run that was supplied with what it lacked is interpreted again from the start, on the fuller input. What
// is asked as it was before is answered from the journal, as after a crash; what is asked otherwise is asked anew, under
// a name of the round in which it was.

// inRound is a name in a round; the first round's names are plain.
func inRound(name string, round int) string {
	if round == 0 {
		return name
	}
	return fmt.Sprintf("%s@%d", name, round)
}

// sessionFor is the thread of a node: the latest one that was asked the same, else one of this round.
func (d *document) sessionFor(name, node string, as brief, prompt string) *thread {
	for round := d.round; round > 0; round-- {
		if id := inRound(name, round); d.sameAsk(id, as, prompt) {
			return d.begin(id, node, as, prompt)
		}
	}
	id := inRound(name, d.round)
	if d.round > 0 && d.sameAsk(name, as, prompt) {
		id = name
	}
	return d.begin(id, node, as, prompt)
}

func (d *document) begin(id, node string, as brief, prompt string) *thread {
	t := d.s.thread(id, node, as)
	t.ask(prompt)
	return t
}

// sameAsk tells whether the journal has a session of the name whose first request was this one.
func (d *document) sameAsk(id string, as brief, prompt string) bool {
	d.s.mu.Lock()
	asked := d.s.tree.Asked(id)
	d.s.mu.Unlock()
	if asked == "" {
		return false
	}
	fresh := &thread{session: d.s, id: id, brief: as, fold: journal.NewSession(prompt)}
	return fresh.askedOf(fresh.fold.Opening()) == asked
}

// effectFor is the key of an attempt of a call: the latest one with the same arguments, else one of this round.
func (d *document) effectFor(name string, args json.RawMessage) string {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	for round := d.round; round >= 0; round-- {
		key := inRound(name, round)
		if known := d.s.tree.Effect(key); known != nil && bytes.Equal(known.Args, args) {
			return key
		}
	}
	return inRound(name, d.round)
}
