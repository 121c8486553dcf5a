package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// RunName is the workflow type of a run; TaskQueue is where workers take runs from.
const (
	RunName   = "Run"
	TaskQueue = "agentrun"
)

// TaskTimeout is how long one workflow task may take before it heartbeats. A worker's death is seen by its process and
// its lease, not by this, so it may be long: local activities then heartbeat seldom.
const TaskTimeout = 10 * time.Second

// stepTimeout bounds one step: a model request with all its attempts. Idle streams end long before.
const stepTimeout = 24 * time.Hour

// Input starts an execution of a run. Everything else it asks the journal for.
type Input struct {
	RunID string `json:"run_id"`
	// Epoch is the run's claim epoch when the execution was started: a later execution never has a smaller one.
	Epoch int64 `json:"epoch"`
	// Model and MaxSteps are of the run's pinned configuration.
	Model    string `json:"model"`
	MaxSteps int    `json:"max_steps"`
	// Kind is the run's kind: run.KindWorkflow drives a document, anything else an agent.
	Kind string `json:"kind,omitempty"`
	// Searchable says that the cluster knows this product's search attributes.
	Searchable bool `json:"searchable,omitempty"`
}

// StatusKey is the search attribute that Temporal's UI filters runs by; package engine registers it.
var StatusKey = temporal.NewSearchAttributeKeyKeyword("AgentRunStatus")

// Run drives a run until it ends or waits for a person.
func Run(ctx workflow.Context, input Input) error {
	driver := &driver{input: input}
	// Steps outlive a cancellation from Temporal's side: it is recorded, and the run then ends by itself.
	stepsContext, _ := workflow.NewDisconnectedContext(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		ctx.Done().Receive(ctx, nil)
		_, _ = driver.step(stepsContext, activities.CancelName, activities.Step{}, "cancelled from Temporal")
	})
	position, err := driver.step(stepsContext, activities.OpenName, activities.Step{}, "open "+input.RunID)
	if err == nil && input.Kind == run.KindWorkflow {
		return driver.document(stepsContext, position)
	}
	for err == nil {
		next := decide(position, input.MaxSteps)
		if next.activity == "" {
			return nil
		}
		workflow.SetCurrentDetails(ctx, details(position))
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, Run, input)
		}
		position, err = driver.do(stepsContext, next, position)
	}
	return err
}

// details is what the Temporal UI shows of a run under way.
func details(position journal.Position) string {
	return fmt.Sprintf("next: %s, turn %d; spent so far: %s USD", position.Phase, position.Turn, position.SpentUSD)
}

// driver asks for the steps of one execution.
type driver struct {
	input Input
	// steps counts the activities of this execution.
	steps int
}

func (d *driver) do(ctx workflow.Context, next move, position journal.Position) (journal.Position, error) {
	if next.activity == activities.SettleName {
		return d.settle(ctx, next.outcome)
	}
	return d.turn(ctx, next, position, place{})
}

// place is where a conversation belongs: nowhere for an agent's own, else a session of a document's node.
type place struct{ session, label string }

func (p place) named(summary string) string {
	if p.label == "" {
		return summary
	}
	return p.label + " · " + summary
}

// turn takes the next step of a conversation.
func (d *driver) turn(ctx workflow.Context, next move, position journal.Position, at place) (journal.Position, error) {
	step := activities.Step{Session: at.session, Turn: position.Turn, Lane: position.Lane}
	switch next.activity {
	case activities.ToolName:
		return d.tools(ctx, position, at)
	case activities.CompactName:
		return d.step(ctx, next.activity, step, at.named(fmt.Sprintf("compaction before request %d", position.Turn)))
	}
	return d.step(ctx, next.activity, step, at.named(fmt.Sprintf("request %d · %s", position.Turn, d.input.Model)))
}

// settle records the status that the run has come to.
func (d *driver) settle(ctx workflow.Context, outcome activities.Outcome) (journal.Position, error) {
	step := activities.Step{Lane: activities.LaneLocal, Outcome: outcome}
	after, err := d.step(ctx, activities.SettleName, step, string(outcome))
	if err == nil && after.Phase == journal.PhaseEnded && d.input.Searchable {
		// In the same workflow task as the execution's end: it costs no round trip.
		err = workflow.UpsertTypedSearchAttributes(ctx, StatusKey.ValueSet(string(outcome)))
	}
	return after, err
}

// tools makes the turn's calls. Instant ones run one after another, in call order, so that two calls on one file act in
// the order the model gave them; the others run beside each other.
func (d *driver) tools(ctx workflow.Context, position journal.Position, at place) (journal.Position, error) {
	newest := position
	for _, call := range position.Calls {
		step := activities.Step{Session: at.session, Turn: position.Turn, Call: call.Index, Lane: activities.LaneLocal}
		after, err := d.step(ctx, activities.ToolName, step, at.named(call.Name))
		if err != nil || after.Superseded {
			return after, err
		}
		if after.Version > newest.Version {
			newest = after
		}
	}
	return newest, nil
}

// step runs one activity in its lane and answers where the run stands after it.
func (d *driver) step(ctx workflow.Context, name string, step activities.Step, summary string) (journal.Position, error) {
	var position journal.Position
	return position, d.activity(ctx, name, step, summary, &position)
}

// activity runs one activity in its lane and reads its result.
func (d *driver) activity(ctx workflow.Context, name string, step activities.Step, summary string, result any) error {
	step.RunID, step.Token = d.input.RunID, d.token(ctx)
	d.steps++
	retry := &temporal.RetryPolicy{
		InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 5 * time.Second,
	}
	if step.Lane == activities.LaneRegular {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: stepTimeout, RetryPolicy: retry, Summary: summary, DisableEagerExecution: true,
		})
		return workflow.ExecuteActivity(ctx, name, step).Get(ctx, result)
	}
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: stepTimeout, RetryPolicy: retry, Summary: summary,
	})
	return workflow.ExecuteLocalActivity(ctx, name, step).Get(ctx, result)
}

// token orders the workflow tasks of all executions of the run (journal.Open): by the epoch at which the execution
// started, then by how far its history had come.
func (d *driver) token(ctx workflow.Context) int64 {
	const historyBits = 24
	length := int64(workflow.GetInfo(ctx).GetCurrentHistoryLength())
	return d.input.Epoch<<historyBits | min(length, 1<<historyBits-1)
}
