package dispatch

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
)

// The reconciler's pace: an execution is asked about once its run has been silent for quietFor, a few at a time.
const (
	reconcileEvery = time.Second
	quietFor       = 3 * time.Second
	reconcileBatch = 50
)

// Alive notes that a run was heard of: its journal grew.
func (d *Dispatcher) Alive(runID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, held := d.running[runID]; held {
		d.running[runID] = time.Now()
	}
}

// Reconcile starts runs again whose execution is gone (terminated by an operator, closed because this build cannot
// replay it), until the context ends. It learns that a run is silent from the journal, and only then asks Temporal.
func (d *Dispatcher) Reconcile(ctx context.Context) {
	tick := time.NewTicker(reconcileEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for _, runID := range d.silent() {
				d.check(ctx, runID)
			}
		}
	}
}

// silent takes a batch of the runs that were not heard of lately.
func (d *Dispatcher) silent() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []string
	for id, seen := range d.running {
		if len(ids) < reconcileBatch && time.Since(seen) > quietFor {
			ids = append(ids, id)
			d.running[id] = time.Now()
		}
	}
	return ids
}

func (d *Dispatcher) check(ctx context.Context, runID string) {
	if _, _, ok, err := d.record.Runnable(ctx, runID); err == nil && !ok {
		d.Rested(runID)
		return
	}
	described, err := d.temporal.DescribeWorkflowExecution(ctx, runID, "")
	var missing *serviceerror.NotFound
	switch {
	case errors.As(err, &missing):
	case err != nil:
		return // Temporal is busy or away: ask again later
	case described.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING,
		described.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW:
		return
	}
	// The record may have come to rest between the two questions.
	if _, _, ok, err := d.record.Runnable(ctx, runID); err == nil && ok {
		d.log.Warn("the run's execution is gone; going on from its journal", "run", runID,
			"execution", described.GetWorkflowExecutionInfo().GetStatus().String())
		d.Again(runID)
	}
}
