package workflows

import (
	"path/filepath"
	"testing"

	sdk "go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// TestRecordedHistoriesReplay replays every recorded history with this build's workflow code. A change that breaks one
// would close that execution in the field and send its run back to the journal: allowed, never by accident. See
// "Changing workflow code" in CONTRIBUTING.md before recording anew.
func TestRecordedHistoriesReplay(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) < 4 {
		t.Fatalf("%d recorded histories, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			replayer := sdk.NewWorkflowReplayer()
			replayer.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: RunName})
			if err := replayer.ReplayWorkflowHistoryFromJSONFile(nil, path); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestTheReplayTestCanFail replays a history with another workflow under its name.
func TestTheReplayTestCanFail(t *testing.T) {
	t.Parallel()
	replayer := sdk.NewWorkflowReplayer()
	replayer.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ Input) error {
		return workflow.Sleep(ctx, TaskTimeout)
	}, workflow.RegisterOptions{Name: RunName})
	if replayer.ReplayWorkflowHistoryFromJSONFile(nil, "testdata/completed.json") == nil {
		t.Error("another workflow replays the history")
	}
}
