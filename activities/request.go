package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
	"github.com/agentrun/agentrun/run/journal"
)

// Request makes the turn's model request: gated, begun, sent, and ended, as often as the provider's failures allow.
func (a *Activities) Request(ctx context.Context, step Step) (journal.Position, error) {
	return a.on(ctx, step, fmt.Sprint("request/", step.Turn), func(ctx context.Context, t *thread) error {
		if t.brain != nil {
			return a.requestOfBrain(ctx, t, step)
		}
		return a.requestUntilEnded(ctx, t, func() *outgoing {
			position := t.position()
			if position.Phase != journal.PhaseRequest || position.Turn != step.Turn || !quiet(position.Inbox) {
				return nil
			}
			return t.turnRequest(step)
		})
	})
}

func quiet(inbox journal.Inbox) bool { return !inbox.Cancel && !inbox.Stop && !inbox.Pause }

// outgoing is one model request, ready to be begun.
type outgoing struct {
	id      string
	attempt int
	// failures counts the attempts before this one that the provider failed.
	failures int
	request  models.Request
	begin    journal.Begin
	// record makes the rows of an answer that was had.
	record func(out *outgoing, answer models.Answer) []run.Row
}

func (o *outgoing) key(part string) string { return fmt.Sprintf("%s/%d/%s", o.id, o.attempt, part) }

// requestUntilEnded makes attempts until one is answered, the cap refuses, a person cuts in, or the provider has failed
// often enough. prepare gives the next attempt, or nil where the journal no longer asks for it.
func (a *Activities) requestUntilEnded(ctx context.Context, t *thread, prepare func() *outgoing) error {
	failpoint("request.before_begin", t.runID)
	for {
		if err := t.closeOpen(ctx); err != nil {
			return err
		}
		out := prepare()
		if out == nil {
			return nil
		}
		wait, err := a.beginAndSend(ctx, t, out)
		if errors.Is(err, errMoved) {
			continue
		}
		if err != nil || wait < 0 {
			return err
		}
		if !t.pauseBetween(ctx, wait) {
			return nil
		}
	}
}

// beginAndSend makes one attempt, if the cap allows it. It can be cut from before its begin on: a stop or a cancel whose
// row came before the begin moves the journal on (errMoved), and a later one finds the attempt to cut.
func (a *Activities) beginAndSend(ctx context.Context, t *thread, out *outgoing) (time.Duration, error) {
	defer t.flies(out.begin.Key)()
	sendContext, cut, done := t.cuttable(ctx)
	defer done()
	grant, err := t.begin(ctx, out)
	if err != nil || grant.Decision == budget.Refuse || grant.Decision == budget.Impossible {
		return -1, err
	}
	out.request.MaxOutput = grant.Ceiling
	return a.attempt(ctx, sendContext, t, out, grant, cut)
}

// begin records the attempt before it is sent; errMoved means the journal has news to be read first.
func (t *thread) begin(ctx context.Context, out *outgoing) (budget.Grant, error) {
	if err := t.hold(ctx); err != nil {
		return budget.Grant{}, err
	}
	if refused, err := t.withinOwnCap(ctx, out); err != nil || refused {
		return budget.Grant{Decision: budget.Impossible}, err
	}
	appended, err := t.append(ctx, journal.Append{Begin: &out.begin, IfHead: true})
	if err != nil {
		return budget.Grant{}, err
	}
	failpoint("request.begun", t.runID)
	return *appended.Grant, nil
}

