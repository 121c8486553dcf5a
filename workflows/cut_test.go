package workflows

import (
	"context"
	"testing"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// beginDoor calls begun right after each begin is on disk, before the activity hears of it.
type beginDoor struct {
	door.Door
	begun func()
}

func (d *beginDoor) Append(ctx context.Context, rows journal.Append) (journal.Appended, error) {
	appended, err := d.Door.Append(ctx, rows)
	if err == nil && rows.Begin != nil {
		d.begun()
	}
	return appended, err
}

// TestACancelBetweenBeginAndSendIsNotMissed: the nudge comes when the request is begun and not yet sent.
func TestACancelBetweenBeginAndSendIsNotMissed(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{answer: func(ctx context.Context, _ int, _ models.Request) (models.Answer, error) {
		<-ctx.Done()
		return models.Answer{}, &models.Error{Code: models.CodeCancelled, Spend: models.SpendUnsent}
	}}
	b := newBench(t, model)
	runID := b.newRun(nil, nil)
	w := b.newWorker(0, false)
	w.steps = activities.New(activities.Options{
		Model: model, Holder: run.Holder{Worker: w.id},
		Door: &beginDoor{Door: b.door, begun: func() {
			if _, err := b.store.Cancel(context.WithoutCancel(t.Context()), runID); err != nil {
				t.Error(err)
			}
			w.steps.Nudge(door.Nudge{RunID: runID, Kind: run.RowCancelRequested})
		}},
	})
	b.drive(w, runID)
	if r := b.run(runID); r.Status != run.Cancelled || r.Cost.USD == nil {
		t.Errorf("the run is %s, cost %+v", r.Status, r.Cost)
	}
}
