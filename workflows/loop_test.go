package workflows

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

// until polls a condition.
func (b *bench) until(what string, holds func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("not seen: %s", what)
		}
	}
}

func answering(texts ...string) *scriptedModel {
	return &scriptedModel{answer: func(_ context.Context, turn int, _ models.Request) (models.Answer, error) {
		return models.Answer{Text: texts[min(turn, len(texts))-1], Stop: models.StopEnd}, nil
	}}
}

func TestTheCapPausesTheRunAndARaiseSendsTheSameRequest(t *testing.T) {
	t.Parallel()
	b := newBench(t, answering("hello"))
	limit := run.USD(1)
	runID := b.newRun(&limit, nil)
	b.drive(b.newWorker(0, false), runID)
	r := b.run(runID)
	if r.Status != run.InputRequired || r.State != run.StateWaiting || r.Error != nil || r.Pending == nil ||
		r.Pending.Kind != run.PendingBudget || r.Pending.NeedsUSD == nil || r.Pending.SuggestedCapUSD == nil {
		t.Fatalf("the run is %s/%s, pending %+v", r.Status, r.State, r.Pending)
	}
	if b.model.count(1) != 0 {
		t.Fatal("the refused request was sent")
	}
	if n := len(b.rows(runID, run.RowSpendCap)); n != 1 {
		t.Errorf("%d spend_cap_reached rows", n)
	}
	outcome, err := b.store.SetCap(t.Context(), runID, r.Pending.SuggestedCapUSD)
	if err != nil || !outcome.Requeued {
		t.Fatalf("raise: %+v, %v", outcome, err)
	}
	b.drive(b.newWorker(0, false), runID)
	if r := b.run(runID); r.Status != run.Completed || r.Cost.USD == nil || *r.Cost.USD == 0 {
		t.Fatalf("after the raise the run is %s, cost %+v", r.Status, r.Cost)
	}
	digests := map[string]bool{}
	for _, row := range b.rows(runID, run.RowRequestStarted) {
		var private run.RequestPrivate
		if err := row.DecodePrivate(&private); err != nil {
			t.Fatal(err)
		}
		digests[private.Digest] = true
	}
	if len(digests) != 1 {
		t.Errorf("the raised cap sent another request than the refused one: %v", digests)
	}
}

func TestWhatNoCapFixesFails(t *testing.T) {
	t.Parallel()
	b := newBench(t, answering("hello"))
	limit := run.Dollar
	runID := b.newRun(&limit, func(c *run.Config) { c.Model.Price = nil })
	b.drive(b.newWorker(0, false), runID)
	if r := b.run(runID); r.Status != run.Failed || r.Error.Code != run.CodeSpendCap || b.model.count(1) != 0 {
		t.Fatalf("the run is %s, %+v", r.Status, r.Error)
	}
}

func TestProviderFailuresAreRetriedWithinTheirBounds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		failures int
		failure  models.Error
		status   run.Status
		asked    int
	}{
		"one hiccup":          {1, models.Error{Code: "provider_error", Status: 500, Retryable: true, Spend: models.SpendUnbilled}, run.Completed, 2},
		"for ever":            {99, models.Error{Code: "provider_error", Message: "faux: overloaded", Status: 529, Retryable: true, Spend: models.SpendUnbilled}, run.Failed, 3},
		"not worth a retry":   {99, models.Error{Code: "unauthorized", Status: 401, Spend: models.SpendUnbilled}, run.Failed, 1},
		"a policy's refusal":  {99, models.Error{Code: models.CodeModerated, Status: 400, Spend: models.SpendUnbilled}, run.Failed, 1},
		"cut after the start": {1, models.Error{Code: "connection_error", Retryable: true, Spend: models.SpendUnknown}, run.Completed, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b *bench
			model := &scriptedModel{}
			model.answer = func(context.Context, int, models.Request) (models.Answer, error) {
				if model.count(1) <= c.failures {
					failure := c.failure
					return models.Answer{}, &failure
				}
				return models.Answer{Text: "ok", Stop: models.StopEnd}, nil
			}
			b = newBench(t, model)
			runID := b.newRun(nil, nil)
			b.drive(b.newWorker(0, false), runID)
			r := b.run(runID)
			if r.Status != c.status || model.count(1) != c.asked {
				t.Errorf("the run is %s after %d requests: %+v", r.Status, model.count(1), r.Error)
			}
			if known := r.Cost.USD != nil; known == (c.failure.Spend == models.SpendUnknown) {
				t.Errorf("cost %+v", r.Cost)
			}
			if c.failure.Message != "" && !strings.Contains(r.Error.Message, c.failure.Message) {
				t.Errorf("the reason reads %q", r.Error.Message)
			}
		})
	}
}

