package faux

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// How much of a user's message and of an error a record keeps, in bytes.
const (
	userExcerpt  = 200
	errorExcerpt = 500
)

var (
	copyBuffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}
	wires       = sync.Pool{New: func() any { return &wire{} }}
)

// readBody reads a request's body; status is set where it is refused.
func (g *Gateway) readBody(w http.ResponseWriter, r *http.Request) (body string, status int, err error) {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return "", http.StatusUnsupportedMediaType, fmt.Errorf("the body is encoded as %s; send it plain", quoted(coding))
	}
	const trusted = 1 << 20 // of what the client says the length is
	var text strings.Builder
	if r.ContentLength > 0 {
		text.Grow(int(min(r.ContentLength, trusted)))
	}
	buffer, _ := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(buffer)
	if _, err := io.CopyBuffer(&text, http.MaxBytesReader(w, r.Body, g.options.MaxBody), *buffer); err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return "", http.StatusRequestEntityTooLarge, fmt.Errorf("the body is larger than %d bytes", g.options.MaxBody)
		}
		return "", http.StatusBadRequest, fmt.Errorf("the body broke off: %w", err)
	}
	return text.String(), 0, nil
}

// exchange is one request on its way through the gateway.
type exchange struct {
	gateway *Gateway
	w       http.ResponseWriter
	request *http.Request
	record  *Record
	started time.Time
	// usage is what the answer reports, refusal why the gateway itself refuses to answer.
	usage   *Usage
	refusal string
	// failed is why the ledger could not be written.
	failed error
}

// answer answers a request for a completion.
func (g *Gateway) answer(w http.ResponseWriter, r *http.Request, protocol Protocol) {
	now := g.options.Now()
	x := &exchange{
		gateway: g, w: w, request: r, started: now,
		record: &Record{At: now.UTC(), Protocol: protocol, Outcome: Open},
	}
	body, status, err := g.readBody(w, r)
	if err != nil {
		g.book.begin(x.record)
		x.refuse(status, &ErrorBody{Message: err.Error()}, "")
		return
	}
	talk, bad := read(protocol, body)
	if bad != nil {
		g.book.begin(x.record)
		x.refuse(http.StatusBadRequest, &ErrorBody{Message: bad.message}, bad.param)
		return
	}
	x.describe(talk)
	n := g.book.begin(x.record)
	if g.program.strict {
		if _, ok := g.lists(talk.model); !ok {
			x.refuse(http.StatusNotFound, noModel(talk.model), "model")
			return
		}
	}
	chosen, ok := g.program.choose(talk, n)
	if !ok {
		x.refuse(http.StatusBadRequest, g.noRule(talk, n), "")
		return
	}
	if abort := x.reply(talk, chosen, n); abort {
		panic(http.ErrAbortHandler) // the only way to close a connection in the middle of a response
	}
}

// describe writes down what is asked.
func (x *exchange) describe(talk *conversation) {
	x.record.Model = strings.Clone(talk.model)
	x.record.Stream = talk.stream
	x.record.Digest = talk.digest
	x.record.Conversation = talk.key
	x.record.Turn, x.record.Step = talk.turn, talk.step
	x.record.User = excerpt(talk.lastUser, userExcerpt)
	x.record.OutputLimit = talk.outputLimit
}

// noRule says that no rule matches, what the request was, and why the first rules do not match it.
func (g *Gateway) noRule(talk *conversation, n counts) *ErrorBody {
	last := "the last user message " + quoted(excerpt(talk.lastUser, userExcerpt))
	if k := len(talk.results); k > 0 && !talk.fromUser {
		last += ", then " + strconv.Itoa(k) + " tool results, the last of " + quoted(talk.results[k-1].name)
	}
	return &ErrorBody{
		Code: "no_rule_matches",
		Message: fmt.Sprintf("no rule of the script matches this request (%s, model %s, turn %d, step %d, request %d; %s)%s",
			talk.protocol, quoted(talk.model), talk.turn, talk.step, n.request, last, g.program.explain(talk, n)),
	}
}

// refuse answers with an error of the gateway's own.
func (x *exchange) refuse(status int, body *ErrorBody, param string) {
	x.begin("")
	x.identify(x.requestID())
	x.refusal = excerpt(body.Message, errorExcerpt)
	x.end(Refused, status)
	writeError(x.w, x.record.Protocol, status, body, param)
}

// reply answers with the rule's reply; abort asks for the connection to be closed.
func (x *exchange) reply(talk *conversation, chosen choice, n counts) (abort bool) {
	fill := &filling{talk: talk, request: n.request, matches: chosen.matches}
	from := chosen.reply
	id := talk.digest[:16] + "t" + strconv.FormatInt(n.attempt, 10)
	header := x.w.Header()
	for name, value := range from.Headers {
		header.Set(name, value)
	}
	x.identify("req_" + id)
	if !x.begin(chosen.rule.name) {
		x.refusal = x.failed.Error()
		x.end(Refused, http.StatusInternalServerError)
		writeError(x.w, talk.protocol, http.StatusInternalServerError, &ErrorBody{Message: x.refusal}, "")
		return false
	}
	if !x.hold(from, fill) {
		x.end(x.left(), 0)
		return false
	}
	if from.Status != 0 {
		x.scriptedError(talk.protocol, from)
		return false
	}
	out, _ := wires.Get().(*wire)
	defer recycle(out)
	fallback := x.gateway.program.usage
	made := makeAnswer(from, fill, id, x.started.Unix(), fallback, !x.gateway.takesLimit(talk.model))
	made.write(out)
	x.usage = made.usage
	return x.send(out, made, from)
}

// scriptedError refuses a request as the script says.
func (x *exchange) scriptedError(protocol Protocol, from *reply) {
	x.end(Refused, from.Status)
	if from.Body == "" {
		writeError(x.w, protocol, from.Status, from.Error, "")
	} else {
		if x.w.Header().Get("Content-Type") == "" {
			x.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		x.w.WriteHeader(from.Status)
		_, _ = io.WriteString(x.w, from.Body) // a client that is gone learns nothing
	}
}

// recycle keeps a wire for the next answer, unless it has grown large.
func recycle(out *wire) {
	const large = 1 << 20
	if cap(out.buf) > large {
		return
	}
	*out = wire{buf: out.buf[:0], ends: out.ends[:0], pauses: out.pauses[:0]}
	wires.Put(out)
}
