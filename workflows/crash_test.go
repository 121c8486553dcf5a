package workflows

import (
	"context"
	"fmt"
	"testing"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

// sixSteps is a run of three turns with tools and a last answer: two writes at once, then an edit and a read.
func sixSteps() *scriptedModel {
	return &scriptedModel{answer: func(_ context.Context, turn int, _ models.Request) (models.Answer, error) {
		switch turn {
		case 1:
			return models.Answer{Calls: []models.Call{
				call("w1", "write", map[string]string{"path": "a.txt", "content": "alpha"}),
				call("w2", "write", map[string]string{"path": "b.txt", "content": "beta"}),
			}}, nil
		case 2:
			return models.Answer{Calls: []models.Call{
				call("e1", "edit", map[string]any{"path": "a.txt", "edits": []map[string]string{{"oldText": "alpha", "newText": "ALPHA"}}}),
				call("r1", "read", map[string]string{"path": "b.txt"}),
			}}, nil
		case 3:
			return models.Answer{Calls: []models.Call{
				call("w3", "write", map[string]string{"path": "a.txt", "content": "alpha"}),
			}}, nil
		}
		return models.Answer{Text: "done", Stop: models.StopEnd}, nil
	}}
}

// TestACrashAtEveryAppendLosesAndDoublesNothing cuts the worker off before and after each of its appends: the run
// completes on the next worker, every answered request was asked once, and every call has one result that says it
// happened.
func TestACrashAtEveryAppendLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	for at := 1; at <= 12; at++ {
		for _, after := range []bool{false, true} {
			t.Run(fmt.Sprintf("append %d, after=%v", at, after), func(t *testing.T) {
				t.Parallel()
				b := newBench(t, sixSteps())
				limit := run.Dollar
				runID := b.newRun(&limit, nil)
				lived := b.drive(b.newWorker(at, after), runID)
				lived = lived || b.run(runID).Status.Terminal() // it died with everything recorded
				if !lived && !b.drive(b.newWorker(0, false), runID) {
					t.Fatal("the second worker died too")
				}
				b.checkCompleted(runID, lived)
			})
		}
	}
}

func (b *bench) checkCompleted(runID string, lived bool) {
	b.t.Helper()
	r := b.run(runID)
	if r.Status != run.Completed || r.Result == nil || r.Result.FinalAnswer != "done" {
		b.t.Fatalf("the run is %s: %+v %+v", r.Status, r.Result, r.Error)
	}
	if got := b.file(runID, "a.txt") + b.file(runID, "b.txt"); got != "alphabeta" {
		b.t.Errorf("the files hold %q", got)
	}
	wantEpoch := int64(2)
	if lived {
		wantEpoch = 1
	}
	if r.Claim.Epoch != wantEpoch || r.Claim.Holder != nil {
		b.t.Errorf("the claim is %+v, want epoch %d and no holder", r.Claim, wantEpoch)
	}
	again := 0
	for turn := 1; turn <= 4; turn++ {
		again += b.model.count(turn) - 1
	}
	if again > 1 || again == 1 && (r.Cost.USD != nil || r.Cost.HeldUSD == 0) || again == 0 && lived && r.Cost.USD == nil {
		b.t.Errorf("%d requests were asked again and the cost reads %+v", again, r.Cost)
	}
	if n := len(b.rows(runID, run.RowAnswer)); n != 4 {
		b.t.Errorf("%d answers, want 4", n)
	}
	results := b.rows(runID, run.RowToolResult)
	for _, row := range results {
		var result run.ToolResult
		if err := row.Decode(&result); err != nil {
			b.t.Fatal(err)
		}
		if !result.OK || result.Interrupted {
			b.t.Errorf("call %s: %+v", result.CallID, result)
		}
	}
	if len(results) != 5 {
		b.t.Errorf("%d tool results, want 5", len(results))
	}
}

// TestManyCrashesInARow lets every worker die after a few appends.
func TestManyCrashesInARow(t *testing.T) {
	t.Parallel()
	b := newBench(t, sixSteps())
	runID := b.newRun(nil, nil)
	for crashes := 0; !b.drive(b.newWorker(3, crashes%2 == 0), runID); crashes++ {
		if crashes > 20 {
			t.Fatal("the run makes no progress")
		}
	}
	if r := b.run(runID); r.Status != run.Completed {
		t.Fatalf("the run is %s", r.Status)
	}
	if n := len(b.rows(runID, run.RowToolResult)); n != 5 {
		t.Errorf("%d tool results, want 5", n)
	}
}

// TestALateWorkerIsRefused: a worker that was given up writes nothing once another one drives the run.
func TestALateWorkerIsRefused(t *testing.T) {
	t.Parallel()
	gate := make(chan struct{})
	model := sixSteps()
	answer := model.answer
	first := true
	model.answer = func(ctx context.Context, turn int, request models.Request) (models.Answer, error) {
		if first {
			first = false
			<-gate
		}
		return answer(ctx, turn, request)
	}
	b := newBench(t, model)
	runID := b.newRun(nil, nil)
	late, next := b.newWorker(0, false), b.newWorker(0, false)
	ended := make(chan error, 1)
	go func() { ended <- b.execute(late, runID) }()
	b.until("the request is under way", func() bool { return model.count(1) == 1 })
	b.hub.Fence(late.id, "it stalled")
	if !b.drive(next, runID) {
		t.Fatal("the second worker died")
	}
	before := len(b.rows(runID, ""))
	close(gate)
	if err := <-ended; err != nil {
		t.Fatalf("the late worker: %v", err)
	}
	if after := len(b.rows(runID, "")); after != before {
		t.Errorf("the late worker added %d rows", after-before)
	}
	b.checkCompleted(runID, false)
}
