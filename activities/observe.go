package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// eventRows are the events of the language that have a row type of their own; the others are notes.
func eventRow(kind string) run.RowType {
	switch kind {
	case "node.start":
		return run.RowNodeStarted
	case "node.end":
		return run.RowNodeEnded
	case "route.chosen":
		return run.RowRouteChosen
	case "judge.answered":
		return run.RowJudgeAnswered
	case "loop.exited":
		return run.RowLoopExited
	case "verify.answered":
		return run.RowVerifyAnswered
	}
	return run.RowNodeNote
}

// maxEvents is how much a document may do in all, replays left out: each event is a row of the journal.
const maxEvents = 1_000_000

// maxBehind is how many events may wait for a commit before the interpretation waits for it.
const maxBehind = 500

var errTooLong = fmt.Errorf("the document did more than %d things: a loop of it does not end", maxEvents)

// longer counts an event, and stops the interpretation of a document that goes on and on.
func (d *document) longer() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.events++; d.events <= maxEvents {
		return false
	}
	d.stop(errTooLong)
	return true
}

// keepUp has the interpretation wait where the journal is far behind.
func (d *document) keepUp() {
	d.s.mu.Lock()
	behind := len(d.s.deferred)
	d.s.mu.Unlock()
	if behind > maxBehind {
		// What cannot be written is written by the next append, or the run is no longer this process's.
		_ = d.s.flush(context.Background())
	}
}

// Observe writes an event down once: a process that takes the run over sees them all again. The row waits for the next
// append; where a crash loses it, it is seen again.
func (d *document) Observe(event dsl.Event) {
	name := fmt.Sprintf("%s/%d", event.Type, d.nth(event.Path+" "+event.Type))
	key := journal.NodeKey(event.Path, inRound(name, d.round))
	d.s.mu.Lock()
	known := d.s.tree.Noted(key)
	d.s.mu.Unlock()
	if d.longer() || known {
		return
	}
	body := run.NodeEvent{Node: event.Path, Label: event.Label, Kind: string(event.Kind), Event: event.Type}
	if event.Detail != nil {
		body.Detail = json.RawMessage(dsl.JSON(event.Detail))
	}
	if err := d.s.later(run.NewRow(eventRow(event.Type), key, body, nil)); err != nil {
		d.s.options.Log.Error("an event of a node could not be folded", "run", d.s.runID, "node", event.Path, "error", err)
	}
	d.keepUp()
}
