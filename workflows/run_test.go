package workflows

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/run/journal"
)

// stage is Temporal's test environment with activities that answer positions in order.
func stage(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	environment := suite.NewTestWorkflowEnvironment()
	Register(environment, activities.New(activities.Options{}))
	return environment
}

func TestAnExecutionEndsWhenTheRunDoes(t *testing.T) {
	t.Parallel()
	environment := stage(t)
	at := func(phase journal.Phase, turn int) journal.Position {
		return journal.Position{Phase: phase, Turn: turn, Version: int64(turn), Lane: activities.LaneLocal}
	}
	tools := at(journal.PhaseTools, 1)
	tools.Calls = []journal.PendingCall{{Index: 0, Name: "write"}, {Index: 1, Name: "read"}}
	environment.OnActivity(activities.OpenName, mock.Anything, mock.Anything).Return(at(journal.PhaseRequest, 1), nil).Once()
	environment.OnActivity(activities.RequestName, mock.Anything, mock.Anything).Return(tools, nil).Once()
	environment.OnActivity(activities.ToolName, mock.Anything, mock.Anything).Return(tools, nil).Once()
	environment.OnActivity(activities.ToolName, mock.Anything, mock.Anything).Return(at(journal.PhaseRequest, 2), nil).Once()
	environment.OnActivity(activities.RequestName, mock.Anything, mock.Anything).Return(at(journal.PhaseFinal, 2), nil).Once()
	environment.OnActivity(activities.SettleName, mock.Anything, mock.Anything).Return(
		journal.Position{Phase: journal.PhaseEnded}, nil).Once()
	environment.ExecuteWorkflow(RunName, Input{RunID: "run_x"})
	if err := environment.GetWorkflowError(); !environment.IsWorkflowCompleted() || err != nil {
		t.Errorf("completed %v, error %v", environment.IsWorkflowCompleted(), err)
	}
	environment.AssertExpectations(t)
}

func TestALongRunContinuesAsNewAtAStep(t *testing.T) {
	t.Parallel()
	environment := stage(t)
	environment.SetContinueAsNewSuggested(true)
	environment.OnActivity(activities.OpenName, mock.Anything, mock.Anything).Return(
		journal.Position{Phase: journal.PhaseRequest, Turn: 400}, nil).Once()
	environment.ExecuteWorkflow(RunName, Input{RunID: "run_x"})
	var again *workflow.ContinueAsNewError
	if err := environment.GetWorkflowError(); !errors.As(err, &again) {
		t.Errorf("the execution ended with %v", err)
	}
}

func TestASupersededExecutionEndsWithoutAWord(t *testing.T) {
	t.Parallel()
	environment := stage(t)
	environment.OnActivity(activities.OpenName, mock.Anything, mock.Anything).Return(
		journal.Position{Superseded: true}, nil).Once()
	environment.ExecuteWorkflow(RunName, Input{RunID: "run_x"})
	if err := environment.GetWorkflowError(); err != nil {
		t.Error(err)
	}
	environment.AssertExpectations(t)
}

func TestASlowModelsRequestsAreRegularActivities(t *testing.T) {
	t.Parallel()
	environment := stage(t)
	var lanes []string
	slow := journal.Position{Phase: journal.PhaseRequest, Turn: 1, Lane: activities.LaneRegular}
	environment.OnActivity(activities.OpenName, mock.Anything, mock.Anything).Return(slow, nil).Once()
	environment.OnActivity(activities.RequestName, mock.Anything, mock.Anything).Return(
		journal.Position{Phase: journal.PhaseFinal, Turn: 1}, nil).Run(func(args mock.Arguments) {
		lanes = append(lanes, args.Get(1).(activities.Step).Lane)
	}).Once()
	environment.OnActivity(activities.SettleName, mock.Anything, mock.Anything).Return(
		journal.Position{Phase: journal.PhaseEnded}, nil).Once()
	environment.ExecuteWorkflow(RunName, Input{RunID: "run_x"})
	if err := environment.GetWorkflowError(); err != nil || len(lanes) != 1 || lanes[0] != activities.LaneRegular {
		t.Errorf("lanes %v, error %v", lanes, err)
	}
}
