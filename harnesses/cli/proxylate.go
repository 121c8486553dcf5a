package cli

import (
	"net/http"
	"sync"
	"time"
)

// late keeps a program from giving up on an answer that takes long: after a while its stream gets headers, and then a
// beat from time to time. A nil late does nothing.
type late struct {
	quit, ended chan struct{}
	once        sync.Once
	begun       bool // owned by the goroutine until ended is closed
}

// startLate begins to wait, for requests that asked for a stream.
func (p *Proxy) startLate(w http.ResponseWriter, stream bool) *late {
	if !stream {
		return nil
	}
	l := &late{quit: make(chan struct{}), ended: make(chan struct{})}
	go func() {
		defer close(l.ended)
		timer := time.NewTimer(p.limits.headers)
		defer timer.Stop()
		for {
			select {
			case <-l.quit:
				return
			case <-timer.C:
			}
			if !l.begun {
				l.begun = true
				streamHeaders(w.Header())
				w.WriteHeader(http.StatusOK)
			}
			send(w, p.protocol.Beat())
			timer.Reset(p.limits.beat)
		}
	}()
	return l
}

// stop ends the beats and tells whether the headers are sent. From then on the response is the caller's alone. It may be
// called again.
func (l *late) stop() bool {
	if l == nil {
		return false
	}
	l.once.Do(func() { close(l.quit) })
	<-l.ended
	return l.begun
}
