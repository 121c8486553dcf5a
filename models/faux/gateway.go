package faux

import (
	"cmp"
	"context"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentrun/agentrun/run"
)

// The defaults of Options.
const (
	DefaultMaxBody = 32 << 20
	DefaultKeep    = 100_000
)

// Options are how a gateway behaves beside its script. The zero value takes any key and keeps its records in memory.
type Options struct {
	// RequireKey is the API key every request must carry; empty: any key, or none, will do.
	RequireKey string
	// MaxBody is the largest request body, in bytes (0: DefaultMaxBody).
	MaxBody int64
	// Keep is how many records are kept at least (0: DefaultKeep).
	Keep int
	// Dir is where relative names of hold_until_file are looked for (empty: the working directory).
	Dir string
	// Log gets a line for every request that has ended; nil: none.
	Log io.Writer
	// Ledger is the path of a file that gets a JSON line for every request when its answer begins and when it has ended.
	// A file that exists is continued: its requests count as this gateway's.
	Ledger string
	// Now is the clock (nil: time.Now).
	Now func() time.Time
}

// Gateway answers provider requests from a script. It is an http.Handler, safe for use by many at once.
type Gateway struct {
	program *program
	options Options
	book    *book
	ledger  *ledger
	log     sync.Mutex
	// stopping: the gateway is being stopped, so that a request that ends now was not left by its client.
	stopping atomic.Bool
}

// New makes a gateway. It refuses a script with faults (a *run.Error of code ErrScript) and a ledger it cannot open.
func New(script Script, options Options) (*Gateway, error) {
	program, err := compile(script)
	if err != nil {
		return nil, err
	}
	options.MaxBody = cmp.Or(options.MaxBody, DefaultMaxBody)
	options.Keep = cmp.Or(options.Keep, DefaultKeep)
	if options.Now == nil {
		options.Now = time.Now
	}
	g := &Gateway{program: program, options: options, book: newBook(options.Keep)}
	if options.Ledger != "" {
		if g.ledger, err = openLedger(options.Ledger, g.replay); err != nil {
			return nil, err
		}
		g.book.closeOpen()
	}
	return g, nil
}

// replay takes over one line of an old ledger.
func (g *Gateway) replay(line entry) {
	switch line.Event {
	case eventReset:
		g.forget()
	case eventBegin:
		g.book.replayBegin(line.Record)
		for _, rule := range g.program.rules {
			if rule.name == line.Rule {
				rule.used.Add(1)
				break
			}
		}
	case eventEnd:
		g.book.replayEnd(line.Record)
	}
}

// Requests are the requests so far, oldest first; those under way are Open.
func (g *Gateway) Requests() []Record { return g.book.list() }

// Repeats are the requests that were answered whole more than once within one conversation.
func (g *Gateway) Repeats() []Repeat { return repeats(g.book.list()) }

// Wait returns the requests as soon as they fulfil a condition, or with ctx's error.
func (g *Gateway) Wait(ctx context.Context, enough func([]Record) bool) ([]Record, error) {
	return g.book.wait(ctx, enough)
}

// Reset forgets all requests and uses of rules. Requests under way are no longer recorded.
func (g *Gateway) Reset() error {
	g.forget()
	if g.ledger != nil {
		return g.ledger.append(eventReset, nil)
	}
	return nil
}

func (g *Gateway) forget() {
	g.book.reset()
	for _, rule := range g.program.rules {
		rule.used.Store(0)
	}
}

// Close closes the ledger.
func (g *Gateway) Close() error {
	if g.ledger != nil {
		return g.ledger.close()
	}
	return nil
}

// Models are the script's models as the product's catalogue takes them; the first is the default.
func (g *Gateway) Models() []run.Model { return catalogue(g.program.models) }

// lists finds a model by the name a request gives it, with or without the provider's name before it.
func (g *Gateway) lists(name string) (Model, bool) {
	name = strings.TrimPrefix(name, provider+"/")
	for _, model := range g.program.models {
		if model.ID == name {
			return model, true
		}
	}
	return Model{}, false
}
