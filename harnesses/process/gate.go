package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/agentrun/agentrun/harnesses/process/confine"
)

// Gate is the one address that a program can reach: a listener of this process which, where the program is confined, stands
// in the program's own network. A gate is for one program.
type Gate struct {
	// URL is where the program finds it (http://127.0.0.1:PORT), known at once.
	URL string

	confined bool
	// place is where its program runs, nil for one that is made with the program.
	place    *place
	mu       sync.Mutex
	listener net.Listener
	closed   bool
}

// OpenGate opens a gate. Where confinement is not wanted, or Confinement says that there is none, it is a listener on
// loopback of this machine and the program has every network this process has; Confined tells which it is.
func OpenGate(confined bool) (*Gate, error) {
	if confined {
		if ok, _ := Confinement(); ok {
			return confinedGate(), nil
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a program's gate: %w", err)
	}
	return &Gate{URL: "http://" + listener.Addr().String(), listener: listener}, nil
}

func confinedGate() *Gate {
	return &Gate{URL: fmt.Sprintf("http://127.0.0.1:%d", confine.Port), confined: true}
}

// Confined tells whether the program has no network but this gate.
func (g *Gate) Confined() bool { return g.confined }

// Listener is where the program's connections arrive. It is nil until Start has returned and after Close.
func (g *Gate) Listener() net.Listener {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.listener
}

// Close closes the listener, also one that whoever served it has closed already.
func (g *Gate) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	if g.listener == nil {
		left := g.place
		g.place = nil
		return left.end()
	}
	err := g.listener.Close()
	g.listener = nil
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// put gives a confined gate its listener.
func (g *Gate) put(listener net.Listener) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.listener != nil {
		_ = listener.Close()
		return errors.New("the program's gate is closed, or another program's")
	}
	g.listener = listener
	return nil
}

// taken is the place that the gate came with, once.
func (g *Gate) taken() *place {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed || g.listener != nil {
		return nil
	}
	taken := g.place
	g.place = nil
	return taken
}

// Confinement tells whether this system can give a program a network of its own, and why not. It finds out once, by
// doing it.
func Confinement() (ok bool, reason string) { return confinement() }

var confinement = sync.OnceValues(func() (bool, string) {
	gate := confinedGate()
	defer func() { _ = gate.Close() }()
	p, err := start(context.Background(), Options{Program: confine.Name, Marker: newMarker(), Gate: gate}, "")
	if err == nil {
		err = p.Stop()
	}
	if err != nil {
		return false, "this system gives a program no network of its own: " + err.Error()
	}
	return true, ""
})
