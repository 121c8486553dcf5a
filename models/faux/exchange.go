package faux

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// holdPoll is how often a held answer looks for its file.
const holdPoll = 10 * time.Millisecond

// identify sets the headers by which clients quote a request.
func (x *exchange) identify(id string) {
	header := x.w.Header()
	header["X-Request-Id"] = []string{id}
	header["Request-Id"] = header["X-Request-Id"]
}

func (x *exchange) requestID() string {
	return "req_" + strconv.FormatInt(x.record.N, 10)
}

// begin writes down which rule answers, before anything of the answer is sent; false: the ledger cannot be written.
func (x *exchange) begin(rule string) bool {
	x.gateway.book.update(x.record, func(r *Record) { r.Rule = rule })
	return x.append(eventBegin, x.record)
}

func (x *exchange) append(event string, record *Record) bool {
	if x.gateway.ledger == nil {
		return true
	}
	err := x.gateway.ledger.append(event, record)
	x.failed = cmp.Or(x.failed, err)
	return err == nil
}

// end writes down how the request ended: in the ledger, in the log, then in the book. It comes just before the last of the
// answer is sent, so that a client that has its answer finds it in the book; where sending fails then, it comes again.
// Status is 0 where nothing was sent.
func (x *exchange) end(outcome Outcome, status int) {
	g := x.gateway
	ended := *x.record // which nobody else changes
	ended.Outcome, ended.Status = outcome, status
	ended.DurationMS = float64(g.options.Now().Sub(x.started).Microseconds()) / 1000
	ended.Usage, ended.Error = x.usage, x.refusal
	x.append(eventEnd, &ended)
	if g.options.Log != nil {
		g.logLine(&ended, x.failed)
	}
	g.book.update(x.record, func(r *Record) { *r = ended })
}

// logLine prints a request that has ended.
func (g *Gateway) logLine(r *Record, failed error) {
	line := fmt.Sprintf("#%d %s %s turn %d attempt %d rule %q: %s %d in %.1f ms, user %q",
		r.N, r.Protocol, r.Model, r.Turn, r.Attempt, r.Rule, r.Outcome, r.Status, r.DurationMS, r.User)
	if r.Error != "" {
		line += ", error " + strconv.Quote(r.Error)
	}
	if failed != nil {
		line += ", ledger " + strconv.Quote(failed.Error())
	}
	g.log.Lock()
	defer g.log.Unlock()
	_, _ = fmt.Fprintln(g.options.Log, line) // a log that cannot be written must not stop an answer
}

// hold passes the time a reply waits before it is sent; false: the client or the gateway has gone.
func (x *exchange) hold(from *reply, fill *filling) bool {
	if from.Delay > 0 && !x.pause(time.Duration(from.Delay)) {
		return false
	}
	if from.HoldUntilFile != "" && !x.awaitFile(from.holdFile.fill(fill)) {
		return false
	}
	if from.Hang {
		<-x.request.Context().Done()
		return false
	}
	return true
}

// pause waits; false: the client or the gateway has gone.
func (x *exchange) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.request.Context().Done():
		return false
	}
}

// awaitFile waits until a file exists; false: the client or the gateway has gone.
func (x *exchange) awaitFile(name string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(x.gateway.options.Dir, name)
	}
	ticker := time.NewTicker(holdPoll)
	defer ticker.Stop()
	for {
		if _, err := os.Stat(name); err == nil {
			return true
		}
		select {
		case <-ticker.C:
		case <-x.request.Context().Done():
			return false
		}
	}
}

// left is the outcome of a request that ended before its answer was whole.
func (x *exchange) left() Outcome {
	if x.gateway.stopping.Load() {
		return Stopped
	}
	return ClientGone
}
