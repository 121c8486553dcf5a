package models

import (
	"fmt"
	"time"
)

// wholeTimeout is how long an answer that comes in one piece may take: nothing of it shows that work goes on.
const wholeTimeout = 30 * time.Second

// spoken is a request in its protocol: its body, how it is sent and who reads the answer.
type spoken struct {
	send   sender
	data   []byte
	decode decoder
	// whole: the answer comes in one piece instead of as a stream.
	whole bool
}

// speak puts a request in its protocol; it is an error where the protocol has no words for it.
func (c *Client) speak(r Request, onDelta func(Delta)) (spoken, error) {
	if r.Wire != nil && r.Model.API != APIResponses && r.Model.API != APIMessages {
		return spoken{}, fmt.Errorf("a program's own request cannot be sent to model %s, which speaks %q", r.Model.ID, r.Model.API)
	}
	kept := room{left: c.maxAnswer}
	switch r.Model.API {
	case APIResponses:
		data, err := written(r, encodeResponses)
		return spoken{send: sendResponses, data: data, decode: &responsesDecoder{room: kept, onDelta: onDelta}}, err
	case APIMessages:
		data, err := written(r, encodeMessages)
		return spoken{send: sendMessages, data: data, decode: &messagesDecoder{room: kept, onDelta: onDelta}}, err
	case APIChat:
		return spoken{send: sendChat, data: encodeChat(r), decode: &chatDecoder{room: kept, onDelta: onDelta}}, nil
	case APIJev:
		data, err := encodeJev(r)
		return spoken{send: sendJev, data: data, decode: &jevDecoder{}, whole: true}, err
	default:
		return spoken{}, fmt.Errorf("model %s has an unknown protocol %q", r.Model.ID, r.Model.API)
	}
}

// written is a request's body: the one another program wrote, or ours.
func written(r Request, encode func(Request) []byte) ([]byte, error) {
	if r.Wire == nil {
		return encode(r), nil
	}
	data, err := r.Wire.Body(ceiling(r))
	if err != nil {
		return nil, fmt.Errorf("the request to model %s cannot be written: %w", r.Model.ID, err)
	}
	return data, nil
}
