package main

import "github.com/agentrun/agentrun/client"

// view shows a run while it works.
type view interface {
	event(e client.Event)
	// close ends the showing; what comes after is written below it.
	close()
}

// jsonRows writes each row as one line of JSON.
type jsonRows struct{ term *terminal }

func (v *jsonRows) event(e client.Event) {
	if e.Row != nil {
		v.term.printf("%s\n", e.Row.Body)
	}
}

func (v *jsonRows) close() {}

// textRows writes each row for a person to read.
type textRows struct{ term *terminal }

func (v *textRows) event(e client.Event) {
	if e.Row != nil {
		v.term.printf("%s\n", rowText(*e.Row))
	}
}

func (v *textRows) close() {}

// plainLines writes a line to err each time the run takes a step worth a line: for logs and pipes.
type plainLines struct {
	term *terminal
	id   string
	now  progress
}

func newPlainLines(term *terminal, id string) *plainLines { return &plainLines{term: term, id: id} }

func (v *plainLines) event(e client.Event) {
	if e.Row != nil && v.now.add(*e.Row) {
		v.term.errorf("%s %s", v.id, v.now.String())
	}
}

func (v *plainLines) close() {}
