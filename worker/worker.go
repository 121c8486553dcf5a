// Package worker owns the worker role of a process: it takes runs from Temporal, drives them through the door, keeps its
// lease, and drains. Its sub-packages own what serve does about workers: supervise their processes, and dispatch runs to
// them. It holds no database handle, and its secrets come by pipe and stay in memory.
package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/worker"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/worker/launch"
	"github.com/agentrun/agentrun/workflows"
)

// The room one worker process has. A workflow task lasts as long as the local activities in it, so there are as many
// places for tasks as for runs.
const (
	maxTasks      = 4000
	maxActivities = 2000
	cachedRuns    = 1000
)

// ErrFenced says that the server no longer takes this worker's calls: the process must end, at once and quietly.
var ErrFenced = errors.New("the server refuses this worker")

// Options are what a worker stands on.
type Options struct {
	Temporal client.Client
	Door     door.Door
	Presence door.Presence
	Holder   run.Holder
	Log      *slog.Logger
	// Lane is AGENTRUN_LANE: auto, regular or local.
	Lane string
	// IdleTimeout ends a model's stream that says nothing for so long.
	IdleTimeout time.Duration
	// Beat is how often the worker renews its lease.
	Beat time.Duration
	// Harnesses are the command-line agents this worker can run, within Sessions.
	Harnesses map[string]activities.Harness
	Sessions  activities.HarnessBounds
	// Drain bounds how long steps under way may take once the context of Run has ended.
	Drain time.Duration
}

// Run drives runs until the context ends, and then drains; or until the server refuses the worker (ErrFenced) or goes.
func Run(ctx context.Context, options Options) error {
	if err := options.Presence.Hello(ctx, options.Holder); err != nil {
		return refused(err)
	}
	lease := &lease{options: options}
	lease.renewed.Store(time.Now().UnixNano())
	steps := activities.New(activities.Options{
		Door: options.Door, Holder: options.Holder, Log: options.Log, Lane: options.Lane, Confirm: lease.confirm,
		Model:     models.New(models.Options{IdleTimeout: options.IdleTimeout}),
		Harnesses: options.Harnesses, Bounds: options.Sessions,
	})
	sdk.SetStickyWorkflowCacheSize(cachedRuns)
	taker := sdk.New(options.Temporal, workflows.TaskQueue, sdk.Options{
		Identity:                                fmt.Sprintf("%s@%s", options.Holder.Worker, options.Holder.Host),
		MaxConcurrentWorkflowTaskExecutionSize:  maxTasks,
		MaxConcurrentLocalActivityExecutionSize: maxTasks,
		MaxConcurrentActivityExecutionSize:      maxActivities,
		// A history this build cannot replay closes its execution, and the run goes on from the journal.
		WorkflowPanicPolicy:    sdk.FailWorkflow,
		DisableEagerActivities: true,
		WorkerStopTimeout:      time.Second,
	})
	workflows.Register(taker, steps)
	// Presence outlives the context: a draining worker still renews its lease.
	present, gone := context.WithCancel(context.WithoutCancel(ctx))
	defer gone()
	lost := make(chan error, 2)
	go func() { lost <- lease.keep(present) }()
	go func() { lost <- listen(present, ctx, options, steps) }()
	if err := taker.Start(); err != nil {
		return fmt.Errorf("take runs from Temporal: %w", err)
	}
	options.Log.Debug("worker ready", "worker", options.Holder.Worker)
	select {
	case err := <-lost:
		return err // no drain: whatever is under way is no longer this worker's to record
	case <-ctx.Done():
	}
	bound, cancel := context.WithTimeout(present, options.Drain)
	defer cancel()
	steps.Drain(bound)
	return nil
}

// starters is how many runs a worker starts at once, and startFor how long it tries to. A run that was not started is
// seen by the server's dispatcher.
const (
	starters = 16
	startFor = 2 * time.Second
)

// listen passes the server's nudges to the activities, and starts the runs that it is asked to. Once working has ended
// they are not its own any more: the task queue gives them to whoever is there.
func listen(ctx, working context.Context, options Options, steps *activities.Activities) error {
	places := make(chan struct{}, starters)
	for {
		nudges, err := options.Presence.Nudges(ctx, options.Holder.Worker)
		if err != nil {
			return refused(err)
		}
		for nudge := range nudges {
			if nudge.Start == nil {
				steps.Nudge(nudge)
				continue
			}
			go func() {
				places <- struct{}{}
				defer func() { <-places }()
				start(ctx, options, *nudge.Start, working.Err() == nil)
			}()
		}
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the worker ends: that is no fault
		}
	}
}

func start(ctx context.Context, options Options, asked door.Start, eager bool) {
	bound, cancel := context.WithTimeout(ctx, startFor)
	defer cancel()
	if err := launch.Run(bound, options.Temporal, asked, eager); err != nil && ctx.Err() == nil {
		options.Log.Warn("a run could not be started", "run", asked.RunID, "error", err)
	}
}

func refused(err error) error {
	if run.CodeOf(err) == run.ErrFenced {
		return fmt.Errorf("%w: %w", ErrFenced, err)
	}
	return err
}
