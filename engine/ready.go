package engine

import (
	"context"
	"errors"
	"time"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
)

// readyPoll is the pause between two attempts to reach a server that is starting.
const readyPoll = 5 * time.Millisecond

// awaitReady returns when a call goes all the way: through the frontend to a history service that owns its shard.
func (e *Engine) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	for {
		// No such workflow can exist; only a history service can say so.
		_, err := e.service.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
			Namespace: e.connection.Namespace,
			Execution: &common.WorkflowExecution{WorkflowId: "engine-is-ready"},
		})
		if answered(err) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case cause := <-e.server.failed:
			return cause
		case <-time.After(readyPoll):
		}
	}
}

func answered(err error) bool {
	var notFound *serviceerror.NotFound
	return err == nil || errors.As(serviceerror.FromStatus(serviceerror.ToStatus(err)), &notFound)
}