func TestAStopCutsTheRequestAndAMessageGoesOn(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{answer: func(ctx context.Context, _ int, request models.Request) (models.Answer, error) {
		last := request.Messages[len(request.Messages)-1].Text
		if last == "go" {
			<-ctx.Done()
			return models.Answer{}, &models.Error{Code: models.CodeCancelled, Spend: models.SpendUnknown}
		}
		return models.Answer{Text: "On " + last + ": done.", Stop: models.StopEnd}, nil
	}}
	b := newBench(t, model)
	runID := b.newRun(nil, nil)
	w := b.newWorker(0, false)
	ended := make(chan error, 1)
	go func() { ended <- b.execute(w, runID) }()
	b.until("the request is under way", func() bool { return model.count(1) == 1 })
	if outcome, err := b.store.Stop(t.Context(), runID); err != nil || !outcome.Nudge {
		t.Fatalf("stop: %+v, %v", outcome, err)
	}
	w.steps.Nudge(door.Nudge{RunID: runID, Kind: run.RowStopRequested})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	r := b.run(runID)
	if r.Status != run.InputRequired || r.Pending == nil || r.Pending.Kind != run.PendingMessage || r.Cost.USD != nil {
		t.Fatalf("the stopped run is %s, pending %+v, cost %+v", r.Status, r.Pending, r.Cost)
	}
	if _, err := b.store.Message(t.Context(), runID, "on", nil); err != nil {
		t.Fatal(err)
	}
	b.drive(w, runID)
	if r := b.run(runID); r.Status != run.Completed || r.Result.FinalAnswer != "On on: done." {
		t.Errorf("the run is %s: %+v", r.Status, r.Result)
	}
}

func TestACancelEndsTheRunAndNothingMoreIsSent(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{answer: func(ctx context.Context, _ int, _ models.Request) (models.Answer, error) {
		<-ctx.Done()
		return models.Answer{}, &models.Error{Code: models.CodeCancelled, Spend: models.SpendUnknown}
	}}
	b := newBench(t, model)
	runID := b.newRun(nil, nil)
	w := b.newWorker(0, false)
	ended := make(chan error, 1)
	go func() { ended <- b.execute(w, runID) }()
	b.until("the request is under way", func() bool { return model.count(1) == 1 })
	if _, err := b.store.Cancel(t.Context(), runID); err != nil {
		t.Fatal(err)
	}
	w.steps.Nudge(door.Nudge{RunID: runID, Kind: run.RowCancelRequested})
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if r := b.run(runID); r.Status != run.Cancelled || r.Cost.USD != nil || model.count(1) != 1 {
		t.Errorf("the run is %s, cost %+v, %d requests", r.Status, r.Cost, model.count(1))
	}
	if _, err := b.store.Message(t.Context(), runID, "on", nil); run.CodeOf(err) != run.ErrNotContinuable {
		t.Errorf("a message to it: %v", err)
	}
}

func TestACallThatCannotRunIsAnsweredToTheModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call      models.Call
		truncated bool
		says      string
	}{
		"a tool nobody has":      {call: call("c", "teleport", map[string]any{}), says: "Tool teleport not found"},
		"a tool the run has not": {call: call("c", "edit", map[string]any{}), says: "Tool edit not found"},
		"wrong arguments":        {call: call("c", "write", map[string]any{"path": 7}), says: "path"},
		"arguments cut short":    {call: models.Call{ID: "c", Name: "write", Args: json.RawMessage(`"{\"path\": \"a"`)}, says: ""},
		"a truncated answer":     {call: call("c", "write", map[string]string{"path": "x", "content": "y"}), truncated: true, says: "cut at its output limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scriptedModel{answer: func(_ context.Context, turn int, request models.Request) (models.Answer, error) {
				if turn == 1 {
					answer := models.Answer{Calls: []models.Call{c.call}}
					if c.truncated {
						answer.Stop = models.StopLength
					}
					return answer, nil
				}
				last := request.Messages[len(request.Messages)-1]
				if last.Role != models.RoleTool || !last.IsError || !strings.Contains(last.Text, c.says) {
					t.Errorf("the model was told %+v", last)
				}
				return models.Answer{Text: "ok", Stop: models.StopEnd}, nil
			}}
			b := newBench(t, model)
			runID := b.newRun(nil, func(config *run.Config) { config.Tools = []string{"write"} })
			b.drive(b.newWorker(0, false), runID)
			if r := b.run(runID); r.Status != run.Completed {
				t.Errorf("the run is %s: %+v", r.Status, r.Error)
			}
			if b.file(runID, "x") != "" {
				t.Error("a truncated call was run")
			}
		})
	}
}

