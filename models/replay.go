package models

import (
	"bytes"
	"cmp"
	"encoding/json"
)

// Replay is a recorded answer as it is given to a program that speaks the protocol. The same Replay is always the same
// bytes.
type Replay struct {
	// ID names the answer; the ids of its parts are made of it.
	ID string
	// Model is the model the program is told answered; empty, it is the one that did.
	Model  string
	Answer Answer
}

func (r Replay) model() string { return cmp.Or(r.Model, r.Answer.ServedModel) }

// recorded are the items of the answer's native array; nil where it has none, and the answer is told by what it says.
func (r Replay) recorded() []json.RawMessage {
	var items []json.RawMessage
	if json.Unmarshal(r.Answer.Native, &items) != nil || len(items) == 0 {
		return nil
	}
	for _, item := range items {
		if !bytes.HasPrefix(item, []byte("{")) {
			return nil
		}
	}
	return items
}

// spokenArgs are a call's arguments as the model wrote them: those that were no JSON are on record as a JSON string.
func spokenArgs(args json.RawMessage) string {
	text := argumentText(args)
	if len(args) > 0 && (text == "" || json.Valid([]byte(text))) {
		return string(args)
	}
	return text
}

// script is a stream of events under way.
type script struct{ buf []byte }

// event writes one event under the name of its type; write adds the event's fields.
func (s *script) event(kind string, write func(b *body)) {
	b := body{}
	b.open('{')
	b.field("type", kind)
	write(&b)
	b.close('}')
	s.buf = append(s.buf, "event: "+kind+"\ndata: "...)
	for _, c := range b.buf {
		// The data is one line. JSON has line ends only where a space is as good.
		if c == '\n' || c == '\r' {
			c = ' '
		}
		s.buf = append(s.buf, c)
	}
	s.buf = append(s.buf, "\n\n"...)
}

// items writes an array of JSON values.
func (b *body) items(name string, items []json.RawMessage) {
	b.key(name)
	b.open('[')
	for _, item := range items {
		b.raw(item)
	}
	b.close(']')
}

// null writes a field that has no value.
func (b *body) null(name string) { b.rawField(name, nil) }

// object writes a field that is an object; write adds its fields.
func (b *body) object(name string, write func()) {
	b.key(name)
	b.open('{')
	write()
	b.close('}')
}
