package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/agentrun/agentrun/dsl"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
	"github.com/agentrun/agentrun/tools"
)

// effectGrace is how long an effect may take to settle once its deadline has passed.
const effectGrace = 250 * time.Millisecond

// Effect makes one attempt of a call: begun, acted and ended in the journal, so that no attempt acts twice.
func (d *document) Effect(ctx context.Context, ask dsl.Attempt) (dsl.Settled, error) {
	key := d.effectFor(journal.NodeKey(ask.Path, fmt.Sprint("call", ask.Number)), json.RawMessage(dsl.JSON(ask.Input)))
	err := d.await(ctx, &want{
		kind: WantEffect, key: key, summary: ask.Via + " " + ask.Tool + " · " + ask.Label, attempt: ask,
		ready: func() bool {
			effect := d.s.tree.Effect(key)
			return effect != nil && effect.Outcome != nil
		},
		open: func() bool { return quiet(d.s.tree.PositionOf("", 0).Inbox) },
	})
	if err != nil {
		return dsl.Settled{}, err
	}
	d.s.mu.Lock()
	outcome := *d.s.tree.Effect(key).Outcome
	d.s.mu.Unlock()
	return settledBy(outcome)
}

// settledBy is what the journal's row of an attempt says, as the language has it.
func settledBy(outcome run.EffectOutcome) (dsl.Settled, error) {
	settled := dsl.Settled{Began: outcome.BeganAt, EndedAt: outcome.EndedAt}
	if !outcome.Failed {
		var err error
		settled.Result, err = valueOf(outcome.Result)
		return settled, err
	}
	failed := &dsl.EffectError{
		Message: outcome.Message, Class: outcome.Class, Code: outcome.Code, Interruption: outcome.Interruption,
	}
	if detail, err := valueOf(outcome.Detail); err == nil {
		failed.Detail, _ = detail.(*dsl.Object)
	}
	failed.Late, _ = valueOf(outcome.Late)
	return settled, failed
}

func valueOf(data json.RawMessage) (any, error) {
	if len(data) == 0 {
		return nil, nil //nolint:nilnil // nothing is null
	}
	return dsl.Decode(data) //nolint:wrapcheck // its own words say what is wrong
}

// Effect makes the attempt that the key names, or settles one that a process which went had begun.
func (a *Activities) Effect(ctx context.Context, step Step) (journal.Position, error) {
	return a.wanted(ctx, step, func(ctx context.Context, s *session, w *want) error {
		if err := s.hold(ctx); err != nil {
			return err
		}
		s.acting.Add(1)
		defer s.acting.Add(-1)
		return a.haveEffect(ctx, s, w)
	})
}

// wanted does what the document waits for under the step's key, if it still does, and lets the document go on.
func (a *Activities) wanted(
	ctx context.Context, step Step, act func(context.Context, *session, *want) error,
) (journal.Position, error) {
	return a.with(ctx, step, step.Session, func(ctx context.Context, s *session) error {
		d, err := s.interpretation()
		if err != nil {
			return err
		}
		w := d.find(step.Session)
		if w == nil {
			return nil
		}
		if err := act(ctx, s, w); err != nil {
			return err
		}
		d.settled(step.Session)
		return nil
	})
}

func (a *Activities) haveEffect(ctx context.Context, s *session, w *want) error {
	call := tools.Call{ID: w.key, Name: w.attempt.Tool, Args: json.RawMessage(dsl.JSON(w.attempt.Input))}
	s.mu.Lock()
	begun := s.tree.Effect(w.key)
	s.mu.Unlock()
	if begun != nil && begun.Outcome != nil {
		return nil
	}
	failpoint("effect.before", s.runID)
	began := time.Now().UTC()
	if begun == nil {
		if err := s.beginEffect(ctx, w, call); err != nil {
			return err
		}
	} else if outcome, settled := a.recovered(s, call, begun); settled {
		return s.endEffect(ctx, w, outcome, began)
	}
	failpoint("effect.begun", s.runID)
	outcome := a.act(ctx, s, w, call)
	failpoint("effect.acted", s.runID)
	if outcome.cut {
		return nil // begun and not ended, as after a crash: who resumes the run settles it
	}
	return s.endEffect(ctx, w, outcome, began)
}

// beginEffect records that the attempt is about to act.
func (s *session) beginEffect(ctx context.Context, w *want, call tools.Call) error {
	var proof any
	if found := tools.Plan(s.workspace, []tools.Call{call})[0]; found != nil && w.attempt.Via == "tool" {
		proof = found
	}
	use := run.ToolUse{
		Node: w.attempt.Path, CallID: w.key, Name: call.Name, Args: call.Args, Replay: replayOf(call.Name),
	}
	_, err := s.append(ctx, journal.Append{Rows: []run.Row{run.NewRow(run.RowToolUse, w.key+"/use", use, proof)}})
	return err
}

// recovered settles an attempt that a process which went had begun, where it can be told what became of it.
func (a *Activities) recovered(s *session, call tools.Call, begun *journal.Effect) (effectEnd, bool) {
	if a.options.Effects != nil {
		return unknownOutcome(), true
	}
	switch verdict, result := tools.Recover(s.workspace, call, begun.Proof, nil); verdict {
	case tools.Done:
		return resultEnd(result), true
	case tools.Unknown:
		return unknownOutcome(), true
	}
	return effectEnd{}, false
}

