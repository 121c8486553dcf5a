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
	kept := room{left: c.maxAnswer}
	switch r.Model.API {
	case APIResponses:
		return spoken{send: sendResponses, data: encodeResponses(r), decode: &responsesDecoder{room: kept, onDelta: onDelta}}, nil
	case APIMessages:
		return spoken{send: sendMessages, data: encodeMessages(r), decode: &messagesDecoder{room: kept, onDelta: onDelta}}, nil
	case APIChat:
		return spoken{send: sendChat, data: encodeChat(r), decode: &chatDecoder{room: kept, onDelta: onDelta}}, nil
	case APIJev:
		data, err := encodeJev(r)
		return spoken{send: sendJev, data: data, decode: &jevDecoder{}, whole: true}, err
	default:
		return spoken{}, fmt.Errorf("model %s has an unknown protocol %q", r.Model.ID, r.Model.API)
	}
}
