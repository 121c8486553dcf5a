package activities

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/run"
)

// Harness is a command-line agent that this worker can run.
type Harness struct {
	Driver cli.Driver
	// Find is where the program is now, or why it cannot be run here.
	Find func() (program, lacking string)
	// Confine tells whether the program can be kept from every network but its proxy.
	Confine func() bool
}

// HarnessBounds bound what a command-line agent may take. The zero value of each is its default.
type HarnessBounds struct {
	// Start is how long a program may take until it speaks its protocol (60 s), Ask how long until it asks for what it was
	// told (2 min), End how long after a final answer until it says that its turn is over (5 s).
	Start time.Duration `json:"start"`
	Ask   time.Duration `json:"ask"`
	End   time.Duration `json:"end"`
	// Hold is how long a program stays when its request waits for a raised cap (60 s).
	Hold time.Duration `json:"hold"`
	// Sessions is how many programs this worker runs at once (16).
	Sessions int `json:"sessions"`
}

func (b *HarnessBounds) setDefaults() {
	set := func(value *time.Duration, otherwise time.Duration) {
		if *value == 0 {
			*value = otherwise
		}
	}
	set(&b.Start, time.Minute)
	set(&b.Ask, 2*time.Minute)
	set(&b.End, 5*time.Second)
	set(&b.Hold, time.Minute)
	if b.Sessions == 0 {
		b.Sessions = 16
	}
}

// maxDeaths is how many sessions of a program in a row may end before they brought an answer, and maxStray how many may
// ask for something else than what the journal says comes next.
const (
	maxDeaths = 3
	maxStray  = 3
)

// brain is a command-line agent that speaks for a thread. Its session knows what the journal says and nothing more: it
// can be closed at any moment, and is opened again from the journal.
type brain struct {
	name    string
	harness Harness
	bounds  HarnessBounds
	slots   chan struct{}

	// driving lets one step at a time open, close and read; mu guards what the program's own requests change.
	driving sync.Mutex
	mu      sync.Mutex
	t       *thread
	open    *opened
	// count numbers the sessions of this claim; deaths and stray count as maxDeaths and maxStray say; last is how the last
	// session ended.
	count, deaths, stray int
	last                 string
	// dismissed: the run is no longer this process's, and no session may be opened any more.
	dismissed bool
	// mute counts the sessions in a row that were opened on a conversation and ended without a word.
	mute int
	// news is closed, and made anew, whenever something of mu changes.
	news chan struct{}
}

// opened is one session of the program, as long as it lasts.
type opened struct {
	session cli.Session
	dir     string
	// n is the session's number.
	n int
	// told is what it was told of the conversation; base counts the answers it was told of in words only.
	told told
	base int
	// resumed: it was opened on a conversation; heard: it asked for something.
	resumed, heard bool
	waiting        []*asked
	// idle: its turn has ended, with fault as the reason it gave up.
	idle  bool
	fault string
	over  bool
	// unasked counts the tool calls that no answer asked for.
	unasked int
}

// told counts what of a conversation a program knows beside the model's answers and the results of its calls.
type told struct{ compactions, words int }

// asked is one model request of the program's that waits for its answer.
type asked struct {
	cli.Ask
	from   *opened
	gone   bool
	done   chan struct{}
	answer cli.Answer
	err    error
}

func newBrain(name string, harness Harness, bounds HarnessBounds, slots chan struct{}) *brain {
	return &brain{name: name, harness: harness, bounds: bounds, slots: slots, news: make(chan struct{})}
}

// speaks makes the program speak for the thread from now on.
func (b *brain) speaks(t *thread) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t = t
	b.count, b.deaths, b.stray = 0, 0, 0
}

// tell says that something changed; mu is held.
func (b *brain) tell() {
	close(b.news)
	b.news = make(chan struct{})
}

// close ends the session, if there is one, and everything it started. The error says what is left.
func (b *brain) close() error {
	b.driving.Lock()
	defer b.driving.Unlock()
	return b.end()
}

// end is close for who drives the brain.
func (b *brain) end() error {
	b.mu.Lock()
	gone := b.open
	b.mu.Unlock()
	if gone == nil {
		return nil
	}
	return b.finish(gone)
}

// finish ends one session, once.
func (b *brain) finish(gone *opened) error {
	b.mu.Lock()
	first := !gone.over
	gone.over = true
	if b.open == gone {
		b.open = nil
	}
	b.tell()
	b.mu.Unlock()
	err := gone.session.Close()
	if first {
		<-b.slots
	}
	if err != nil {
		return fmt.Errorf("end the session of %s: %w", b.name, err)
	}
	return removeAll(gone.dir)
}

// dismiss ends the session whatever its driver is about: the run is no longer this process's to drive.
func (b *brain) dismiss() error {
	b.mu.Lock()
	b.dismissed = true
	gone := b.open
	b.mu.Unlock()
	if gone == nil {
		return nil
	}
	return b.finish(gone)
}

// fail records that the conversation cannot go on, for the program cannot.
func (b *brain) fail(ctx context.Context, t *thread, code, message string) error {
	row := run.NewRow(run.RowHarnessFailed, t.key(fmt.Sprintf("harness/failed/%d", t.position().Turn)), run.HarnessFailed{
		Node: t.node, Harness: b.name, Code: code, Message: bounded(message),
	}, nil)
	if err := t.later(row); err != nil {
		return err
	}
	return t.flush(ctx)
}

// sessionName names a session in the run's journal.
func sessionName(t *thread, n int) string {
	return fmt.Sprintf("harness/%d/%d", t.opened.Claim.Epoch, n)
}
