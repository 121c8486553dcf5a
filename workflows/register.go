package workflows

import (
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/agentrun/agentrun/activities"
)

// Register gives a worker every workflow and activity of this product.
func Register(registry worker.Registry, steps *activities.Activities) {
	registry.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: RunName})
	for name, step := range map[string]any{
		activities.OpenName:    steps.Open,
		activities.RequestName: steps.Request,
		activities.CompactName: steps.Compact,
		activities.ToolName:    steps.Tool,
		activities.SettleName:  steps.Settle,
		activities.CancelName:  steps.Cancel,
		activities.AdvanceName: steps.Advance,
		activities.EffectName:  steps.Effect,
		activities.WaitName:    steps.Wait,
	} {
		registry.RegisterActivityWithOptions(step, activity.RegisterOptions{Name: name})
	}
}