// attempt sends the request once and records its end. It answers how long to wait before the next attempt; negative
// where there is none.
func (a *Activities) attempt(
	ctx, sendContext context.Context, t *thread, out *outgoing, grant budget.Grant, cut *cutter,
) (time.Duration, error) {
	t.acting.Add(1)
	defer t.acting.Add(-1)
	key, err := t.credential(ctx, t.brief.endpoint.KeyName)
	if err != nil {
		return -1, err
	}
	out.request.APIKey = key
	stream := newDeltaStream(t.session, out.id)
	started := time.Now()
	failpoint("request.sending", t.runID)
	answer, failure := a.options.Model.Do(sendContext, out.request, stream.add)
	stream.close()
	took := time.Since(started)
	a.lanes.saw(out.request.Model.ID, took, failure == nil)
	failpoint("request.answered", t.runID)

	ended := run.RequestEnded{
		Node: t.node, Request: out.id, Attempt: out.attempt, HeldUSD: grant.Held, DurationMS: took.Milliseconds(),
	}
	if failure != nil {
		rows, wait := a.failed(&ended, out, failure, t.cutBy(cut))
		_, err := t.append(ctx, journal.Append{Rows: rows})
		failpoint("request.ended", t.runID)
		return wait, err
	}
	_, err = t.append(ctx, journal.Append{Rows: t.answered(&ended, out, answer)})
	failpoint("request.ended", t.runID)
	return -1, err
}

// failed makes the rows of an attempt that gave no answer, and answers how long to wait before the next one.
func (a *Activities) failed(
	ended *run.RequestEnded, out *outgoing, failure error, by run.RowType,
) (rows []run.Row, wait time.Duration) {
	reason, known := errors.AsType[*models.Error](failure)
	if !known {
		reason = &models.Error{Code: "internal", Message: failure.Error(), Spend: models.SpendUnknown}
	}
	ended.Error = &run.Reason{Code: reason.Code, Message: reason.Message, Status: reason.Status}
	ended.Unsent = reason.Spend == models.SpendUnsent
	switch price := out.request.Model.Price; {
	case reason.Spend != models.SpendUnknown:
		ended.CostUSD = new(run.USD)
	case reason.Usage != nil && price != nil:
		// The answer was withheld, and what it used is known: it is charged like any other.
		cost := price.Cost(*reason.Usage)
		ended.CostUSD = &cost
		rows = append(rows, run.NewRow(run.RowUsage, out.key("usage"), run.UsageRow{
			Node: ended.Node, Request: out.id, Model: out.request.Model.ID, Usage: *reason.Usage, CostUSD: &cost,
		}, nil))
	default:
		ended.UnknownSpend = true
	}
	wait = a.waitAfter(ended, out, reason, by)
	return append([]run.Row{run.NewRow(run.RowRequestEnded, out.key("end"), ended, nil)}, rows...), wait
}

// waitAfter decides whether another attempt follows, and when; negative where none does.
func (a *Activities) waitAfter(
	ended *run.RequestEnded, out *outgoing, reason *models.Error, by run.RowType,
) time.Duration {
	switch {
	case by == run.RowStopRequested:
		ended.Error.Code, ended.Error.Message, ended.Final = run.EndedStopped, "stopped by a person", true
	case by == run.RowCancelRequested:
		ended.Error.Code, ended.Error.Message, ended.Final = run.EndedCancelled, "cancelled by a person", true
	case !reason.Retryable || out.failures+1 >= a.options.Attempts:
		ended.Final = true
	}
	if ended.Final {
		return -1
	}
	if reason.RetryAfter > 0 {
		return min(reason.RetryAfter, a.options.MaxWait)
	}
	return min(a.options.Backoff<<min(out.failures, 16), a.options.MaxWait)
}

// pauseBetween waits before the next attempt and tells whether the wait was left in peace.
func (s *session) pauseBetween(ctx context.Context, wait time.Duration) bool {
	waitContext, _, done := s.cuttable(ctx)
	defer done()
	select {
	case <-waitContext.Done():
		// The row of the person who cut in is read by the next append.
		return s.load(ctx) == nil
	case <-time.After(wait):
		return true
	}
}

// credential is the secret of a model, taken once a session and kept in memory only.
func (s *session) credential(ctx context.Context, name string) (string, error) {
	s.mu.Lock()
	known := s.secrets[name]
	s.mu.Unlock()
	if known != "" || name == "" {
		return known, nil
	}
	value, err := s.options.Door.Secret(ctx, s.opened.Claim, name)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secrets[name] = value
	return value, nil
}
