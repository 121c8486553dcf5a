package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// Generate has a session work on a node until it hands in what the node asks for. A draft that its review doubts goes
// back to the same session.
func (d *document) Generate(ctx context.Context, ask dsl.Generation) (dsl.Submission, error) {
	t := d.sessionFor(ask.Path, ask.Path, d.briefOf(ask), ask.User)
	defer d.s.leave(t)
	for round := 1; ; round++ {
		answer, err := d.answer(ctx, t, round, ask.Label)
		if err != nil {
			return dsl.Submission{}, err
		}
		if ask.Kind == dsl.KindReport {
			return dsl.Submission{Markdown: answer.Text}, nil
		}
		value, err := dsl.Decode([]byte(answer.Text))
		if err != nil {
			return dsl.Submission{}, fmt.Errorf("the submission of %s: %w", ask.Path, err)
		}
		if ask.Review == nil {
			return dsl.Submission{Value: value}, nil
		}
		review, err := ask.Review(ctx, value)
		if err != nil {
			return dsl.Submission{}, err
		}
		if review.Accepted || review.Last {
			return dsl.Submission{Value: value}, nil
		}
		if err := d.sendBack(ctx, t, round, review); err != nil {
			return dsl.Submission{}, err
		}
	}
}

// briefOf says how the node's session works: with the node's own settings where it has them, else with the agent's.
func (d *document) briefOf(ask dsl.Generation) brief {
	config := d.s.opened.Config
	b := brief{
		instructions: strings.Join(ask.System, "\n\n"), tools: config.Tools, effort: config.Effort,
		model: config.Model, endpoint: d.s.opened.Endpoint,
	}
	if ask.Tools != nil {
		b.tools = ask.Tools
	}
	switch {
	case ask.Effort != "":
		b.effort = ask.Effort
	case ask.Thinking != "":
		b.effort = ask.Thinking
	}
	if ask.BudgetUSD > 0 {
		b.cap = capOf(ask.BudgetUSD)
	}
	if ask.Kind != dsl.KindReport {
		b.schema = json.RawMessage(dsl.JSON(whole(ask.Schema, ask.Definitions)))
		b.output = checkedBy(ask.Check)
	}
	return b
}

// capOf is a node's own cap: what a document writes is a double, which is cut to what an amount can hold.
func capOf(usd float64) *run.USD {
	const decimals = 10
	limit, err := run.ParseUSD(strconv.FormatFloat(usd, 'f', decimals, 64))
	if err != nil {
		return nil // beyond any amount: no cap
	}
	return &limit
}

// whole is a schema with the definitions that its references name.
func whole(schema, definitions *dsl.Object) *dsl.Object {
	if definitions.Len() == 0 || !strings.Contains(dsl.JSON(schema), `"$ref"`) {
		return schema
	}
	own, _ := schema.Get("definitions")
	merged := dsl.NewObject(definitions.Len())
	for id, definition := range definitions.All() {
		merged.Set(id, definition)
	}
	if inline, ok := own.(*dsl.Object); ok {
		for id, definition := range inline.All() {
			merged.Set(id, definition)
		}
	}
	return schema.With("definitions", merged)
}

// checkedBy reads an answer's text as a value of the language, and checks it.
func checkedBy(check func(any) []string) func(string) (json.RawMessage, string) {
	return func(text string) (json.RawMessage, string) {
		value, err := dsl.Decode([]byte(text))
		if err != nil {
			return nil, "it is not JSON (" + err.Error() + ")"
		}
		if check != nil {
			if problems := check(value); len(problems) > 0 {
				return nil, strings.Join(problems, "; ")
			}
		}
		return json.RawMessage(dsl.JSON(value)), ""
	}
}

// answer blocks until the session has given its n-th final answer, or cannot.
func (d *document) answer(ctx context.Context, t *thread, n int, label string) (run.Answer, error) {
	err := d.await(ctx, &want{
		kind: WantSession, key: t.id, summary: label,
		ready: func() bool { return len(t.fold.Finals()) >= n || t.over() },
		open:  t.open,
	})
	if err != nil {
		return run.Answer{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if finals := t.fold.Finals(); len(finals) >= n {
		return finals[n-1], nil
	}
	if last := t.fold.LastAnswer(); t.fold.Position(0).Phase == journal.PhaseInvalid && last != nil && isJSON(last.Text) {
		return *last, nil // the interpreter says in its own terms what is wrong with it
	}
	return run.Answer{}, &sessionError{node: t.node, failure: t.failed()}
}

func isJSON(text string) bool {
	_, err := dsl.Decode([]byte(text))
	return err == nil
}

// sessionError is how a node's session ended without an answer.
type sessionError struct {
	node    string
	failure *run.Failure
}

func (e *sessionError) Error() string { return e.node + ": " + e.failure.Message }

// sendBack gives a session its review's doubts. The row is the session's next message.
func (d *document) sendBack(ctx context.Context, t *thread, round int, review dsl.Review) error {
	t.mu.Lock()
	waits := len(t.fold.Finals()) == round && t.tree.PositionOf(t.id, 0).Phase == journal.PhaseFinal
	t.mu.Unlock()
	if !waits {
		return nil // it was sent back before this process took over
	}
	body := run.Reviewed{
		Node: t.node, Drive: review.Drive, Doubted: review.Doubted, Unmet: review.Unmet, Feedback: feedback(review),
	}
	key := t.key(fmt.Sprintf("review%d", review.Drive))
	_, err := d.s.append(context.WithoutCancel(ctx), journal.Append{
		Rows: []run.Row{run.NewRow(run.RowReviewed, key, body, nil)},
	})
	return err
}

// feedback is what a session is told of a review.
func feedback(review dsl.Review) string {
	var said []string
	for _, field := range review.Doubted {
		said = append(said, fmt.Sprintf("%q is not borne out by what you were given", field))
	}
	for _, id := range review.Unmet {
		said = append(said, fmt.Sprintf("the requirement %q is not met", id))
	}
	return "A review of your answer found: " + strings.Join(said, "; ") +
		". Look at it again, correct what is wrong, and answer anew with the whole JSON value."
}