func TestATypedOutputIsCheckedAndCorrected(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}}`)
	typed := func(c *run.Config) { c.Output = schema }
	t.Run("the second answer fits", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, answering("no JSON", `{"n": 42}`))
		runID := b.newRun(nil, typed)
		b.drive(b.newWorker(0, false), runID)
		if r := b.run(runID); r.Status != run.Completed || string(r.Result.Output) != `{"n":42}` {
			t.Errorf("the run is %s: %+v", r.Status, r.Result)
		}
	})
	t.Run("no answer fits", func(t *testing.T) {
		t.Parallel()
		b := newBench(t, answering(`{"n": "x"}`))
		runID := b.newRun(nil, typed)
		b.drive(b.newWorker(0, false), runID)
		if r := b.run(runID); r.Status != run.Failed || r.Error.Code != run.CodeInvalidOutput {
			t.Errorf("the run is %s: %+v", r.Status, r.Error)
		}
	})
}

func TestTheStepLimitEndsARunThatGoesOnForEver(t *testing.T) {
	t.Parallel()
	b := newBench(t, &scriptedModel{answer: func(context.Context, int, models.Request) (models.Answer, error) {
		return models.Answer{Calls: []models.Call{call("r", "read", map[string]string{"path": "x"})}}, nil
	}})
	runID := b.newRun(nil, nil)
	b.drive(b.newWorker(0, false), runID)
	r := b.run(runID)
	if r.Status != run.Failed || r.Error.Code != run.CodeRunFailed || r.Usage.Requests != 50 {
		t.Errorf("the run is %s after %d requests: %+v", r.Status, r.Usage.Requests, r.Error)
	}
}

func TestALongConversationIsCompacted(t *testing.T) {
	t.Parallel()
	var told []string
	model := &scriptedModel{}
	model.answer = func(_ context.Context, turn int, request models.Request) (models.Answer, error) {
		last := request.Messages[len(request.Messages)-1].Text
		if strings.HasPrefix(last, "Summarise") {
			return models.Answer{Text: "what matters", Stop: models.StopEnd}, nil
		}
		if strings.Contains(request.Messages[0].Text, "what matters") {
			told = append(told, request.Messages[0].Text)
			return models.Answer{Text: "done", Stop: models.StopEnd}, nil
		}
		return models.Answer{Calls: []models.Call{
			call("w", "write", map[string]string{"path": "x", "content": strings.Repeat("x", 30_000)}),
		}}, nil
	}
	b := newBench(t, model)
	runID := b.newRun(nil, func(c *run.Config) { c.Model.ContextWindow = 150 })
	b.drive(b.newWorker(0, false), runID)
	if r := b.run(runID); r.Status != run.Completed || len(told) != 1 {
		t.Errorf("the run is %s, told %q: %+v", r.Status, told, r.Error)
	}
	if n := len(b.rows(runID, run.RowCompaction)); n != 1 {
		t.Errorf("%d compactions", n)
	}
}

// TestARequestThatIsTooLongIsSummarisedAndGoesOn: a model that takes less than the catalogue says ends no run that a
// summary can save.
func TestARequestThatIsTooLongIsSummarisedAndGoesOn(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{}
	model.answer = func(_ context.Context, _ int, request models.Request) (models.Answer, error) {
		size := 0
		for _, message := range request.Messages {
			for _, call := range message.Calls {
				size += len(call.Args)
			}
		}
		switch last := request.Messages[len(request.Messages)-1].Text; {
		case strings.HasPrefix(last, "Summarise"):
			return models.Answer{Text: "what matters", Stop: models.StopEnd}, nil
		case strings.Contains(request.Messages[0].Text, "what matters"):
			return models.Answer{Text: "done", Stop: models.StopEnd}, nil
		case size > 140_000:
			return models.Answer{}, &models.Error{Code: models.CodeContextLength, Message: "too long", Spend: models.SpendUnbilled}
		}
		return models.Answer{Calls: []models.Call{
			call("w", "write", map[string]string{"path": "x", "content": strings.Repeat("x", 30_000)}),
		}}, nil
	}
	b := newBench(t, model)
	runID := b.newRun(nil, nil)
	b.drive(b.newWorker(0, false), runID)
	if r := b.run(runID); r.Status != run.Completed || r.Result.FinalAnswer != "done" {
		t.Errorf("the run is %s: %+v", r.Status, r.Error)
	}
	if n := len(b.rows(runID, run.RowCompaction)); n != 1 {
		t.Errorf("%d compactions", n)
	}
}
