// Package launch owns the one call that starts a run's workflow. It keeps nothing and decides nothing: the dispatcher
// says which runs go on, in the server or through a worker.
package launch

import (
	"context"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/engine"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/workflows"
)

// Run starts a run's workflow; an execution that is still open is replaced. eager: where a worker of this very client has
// room it gets the first task with the answer, instead of by way of the task queue.
func Run(ctx context.Context, c client.Client, start door.Start, eager bool) error {
	options := client.StartWorkflowOptions{
		ID:                       start.RunID,
		TaskQueue:                workflows.TaskQueue,
		WorkflowTaskTimeout:      workflows.TaskTimeout,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:            start.Summary,
		EnableEagerStart:         eager,
	}
	if start.Searchable {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(
			engine.AgentRunAgent.ValueSet(start.AgentID),
			engine.AgentRunHarness.ValueSet(start.Harness),
			engine.AgentRunStatus.ValueSet(string(run.Working)),
		)
	}
	_, err := c.ExecuteWorkflow(ctx, options, workflows.RunName, workflows.Input{
		RunID: start.RunID, Epoch: start.Epoch, Model: start.Model, MaxSteps: start.MaxSteps, Searchable: start.Searchable,
		Kind: start.Kind,
	})
	return err
}
