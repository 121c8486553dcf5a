package cli

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// ask has one model request answered.
func (p *Proxy) ask(w http.ResponseWriter, r *http.Request) {
	body, fault := readBody(w, r, p.limits.body)
	if fault != nil {
		p.refuse(w, fault.status, &Refused{fault.code, fault.message})
		return
	}
	ask, stream, err := p.protocol.Read(body, r.Header)
	if err != nil {
		p.refuse(w, http.StatusBadRequest, &Refused{CodeInvalid, err.Error()})
		return
	}
	late := p.startLate(w, stream)
	defer late.stop()
	answer, err := p.host.Ask(r.Context(), ask)
	begun := late.stop()
	var refused *Refused
	switch {
	case r.Context().Err() != nil:
		panic(http.ErrAbortHandler) // there is nobody to answer, and an empty answer would be one
	case err == nil && begun:
		send(w, p.protocol.Answer(answer, true))
	case err == nil:
		p.answer(w, p.protocol.Answer(answer, stream), stream)
	case errors.As(err, &refused) && begun:
		send(w, p.protocol.StreamError(refused.Message))
	case errors.As(err, &refused):
		p.refuse(w, 0, refused)
	default:
		p.log.Warn("a model request of a program was not answered", "error", err)
		const message = "the request could not be answered"
		if begun {
			send(w, p.protocol.StreamError(message))
			return
		}
		p.refuse(w, http.StatusServiceUnavailable, &Refused{CodeUnavailable, message})
	}
}

// answer writes an answer whose headers are not sent yet, in one piece.
func (p *Proxy) answer(w http.ResponseWriter, body []byte, stream bool) {
	if stream {
		streamHeaders(w.Header())
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	send(w, body)
}

// refuse writes a refusal in the protocol's form; its status is the protocol's own where none is given.
func (p *Proxy) refuse(w http.ResponseWriter, status int, refused *Refused) {
	own, header, body := p.protocol.Refusal(refused)
	for name, values := range header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	if status == 0 {
		status = own
	}
	w.WriteHeader(status)
	send(w, body)
}

// send writes bytes and has them sent, unless the program does not take them for a while.
func send(w http.ResponseWriter, body []byte) {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(transferWait))
	if _, err := w.Write(body); err == nil { //nolint:gosec // G705: what reads it is a program that speaks the protocol
		_ = control.Flush()
	}
	_ = control.SetWriteDeadline(time.Time{})
}

func streamHeaders(header http.Header) {
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
}
