package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/run/journal"
)

// localWait is how long a wait may last in the local lane: well within a workflow task's heartbeat.
const localWait = 2 * time.Second

// maxSteps is how many steps an execution of a document takes before it goes on as a new one. A step is about one event,
// and thousands fit between two moments at which Temporal says how long the history is.
const maxSteps = 3000

// document drives a workflow document: the interpretation says what it wants, and each want is a coroutine here, until
// the document has come to its end or waits for a person.
func (d *driver) document(ctx workflow.Context, position journal.Position) error {
	if position.Superseded || position.Phase == journal.PhaseEnded {
		return nil
	}
	var inHand []string
	finished := workflow.NewBufferedChannel(ctx, 1)
	var failure error
	for {
		advanced, err := d.advance(ctx, inHand)
		if err != nil || advanced.Position.Superseded || advanced.Position.Phase == journal.PhaseEnded {
			return err
		}
		workflow.SetCurrentDetails(ctx, details(advanced.Position))
		full := workflow.GetInfo(ctx).GetContinueAsNewSuggested() || d.steps >= maxSteps
		if !full && failure == nil {
			for _, want := range advanced.Wants {
				inHand = append(inHand, want.Key)
				workflow.Go(ctx, func(ctx workflow.Context) {
					if err := d.want(ctx, want); err != nil {
						failure = err
					}
					finished.Send(ctx, want.Key)
				})
			}
		}
		if len(inHand) == 0 {
			done, err := d.rest(ctx, advanced, full)
			if done || err != nil {
				return err
			}
			continue
		}
		if inHand = finish(ctx, finished, inHand); len(inHand) == 0 && failure != nil {
			return failure
		}
	}
}

// advance asks how far the interpretation came by itself.
func (d *driver) advance(ctx workflow.Context, inHand []string) (activities.Advanced, error) {
	step := activities.Step{Lane: activities.LaneLocal, InHand: inHand}
	var advanced activities.Advanced
	return advanced, d.activity(ctx, activities.AdvanceName, step, "go on with the document", &advanced)
}

// finish waits for a want, takes all that have finished with it, and gives what is still in hand.
func finish(ctx workflow.Context, finished workflow.Channel, inHand []string) []string {
	var key string
	finished.Receive(ctx, &key)
	for done := true; done; done = finished.ReceiveAsync(&key) {
		inHand = slices.DeleteFunc(inHand, func(held string) bool { return held == key })
	}
	return inHand
}

// rest decides what follows once nothing is in hand. done ends the execution.
func (d *driver) rest(ctx workflow.Context, advanced activities.Advanced, full bool) (done bool, err error) {
	inbox := advanced.Position.Inbox
	outcome := activities.OutcomeBudget
	switch {
	case inbox.Cancel:
		outcome = activities.OutcomeCancelled
	case advanced.Ended:
		outcome = activities.OutcomeDocument
	case inbox.Stop:
		outcome = activities.OutcomeStopped
	case inbox.Pause:
		outcome = activities.OutcomePaused
	case full:
		return true, workflow.NewContinueAsNewError(ctx, Run, d.input)
	case !advanced.Blocked:
		return false, nil
	}
	after, err := d.settle(ctx, outcome)
	return after.Superseded || after.Phase == journal.PhaseEnded, err
}

// want does what the interpretation waits for, until it is done or cannot go on.
func (d *driver) want(ctx workflow.Context, want activities.Want) error {
	switch want.Kind {
	case activities.WantSession:
		return d.session(ctx, want)
	case activities.WantEffect:
		_, err := d.step(ctx, activities.EffectName, activities.Step{Session: want.Key, Lane: activities.LaneLocal}, want.Summary)
		return err
	}
	step := activities.Step{Session: want.Key, Lane: activities.LaneRegular}
	if want.Until != nil && want.Until.Sub(workflow.Now(ctx)) < localWait {
		step.Lane = activities.LaneLocal
	}
	_, err := d.step(ctx, activities.WaitName, step, want.Summary)
	return err
}

// session drives a node's conversation to its next answer.
func (d *driver) session(ctx workflow.Context, want activities.Want) error {
	position := *want.Position
	at := place{session: want.Key, label: want.Summary}
	for {
		next := decide(position, d.input.MaxSteps)
		if next.activity == "" || next.activity == activities.SettleName {
			return nil
		}
		var err error
		if position, err = d.turn(ctx, next, position, at); err != nil {
			return err
		}
	}
}
