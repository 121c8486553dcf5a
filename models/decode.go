package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// event is one event of a provider's stream.
type event struct {
	kind string
	data []byte
}

// decoder makes an answer of a stream's events. An error that is not a *fault says that the stream is no answer of the
// protocol.
type decoder interface {
	// take reads the next event; done says that no more are needed.
	take(e event) (done bool, err error)
	// answer is the whole answer; it is an error where the stream ended before it was complete.
	answer() (Answer, error)
}

var (
	errIncomplete = errors.New("the stream ended before the answer was complete")
	errTooLarge   = errors.New("the answer is larger than this server takes")
)

// decodeEvent reads an event's JSON. Bytes that are not UTF-8 are an error: encoding/json would change them silently.
func decodeEvent(e event, v any) error {
	if !utf8.Valid(e.data) {
		return errors.New("an event is not UTF-8")
	}
	if err := json.Unmarshal(e.data, v); err != nil {
		return fmt.Errorf("an event is not what the protocol says: %w", err)
	}
	return nil
}

// check is an error for an event that is none; what it says is of no interest.
func (e event) check() error {
	var fields struct{}
	return decodeEvent(e, &fields)
}

// room is how many bytes of an answer may still be kept.
type room struct{ left int64 }

func (r *room) take(size int) error {
	r.left -= int64(size)
	if r.left < 0 {
		return errTooLarge
	}
	return nil
}

// distinct refuses calls that share an id: their results could not be told apart.
func distinct(calls []Call) error {
	seen := make(map[string]bool, len(calls))
	for _, call := range calls {
		if seen[call.ID] {
			return fmt.Errorf("two tool calls have the id %q", call.ID)
		}
		seen[call.ID] = true
	}
	return nil
}
