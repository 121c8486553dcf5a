package faux

import (
	"errors"
	"net/http"
	"sort"
	"strconv"
	"time"
)

// The headers of every answer, made once.
var (
	jsonHeader   = []string{typeJSON}
	streamHeader = []string{typeStream}
	noCache      = []string{"no-cache"}
)

// garbage is an event that is neither JSON nor UTF-8.
const garbage = "event: \xff\xfe\ndata: {\"type\": \xc3\x28, unfinished\n\n"

// send sends an answer with the pauses and the fault its reply asks for; abort asks for the connection to be closed.
func (x *exchange) send(out *wire, made *answer, from *reply) (abort bool) {
	header := x.w.Header()
	if out.stream {
		header["Content-Type"] = streamHeader
		header["Cache-Control"] = noCache
	} else {
		header["Content-Type"] = jsonHeader
		if from.Fault == nil {
			header["Content-Length"] = []string{strconv.Itoa(len(out.buf))}
		}
	}
	limit := len(out.buf)
	if from.Fault != nil {
		limit = from.Fault.offset(out)
	}
	sent := 0
	if from.ChunkDelay > 0 {
		for _, at := range out.pauses {
			if at >= limit {
				break
			}
			if !x.write(out.buf[sent:at]) || !x.flush() || !x.pause(time.Duration(from.ChunkDelay)) {
				x.end(x.left(), http.StatusOK)
				return false
			}
			sent = at
		}
	}
	switch {
	case x.request.Context().Err() != nil:
		x.end(x.left(), http.StatusOK)
	case from.Fault != nil:
		return x.breakOff(from.Fault, out, sent, limit, made)
	default:
		x.end(Completed, http.StatusOK)
		if !x.write(out.buf[sent:]) || !x.flush() {
			x.end(x.left(), http.StatusOK)
		}
	}
	return false
}

func (x *exchange) write(data []byte) bool {
	_, err := x.w.Write(data)
	return err == nil
}

// flush hands what has been written to the system; a writer that cannot flush does so when the answer ends.
func (x *exchange) flush() bool {
	err := http.NewResponseController(x.w).Flush()
	return err == nil || errors.Is(err, http.ErrNotSupported)
}

// breakOff sends what comes before a fault, and then what the fault says. That the client may have gone meanwhile makes
// no difference.
func (x *exchange) breakOff(fault *Fault, out *wire, sent, limit int, made *answer) (abort bool) {
	before := out.buf[sent:limit]
	if fault.Kind == FaultStall {
		x.write(before)
		x.flush()
		<-x.request.Context().Done()
		x.end(Cut, http.StatusOK)
		return false
	}
	x.end(Cut, http.StatusOK)
	x.write(before)
	switch fault.Kind {
	case FaultCut:
		x.flush()
		return true
	case FaultGarbage:
		x.write([]byte(garbage))
		x.write(out.buf[limit:])
	case FaultError:
		if out.stream {
			event := &wire{}
			made.writeFailure(event, sort.SearchInts(out.ends, limit+1))
			x.write(event.buf)
		}
	}
	return false
}

// offset is where in an answer the fault comes.
func (f *Fault) offset(out *wire) int {
	size := len(out.buf)
	eventsOnly := f.Kind == FaultGarbage || f.Kind == FaultError
	switch {
	case f.AfterBytes != nil:
		return min(*f.AfterBytes, size)
	case f.AfterEvents != nil:
		return f.afterEvents(out, *f.AfterEvents)
	case eventsOnly:
		return f.afterEvents(out, len(out.ends)/2)
	}
	return size / 2
}

func (f *Fault) afterEvents(out *wire, n int) int {
	n = min(n, len(out.ends))
	at := 0
	if n > 0 {
		at = out.ends[n-1]
	}
	if f.MidEvent && n < len(out.ends) {
		at += (out.ends[n] - at) / 2
	}
	return at
}
