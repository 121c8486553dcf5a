package engine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// steps runs n activities that do nothing, one after the other, in the regular lane.
func steps(ctx workflow.Context, n int) (int, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	done := 0
	for range n {
		if err := workflow.ExecuteActivity(ctx, nothing).Get(ctx, nil); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

func nothing(context.Context) error { return nil }

// startWorker serves a task queue of the test's own.
func startWorker(t testing.TB, c client.Client) (queue string) {
	t.Helper()
	queue = t.Name()
	w, err := newWorker(c, queue)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Stop)
	return queue
}

func newWorker(c client.Client, queue string) (worker.Worker, error) {
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflow(steps)
	w.RegisterActivity(nothing)
	return w, w.Start()
}

// runSteps runs a workflow of n steps to its end.
func runSteps(t testing.TB, c client.Client, id, queue string, n int) {
	t.Helper()
	started, err := c.ExecuteWorkflow(within(t), client.StartWorkflowOptions{ID: id, TaskQueue: queue}, steps, n)
	if err != nil {
		t.Fatal(err)
	}
	var done int
	if err := started.Get(within(t), &done); err != nil || done != n {
		t.Fatalf("the workflow ended with %d steps, %v; want %d", done, err, n)
	}
}

func TestWorkflowRunsThroughDial(t *testing.T) {
	t.Parallel()
	c := dialShared(t)
	runSteps(t, c, "trivial", startWorker(t, c), 3)
}

func TestSearchAttributesFilterTheList(t *testing.T) {
	t.Parallel()
	c := dialShared(t)
	queue := startWorker(t, c)
	for _, agent := range []string{"clerk", "painter"} {
		_, err := c.ExecuteWorkflow(within(t), client.StartWorkflowOptions{
			ID: "searched-" + agent, TaskQueue: queue,
			TypedSearchAttributes: temporal.NewSearchAttributes(
				AgentRunAgent.ValueSet(agent), AgentRunHarness.ValueSet("pi"), AgentRunStatus.ValueSet("working")),
		}, steps, 0)
		if err != nil {
			t.Fatal(err)
		}
	}
	for query, want := range map[string]int{
		`AgentRunAgent = "clerk"`:                             1,
		`AgentRunHarness = "pi" AND AgentRunStatus="working"`: 2,
		`AgentRunHarness = "codex"`:                           0,
	} {
		eventually(t, fmt.Sprintf("%s finds %d", query, want), func() bool { return len(listed(t, c, query)) == want })
	}
}

// listed gives the ids of the workflows a query finds.
func listed(t testing.TB, c client.Client, query string) []string {
	t.Helper()
	found, err := c.ListWorkflow(within(t), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, execution := range found.GetExecutions() {
		ids = append(ids, execution.GetExecution().GetWorkflowId())
	}
	return ids
}
