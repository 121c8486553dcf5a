package faux

import "strconv"

// wire is an answer in the bytes that go out.
type wire struct {
	buf []byte
	// ends are the offsets after each whole event, pauses those after each piece of a text but the last.
	ends, pauses []int
	stream       bool
}

// The content types of answers.
const (
	typeJSON   = "application/json"
	typeStream = "text/event-stream; charset=utf-8"
)

func (w *wire) str(s string)   { w.buf = append(w.buf, s...) }
func (w *wire) quote(s string) { w.buf = appendString(w.buf, s) }
func (w *wire) num(n int64)    { w.buf = strconv.AppendInt(w.buf, n, 10) }
func (w *wire) comma(first int) {
	if len(w.buf) > first {
		w.buf = append(w.buf, ',')
	}
}

// event begins an event of that name; its data follows, then end.
func (w *wire) event(name string) {
	w.str("event: ")
	w.str(name)
	w.str("\ndata: ")
}

// end ends an event.
func (w *wire) end() {
	w.str("\n\n")
	w.ends = append(w.ends, len(w.buf))
}

// pieces writes one event for each piece of a text, with a place for a pause between two.
func (w *wire) pieces(parts []string, write func(string)) {
	for i, part := range parts {
		if i > 0 {
			w.pauses = append(w.pauses, len(w.buf))
		}
		write(part)
	}
}

// write writes an answer in its request's protocol.
func (a *answer) write(w *wire) {
	w.stream = a.talk.stream
	switch a.talk.protocol {
	case Responses:
		(&responsesWriter{wire: w, answer: a}).write()
	case Chat:
		(&chatWriter{wire: w, answer: a}).write()
	case Messages:
		(&messagesWriter{wire: w, answer: a}).write()
	}
	if !w.stream {
		w.ends = append(w.ends, len(w.buf))
	}
}

// hasMessage: the answer has words, or nothing at all.
func (a *answer) hasMessage() bool {
	return a.text != "" || a.refusal != "" || len(a.calls) == 0
}

// writeFailure writes the event by which the protocol's stream says that it failed, after so many other events.
func (a *answer) writeFailure(w *wire, events int) {
	switch a.talk.protocol {
	case Responses:
		(&responsesWriter{wire: w, answer: a, sequence: int64(events)}).fail()
	case Chat:
		(&chatWriter{wire: w, answer: a}).fail()
	case Messages:
		(&messagesWriter{wire: w, answer: a}).fail()
	}
}
