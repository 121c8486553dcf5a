package activities

import (
	"context"
	"fmt"
	"time"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// requestOfBrain makes the turn's model request in the words of the program that speaks for the thread, and gives the
// program the answer once it is on record.
func (a *Activities) requestOfBrain(ctx context.Context, t *thread, step Step) error {
	b := t.brain
	for {
		next, err := b.next(ctx, t, step.Turn)
		if next == nil || err != nil {
			return err
		}
		err = a.requestUntilEnded(ctx, t, func() *outgoing {
			position := t.position()
			if position.Phase != journal.PhaseRequest || position.Turn != step.Turn || !quiet(position.Inbox) ||
				!b.stillThere(next) || !b.knows(t) {
				return nil
			}
			return t.outgoingOf(step, next)
		})
		if err != nil {
			return err
		}
		answered, err := b.deliver(ctx, t, next, step.Turn)
		if err != nil || answered && next.Main {
			return err
		}
	}
}

// knows tells whether the program was told of everything that the turn's request is to answer.
func (b *brain) knows(t *thread) bool {
	_, now := t.heard()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open != nil && b.open.told == now
}

// outgoingOf is a request of the program's, ready to be begun.
func (t *thread) outgoingOf(step Step, ask *asked) *outgoing {
	t.mu.Lock()
	items, through := t.fold.Messages()
	attempt, failures := t.fold.Attempts()+1, t.fold.Failures()
	before, asides := t.fold.Asking(), t.fold.Asides()
	t.mu.Unlock()
	wire := ask.Wire
	request := models.Request{
		Model: t.brief.model, BaseURL: t.brief.endpoint.BaseURL, Effort: t.brief.effort, Wire: &wire, MaxOutput: ask.MaxOutput,
	}
	id, started := t.key(fmt.Sprintf("r%d", step.Turn)), run.RequestStarted{Turn: step.Turn, Lane: step.Lane}
	if !ask.Main {
		id, started.Purpose = t.key(fmt.Sprintf("h%d", asides+1)), journal.PurposeHarness
		attempt, failures = 1, t.options.Attempts
	}
	out := t.outgoing(id, attempt, request, started, through)
	if t.id != "" {
		out.begin.Private.Asked = t.askedOf(items)
	}
	out.failures = failures
	out.record = func(out *outgoing, answer models.Answer) []run.Row {
		if !ask.Main {
			ask.answer.Answer, ask.answer.ID = answer, t.runID+"/"+out.id
			return nil
		}
		for i := range answer.Calls {
			answer.Calls[i].Name = t.brain.harness.Driver.ToolName(answer.Calls[i].Name)
		}
		rows := t.recordAnswer(out, answer)
		if before != "" && before != wire.Digest {
			rows = append(rows, t.warning(out, "harness_request_changed",
				"the program, opened again, asked for this answer in other words than before"))
		}
		return rows
	}
	return out
}

// askedOf stands for what a node's session is asked, in whatever words its program puts it.
func (t *thread) askedOf(items []journal.Item) string {
	request := t.request(items)
	t.equip(&request)
	return models.Digest(request)
}

// deliver gives a request its answer from the journal, where it has one now. After an answer without tool calls it waits,
// within bounds, for the program's turn to end: a program may go on by itself.
func (b *brain) deliver(ctx context.Context, t *thread, a *asked, turn int) (answered bool, err error) {
	if !a.Main {
		switch position := t.position(); {
		case a.answer.ID != "":
		case position.Phase == journal.PhaseRequest && quiet(position.Inbox):
			a.err = &cli.Refused{Code: "failed", Message: "the model gave no answer"}
		default:
			return false, nil // it waits for a raised cap, or the run is cut
		}
		b.leave(a)
		close(a.done)
		return true, nil
	}
	t.mu.Lock()
	newest, ok := t.fold.Newest()
	answered = ok && newest.Request == t.key(fmt.Sprintf("r%d", turn))
	answer := t.recorded(newest)
	t.mu.Unlock()
	if !answered {
		return false, nil
	}
	b.deaths, b.stray, b.mute = 0, 0, 0
	b.leave(a)
	a.give(answer, nil)
	if len(answer.Calls) > 0 {
		return true, nil
	}
	return true, b.rest(ctx, t, a.from)
}

// rest waits until the program's turn has ended, or it goes on by itself, which is noted.
func (b *brain) rest(ctx context.Context, t *thread, o *opened) error {
	b.driving.Lock()
	defer b.driving.Unlock()
	waitContext, _, done := t.cuttable(ctx)
	defer done()
	bound := time.NewTimer(b.bounds.End)
	defer bound.Stop()
	for {
		b.mu.Lock()
		news, idle, more := b.news, o.idle || o.over, o.take()
		b.mu.Unlock()
		switch {
		case idle:
			return nil
		case more != nil && more.Main:
			return b.goesOn(ctx, t, o, more)
		}
		select {
		case <-news:
		case <-o.session.Done():
			return nil // it has said all that is needed of it
		case <-waitContext.Done():
			return nil
		case <-bound.C:
			return nil
		}
	}
}

// goesOn notes that the program goes on after its answer: its next request is one more turn of the conversation.
func (b *brain) goesOn(ctx context.Context, t *thread, o *opened, more *asked) error {
	t.mu.Lock()
	items, _ := t.fold.Messages()
	phase := t.fold.Position(0).Phase
	expected := b.harness.Driver.Answers(messagesOf(items))
	t.mu.Unlock()
	if phase != journal.PhaseFinal || more.Place+o.base != expected {
		return nil // asked again, or overtaken by what people said: the next step sorts it
	}
	row := run.NewRow(run.RowHarnessContinued, t.key(fmt.Sprintf("harness/continued/%d", t.position().Turn)),
		run.HarnessContinued{Node: t.node, Harness: b.name, Words: more.Words}, nil)
	if err := t.later(row); err != nil {
		return err
	}
	b.mu.Lock()
	o.told.words++
	b.mu.Unlock()
	return t.flush(ctx)
}
