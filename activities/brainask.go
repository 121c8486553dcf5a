package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// next is the model request that the program makes next: the one the journal waits for, or one of the program's own. It
// is nil where the journal has something else to be done first, a person cut in, or the program cannot go on, which is
// then on record.
func (b *brain) next(ctx context.Context, t *thread, turn int) (*asked, error) {
	b.driving.Lock()
	defer b.driving.Unlock()
	waitContext, done := t.waiting(ctx)
	defer done()
	for {
		position := t.position()
		if position.Phase != journal.PhaseRequest || position.Turn != turn || !quiet(position.Inbox) {
			return nil, nil
		}
		found, err := b.look(waitContext, t)
		switch {
		case found != nil:
			return found, nil
		case waitContext.Err() != nil:
			// The row of the person who cut in is read before anything else is decided.
			return nil, t.load(ctx)
		case err == nil:
			continue
		}
		died, is := errors.AsType[*death](err)
		if !is {
			return nil, err
		}
		if over, err := b.bury(ctx, t, died); over || err != nil {
			return nil, err
		}
	}
}

// death is why a session of the program brought no answer.
type death struct {
	code, message string
	// stray: it asked for something else than what comes next.
	stray bool
}

func (d *death) Error() string { return d.message }

// bury ends a session that brought no answer, and says whether it was one too many.
func (b *brain) bury(ctx context.Context, t *thread, died *death) (over bool, err error) {
	b.mu.Lock()
	gone := b.open
	b.mu.Unlock()
	if gone != nil && gone.resumed && !gone.heard {
		b.mute++
	}
	b.last = died.message
	t.options.Log.Warn("a session of a command-line agent ended before it brought an answer",
		"run", t.runID, "harness", b.name, "reason", died.message)
	if err := b.end(); err != nil {
		return false, err
	}
	count, limit := &b.deaths, maxDeaths
	if died.stray {
		count, limit = &b.stray, maxStray
		row := run.NewRow(run.RowWarning, t.key(fmt.Sprintf("%s/stray", sessionName(t, b.count))), run.Warning{
			Node: t.node, Code: "harness_diverged", Message: bounded(died.message),
		}, nil)
		if err := t.later(row); err != nil {
			return false, err
		}
	}
	if *count++; *count < limit {
		return false, nil
	}
	message := fmt.Sprintf("%s (%d times in a row)", died.message, *count)
	return true, b.fail(ctx, t, died.code, message)
}

// look waits for one thing to happen to the session, and is the request to make where that is it. An error that is a
// *death is the program's fault.
func (b *brain) look(ctx context.Context, t *thread) (*asked, error) {
	if err := b.ready(ctx, t); err != nil {
		if lack, is := errors.AsType[*lacking](err); is {
			return nil, b.fail(ctx, t, "harness_unavailable", lack.Error())
		}
		if _, is := errors.AsType[*stillborn](err); is && ctx.Err() == nil {
			return nil, &death{code: "harness_start_failed", message: err.Error()}
		}
		return nil, err
	}
	b.mu.Lock()
	session, news := b.open, b.news
	if session == nil {
		b.mu.Unlock()
		return nil, nil // dismissed meanwhile: ready says so
	}
	first := session.take()
	idle, fault := session.idle, session.fault
	b.mu.Unlock()
	if first != nil {
		return b.sort(t, first)
	}
	if idle {
		return nil, &death{code: "harness_gave_up", message: fmt.Sprintf("%s ended its turn without an answer%s", b.name, because(fault))}
	}
	timer := time.NewTimer(b.bounds.Ask)
	defer timer.Stop()
	select {
	case <-news:
	case <-session.session.Done():
		return nil, &death{code: "harness_ended", message: fmt.Sprintf("%s: %s", b.name, reasonOf(session.session.Err()))}
	case <-t.draining:
		return nil, t.hold(context.WithoutCancel(ctx))
	case <-ctx.Done():
	case <-timer.C:
		return nil, &death{
			code: "harness_silent", message: fmt.Sprintf("%s asked for nothing for %s", b.name, b.bounds.Ask),
		}
	}
	return nil, nil
}

// take is the first request that still has somebody waiting for it, and leaves it in line; the brain's lock is held.
func (o *opened) take() *asked {
	for len(o.waiting) > 0 && o.waiting[0].gone {
		o.waiting = o.waiting[1:]
	}
	if len(o.waiting) == 0 {
		return nil
	}
	return o.waiting[0]
}

// sort says what a request is: one that was answered before and is answered again from the journal, the next one, one of
// the program's own, or none that could come now.
func (b *brain) sort(t *thread, a *asked) (*asked, error) {
	if !a.Main {
		return a, nil
	}
	t.mu.Lock()
	items, _ := t.fold.Messages()
	expected := b.harness.Driver.Answers(messagesOf(items))
	newest, has := t.fold.Newest()
	again := t.recorded(newest)
	t.mu.Unlock()
	place := a.Place + a.from.base
	switch {
	case place == expected:
		return a, nil
	case place == expected-1 && has && a.Wire.Digest == newest.Digest:
		b.leave(a)
		a.give(again, nil)
		return nil, nil
	}
	return nil, &death{stray: true, code: "harness_diverged", message: fmt.Sprintf(
		"%s asked for answer %d of the conversation, where answer %d comes next", b.name, place+1, expected+1)}
}

// leave takes a request out of the line.
func (b *brain) leave(a *asked) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept := a.from.waiting[:0:0]
	for _, other := range a.from.waiting {
		if other != a {
			kept = append(kept, other)
		}
	}
	a.from.waiting = kept
}

// stillThere tells whether somebody waits for the request's answer, in the session that is open.
func (b *brain) stillThere(a *asked) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open == a.from && !a.gone
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func reasonOf(err error) string {
	if err == nil {
		return "it was closed"
	}
	return err.Error()
}
