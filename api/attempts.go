package api

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Sign-in attempts of one address: so many failures in a window, then none until it is over.
const (
	maxFailures   = 10
	failureWindow = time.Minute
	maxAddresses  = 10_000
)

// attempts counts failed sign-ins by address. It is safe for concurrent use.
type attempts struct {
	now func() time.Time

	mu    sync.Mutex
	known map[string]*failures
}

type failures struct {
	since time.Time
	count int
}

func newAttempts(now func() time.Time) *attempts {
	return &attempts{now: now, known: map[string]*failures{}}
}

// wait is how long an address must wait before its next attempt (0: not at all).
func (a *attempts) wait(address string) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.known[address]
	if f == nil || f.count < maxFailures {
		return 0
	}
	return max(0, failureWindow-a.now().Sub(f.since))
}

// failed counts one failure.
func (a *attempts) failed(address string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	f := a.known[address]
	if f == nil || now.Sub(f.since) >= failureWindow {
		a.forget(now)
		f = &failures{since: now}
		a.known[address] = f
	}
	f.count++
}

// forget drops what is over, and everything where too many addresses were seen: a bounded memory matters more than the
// count of an attacker who has ten thousand addresses.
func (a *attempts) forget(now time.Time) {
	if len(a.known) < maxAddresses {
		return
	}
	for address, f := range a.known {
		if now.Sub(f.since) >= failureWindow {
			delete(a.known, address)
		}
	}
	if len(a.known) >= maxAddresses {
		clear(a.known)
	}
}

func remoteHost(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
