package activities

import (
	"context"
	"fmt"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// host answers one session of a program from the run's journal.
type host struct {
	b    *brain
	from *opened
}

// Ask has a model request wait for the step that makes it; one that was answered before is answered at once.
func (h host) Ask(ctx context.Context, ask cli.Ask) (cli.Answer, error) {
	waiting := &asked{Ask: ask, from: h.from, done: make(chan struct{})}
	h.b.mu.Lock()
	if h.from.over {
		h.b.mu.Unlock()
		return cli.Answer{}, &cli.Refused{Code: "closed", Message: "the session is over"}
	}
	h.from.heard = true
	h.from.waiting = append(h.from.waiting, waiting)
	h.b.tell()
	h.b.mu.Unlock()
	select {
	case <-waiting.done:
		return waiting.answer, waiting.err
	case <-ctx.Done():
		h.b.mu.Lock()
		waiting.gone = true
		h.b.tell()
		h.b.mu.Unlock()
		return cli.Answer{}, ctx.Err()
	}
}

// Call answers a tool call with the result that the journal has, or will have: the workflow makes the calls of an answer
// as soon as the answer is on record, whether or not the program has got as far as to ask.
func (h host) Call(ctx context.Context, call cli.Call) (cli.Result, error) {
	for {
		h.b.mu.Lock()
		t, over := h.b.t, h.from.over
		h.b.mu.Unlock()
		if over {
			return cli.Result{}, context.Canceled
		}
		t.mu.Lock()
		result, asked, done := t.fold.ResultOf(call.ID)
		news := t.watch()
		t.mu.Unlock()
		switch {
		case done:
			return cli.Result{Text: result.Text, IsError: result.IsError}, nil
		case !asked:
			return h.unasked(t, call), nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return cli.Result{}, ctx.Err()
		}
	}
}

// unasked answers a call that no answer of the model asked for: the program made it up. The first few are noted.
func (h host) unasked(t *thread, call cli.Call) cli.Result {
	const noted = 10
	text := fmt.Sprintf("Not run: no answer of the model asked for a call %q of the tool %q.", bounded(call.ID), bounded(call.Name))
	h.b.mu.Lock()
	h.from.unasked++
	n, session := h.from.unasked, h.from.n
	h.b.mu.Unlock()
	if n > noted {
		return cli.Result{Text: text, IsError: true}
	}
	row := run.NewRow(run.RowWarning, t.key(fmt.Sprintf("%s/unasked%d", sessionName(t, session), n)), run.Warning{
		Node: t.node, Code: "harness_call_unasked", Message: text,
	}, nil)
	if err := t.later(row); err != nil {
		t.options.Log.Error("a warning could not be folded", "run", t.runID, "error", err)
	}
	return cli.Result{Text: text, IsError: true}
}

// TurnEnded notes that the program has nothing more to ask.
func (h host) TurnEnded(fault string) {
	h.b.mu.Lock()
	defer h.b.mu.Unlock()
	h.from.idle, h.from.fault = true, bounded(fault)
	h.b.tell()
}

// give answers a request from the journal.
func (a *asked) give(answer cli.Answer, err error) {
	a.answer, a.err = answer, err
	close(a.done)
}

// recorded is the newest answer of the journal as a program is given it; the thread's lock is held.
func (t *thread) recorded(newest journal.Answered) cli.Answer {
	answer := models.Answer{
		Text: newest.Text, Refusal: newest.Refusal, Native: newest.Item.Native, Usage: newest.Usage, Stop: models.StopEnd,
	}
	for _, call := range newest.Item.Calls {
		answer.Calls = append(answer.Calls, models.Call{ID: call.ID, Name: call.Name, Args: call.Args})
	}
	switch {
	case newest.Truncated:
		answer.Stop = models.StopLength
	case newest.Refusal != "":
		answer.Stop = models.StopRefusal
	case len(answer.Calls) > 0:
		answer.Stop = models.StopToolCalls
	}
	return cli.Answer{ID: t.runID + "/" + newest.Request, Answer: answer}
}