func unknownOutcome() effectEnd {
	return effectEnd{failure: &dsl.EffectError{
		Code: dsl.CodeOutcomeUnknown, Interruption: "interrupted",
		Message: "the process that made this call went before it settled: it may have happened",
	}}
}

// effectEnd is what an attempt came to.
type effectEnd struct {
	value   any
	failure error
	content string
	file    *run.FileChange
	proved  bool
	// cut says that a person stopped it before it came to anything.
	cut bool
}

// act has the effect within its deadline; a stop, a cancel or a failed sibling cuts it.
func (a *Activities) act(ctx context.Context, s *session, w *want, call tools.Call) effectEnd {
	cutContext, cut, done := s.cuttable(ctx)
	defer done()
	defer context.AfterFunc(w.context, cut.cancel)()
	if a.options.Effects != nil {
		value, err := a.options.Effects(cutContext, s.runID, w.attempt)
		return effectEnd{value: value, failure: err}
	}
	var result run.ToolResult
	value, err := dsl.Bounded(cutContext, w.attempt.DeadlineSeconds, effectGrace, func(ctx context.Context) (any, error) {
		made := tools.Run(ctx, s.workspace, call, tools.Options{})
		made.Content = a.cutResult(made.Content)
		result = made
		end := resultEnd(made)
		return end.value, end.failure
	})
	return effectEnd{
		value: value, failure: err, content: result.Content, file: result.File,
		cut: s.cutBy(cut) != "" && errors.Is(err, context.Canceled),
	}
}

// resultEnd reads a tool's result as the language's: an object where its text is one, else {text}.
func resultEnd(result run.ToolResult) effectEnd {
	end := effectEnd{content: result.Content, file: result.File, proved: result.Proved}
	if !result.OK {
		end.failure = &dsl.EffectError{Message: result.Content}
		return end
	}
	end.value = dsl.ObjectOf("text", result.Content)
	if value, err := dsl.Decode([]byte(result.Content)); err == nil {
		if object, ok := value.(*dsl.Object); ok {
			end.value = object
		}
	}
	return end
}

// endEffect records what the attempt came to.
func (s *session) endEffect(ctx context.Context, w *want, end effectEnd, began time.Time) error {
	ended := time.Now().UTC()
	outcome := run.EffectOutcome{BeganAt: began, EndedAt: ended, Failed: end.failure != nil}
	result := run.ToolResult{
		Node: w.attempt.Path, CallID: w.key, Name: w.attempt.Tool, OK: end.failure == nil, Content: end.content,
		File: end.file, Proved: end.proved, DurationMS: ended.Sub(began).Milliseconds(),
	}
	if end.failure == nil {
		outcome.Result = json.RawMessage(dsl.JSON(end.value))
		if result.Content == "" {
			result.Content = string(outcome.Result)
		}
	} else {
		describe(&outcome, end.failure)
		result.Interrupted = outcome.Code == dsl.CodeOutcomeUnknown
		if result.Content == "" {
			result.Content = outcome.Message
		}
	}
	_, err := s.append(ctx, journal.Append{Rows: []run.Row{run.NewRow(run.RowToolResult, w.key+"/result", result, outcome)}})
	failpoint("effect.ended", s.runID)
	return err
}

func describe(outcome *run.EffectOutcome, failure error) {
	outcome.Message = failure.Error()
	var known *dsl.EffectError
	if !errors.As(failure, &known) {
		return
	}
	outcome.Class, outcome.Code, outcome.Interruption = known.Class, known.Code, known.Interruption
	if known.Detail != nil {
		outcome.Detail = json.RawMessage(dsl.JSON(known.Detail))
	}
	if known.Late != nil {
		outcome.Late = json.RawMessage(dsl.JSON(known.Late))
	}
}

// Wait lets time pass between two attempts of a call, until a moment that is journaled: a crash does not start it anew.
func (d *document) Wait(ctx context.Context, ask dsl.Pause) error {
	key := journal.NodeKey(ask.Path, fmt.Sprintf("wait%d/%s", ask.Number, ask.Reason))
	d.s.mu.Lock()
	until, known := d.s.tree.Wait(key)
	d.s.mu.Unlock()
	if !known {
		until = time.Now().UTC().Add(seconds(ask.Seconds))
		row := run.NewRow(run.RowWaitStarted, key, run.WaitStarted{Node: ask.Path, Reason: ask.Reason, Until: until}, nil)
		if _, err := d.s.append(context.WithoutCancel(ctx), journal.Append{Rows: []run.Row{row}}); err != nil {
			return err
		}
	}
	return d.await(ctx, &want{
		kind: WantWait, key: key, summary: "wait before the next attempt · " + ask.Label, until: until,
		ready: func() bool { return !time.Now().Before(until) },
		open:  func() bool { return quiet(d.s.tree.PositionOf("", 0).Inbox) },
	})
}

func seconds(n float64) time.Duration {
	return time.Duration(min(n, math.MaxInt64/float64(time.Second)/2) * float64(time.Second))
}

// Wait waits for the moment that a document waits for, or for a person to cut in.
func (a *Activities) Wait(ctx context.Context, step Step) (journal.Position, error) {
	return a.wanted(ctx, step, func(ctx context.Context, s *session, w *want) error {
		waitContext, cut, done := s.cuttable(ctx)
		defer done()
		defer context.AfterFunc(w.context, cut.cancel)()
		select {
		case <-waitContext.Done():
			return s.load(ctx)
		case <-time.After(time.Until(w.until)):
			return nil
		}
	})
}
