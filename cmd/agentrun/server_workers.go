package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
	"github.com/agentrun/agentrun/store"
	"github.com/agentrun/agentrun/worker"
	"github.com/agentrun/agentrun/worker/dispatch"
	"github.com/agentrun/agentrun/worker/supervise"
)

// leaseChecks is how often leases are looked at.
const leaseChecks = 500 * time.Millisecond

// heard is the store as the door sees it; the dispatcher learns from it which runs are alive.
type heard struct {
	*store.Store
	server *server
}

// Append implements door.Record.
func (h heard) Append(ctx context.Context, rows journal.Append) (journal.Appended, error) {
	h.server.dispatch.Alive(rows.Claim.RunID)
	done, err := h.Store.Append(ctx, rows)
	if err == nil && slices.ContainsFunc(rows.Rows, endsStep) {
		h.server.dispatch.Progressed(rows.Claim.RunID)
	}
	return done, err
}

// endsStep tells whether a row is the end of a step; one that was cut counts for nothing.
func endsStep(row run.Row) bool {
	return row.Type == run.RowAnswer || row.Type == run.RowToolResult
}

// startDispatch starts what turns queued runs into workflows, and queues every run the last stop left unfinished.
func (s *server) startDispatch(ctx context.Context) error {
	s.dispatch = dispatch.New(s.temporal, queue{s.store, s.hub}, s.flags.MaxRuns, s.engine.Searchable(), s.hub.Offer, s.log)
	s.store.OnChange(s.changed)
	n, err := s.dispatch.Resume(ctx)
	if err != nil {
		return err
	}
	if n > 0 {
		s.log.Info("resuming the runs that had not ended", "runs", n)
	}
	s.background.Go(func() error { s.dispatch.Run(ctx); return nil })
	s.background.Go(func() error { s.dispatch.Reconcile(ctx); return nil })
	s.onStop(func(context.Context) error { s.end(); return nil })
	return nil
}

// changed hears of every status a run comes to.
func (s *server) changed(runID string, now journal.Projection) {
	switch now.State {
	case run.StateQueued:
		s.dispatch.Rested(runID)
		s.dispatch.Ready(runID)
	case run.StateWaiting, run.StatePaused, run.StateEnded:
		s.dispatch.Rested(runID)
	case run.StateRunning:
		s.dispatch.Opened(runID)
	case run.StateSleeping:
	}
	switch {
	case now.Status == run.Cancelled:
		s.hub.NudgeAll(door.Nudge{RunID: runID, Kind: run.RowCancelRequested})
	case now.State == run.StateWaiting && now.Pending != nil && now.Pending.Kind == run.PendingMessage:
		s.hub.NudgeAll(door.Nudge{RunID: runID, Kind: run.RowStatus})
	}
}

func (s *server) startWorkers(ctx context.Context) error {
	s.background.Go(func() error { s.watchLeases(ctx); return nil })
	if s.flags.Workers == 0 {
		return s.startInline(ctx)
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program's path: %w", err)
	}
	s.pool, err = supervise.Start(supervise.Options{
		Command: []string{program, "worker"}, Env: supervise.Environment(), Count: s.flags.Workers, Log: s.log,
		NewID: newWorkerID, Stderr: os.Stderr, Gone: s.workerGone, Ready: s.hub.Alive,
		Setup: func(id string) any {
			return workerSetup{
				Worker: id, Temporal: s.engine.Connection(), Door: s.doorAddress, Token: s.doorToken,
				Lane: s.flags.Lane, LogLevel: s.level(), Idle: s.flags.IdleTimeout,
				Beat: s.flags.WorkerLease / 5, Drain: s.flags.DrainTimeout,
				Programs: s.flags.programs(), Sessions: s.flags.sessions(),
			}
		},
	})
	if err != nil {
		return err
	}
	s.onStop(s.sleep)
	s.onStop(s.pool.Stop)
	return nil
}

// startInline drives runs in this process, through the door as a direct call.
func (s *server) startInline(ctx context.Context) error {
	inline, end := context.WithCancel(ctx)
	host, err := os.Hostname()
	if err != nil {
		end()
		return fmt.Errorf("this host's name: %w", err)
	}
	done := make(chan error, 1)
	go func() {
		done <- worker.Run(inline, worker.Options{
			Temporal: s.temporal, Door: s.door, Presence: s.hub, Log: s.log, Lane: s.flags.Lane,
			Holder:      run.Holder{Host: host, PID: os.Getpid(), Worker: newWorkerID()},
			IdleTimeout: s.flags.IdleTimeout, Beat: s.flags.WorkerLease / 5, Drain: s.flags.DrainTimeout,
			Harnesses: workerHarnesses(s.flags.programs(), s.log), Sessions: s.flags.sessions(),
		})
	}()
	s.onStop(s.sleep)
	s.onStop(func(context.Context) error { end(); return <-done })
	return nil
}

func newWorkerID() string { return "worker_" + ulid.Make().String() }

// workerGone gives a dead worker's runs to others.
func (s *server) workerGone(id string, pid int, why string) {
	s.hub.Fence(id, "its process went")
	s.takeOver(id, fmt.Sprintf("its process went before the run ended (pid %d, %s)", pid, why))
}

// takeOver opens a lost worker's runs again, unless a run was lost too often without a step ended in between.
func (s *server) takeOver(id, why string) {
	ctx := context.Background()
	lost, err := s.store.FenceWorker(ctx, id)
	if err != nil {
		s.log.Error("a lost worker's runs could not be listed", "worker", id, "error", err)
		return
	}
	held := map[string]bool{}
	for _, item := range lost {
		held[item.RunID] = true
	}
	s.reopen(ctx, lost, why)
	s.dispatch.Gone(id, held)
}

// reopen has lost runs opened again, but for the one that its workers die of. Where several may be that one they are
// opened a few at a time, and read sleeping meanwhile.
func (s *server) reopen(ctx context.Context, items []store.QueueItem, why string) {
	lost, epochs := make([]dispatch.Lost, len(items)), map[string]int64{}
	for i, item := range items {
		epochs[item.RunID] = item.Epoch
		strikes, err := s.store.Strike(ctx, item.RunID)
		if err != nil {
			s.log.Error("a lost run could not be counted", "run", item.RunID, "error", err)
		}
		lost[i] = dispatch.Lost{RunID: item.RunID, Strikes: strikes}
	}
	verdict := s.dispatch.Judge(lost)
	for _, run := range verdict.Again {
		s.log.Warn(fmt.Sprintf("%s; opening it again (%d of %d)", why, run.Strikes, dispatch.MaxStrikes), "run", run.RunID)
	}
	for _, held := range verdict.Held {
		s.log.Warn(fmt.Sprintf("%s, for the %dth time without a step ended in between; it is opened again with fewer beside it",
			why, held.Strikes), "run", held.RunID)
		s.settle(ctx, held.RunID, fmt.Sprintf("status/suspect/%d", epochs[held.RunID]), run.StatusChange{
			Status: run.Working, State: run.StateSleeping,
			Reason: fmt.Sprintf("its workers died %d times without a step ended in between: it is opened with fewer runs beside it",
				held.Strikes),
		})
	}
	s.dispatch.Hold(verdict.Held)
	if guilty := verdict.Guilty; guilty != nil {
		s.log.Error("the run is given up: it was opened again 3 times and no step ended in between", "run", guilty.RunID)
		s.settle(ctx, guilty.RunID, "status/given-up", run.StatusChange{
			Status: run.Failed, State: run.StateEnded, Error: &run.Failure{
				Code:    run.CodeRunFailed,
				Message: fmt.Sprintf("%s, for the %dth time without a step ended in between", why, guilty.Strikes),
			},
		})
	}
}

// settle records a status that the server itself comes to about a run, unless the run was settled meanwhile.
func (s *server) settle(ctx context.Context, runID, key string, change run.StatusChange) {
	err := s.store.ServerAppend(ctx, runID, run.NewRow(run.RowStatus, key, change, nil))
	if err != nil && run.CodeOf(err) != run.ErrConflict {
		s.log.Error("a run's status could not be recorded", "run", runID, "status", change.Status, "error", err)
	}
}

// watchLeases gives up workers that fell silent. Where this process itself was held up, silence proves nothing.
func (s *server) watchLeases(ctx context.Context) {
	tick := time.NewTicker(leaseChecks)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if held := time.Since(last); held > s.flags.WorkerLease/2 {
			s.hub.Forgive()
		}
		last = time.Now()
		if s.hub.Live() > 0 {
			s.lastLive.Store(last.UnixNano())
		}
		for _, late := range s.hub.Expire() {
			s.log.Warn("a worker was not heard of; its runs go to others", "worker", late.Worker, "pid", late.PID)
			s.takeOver(late.Worker, fmt.Sprintf("its process (pid %d) stalled", late.PID))
		}
	}
}

// workerless is how long no worker has been running.
func (s *server) workerless() time.Duration { return time.Since(time.Unix(0, s.lastLive.Load())) }

// sleep records, once the workers are gone, that the runs they drove go on at the next start.
func (s *server) sleep(ctx context.Context) error {
	for _, runID := range s.dispatch.Running() {
		r, err := s.store.Run(ctx, runID)
		if err != nil || r.State != run.StateRunning {
			continue
		}
		row := run.NewRow(run.RowStatus, fmt.Sprintf("status/sleeping/%d", r.Claim.Epoch), run.StatusChange{
			Status: run.Working, State: run.StateSleeping, Reason: "the server stopped",
		}, nil)
		if err := s.store.ServerAppend(ctx, runID, row); err != nil && run.CodeOf(err) != run.ErrConflict {
			return err
		}
	}
	return nil
}

// nudge tells the worker that drives a run of a person's row.
func (s *server) nudge(r run.Run, kind run.RowType) {
	if r.Claim.Holder != nil {
		s.hub.Nudge(r.Claim.Holder.Worker, door.Nudge{RunID: r.ID, Kind: kind})
	}
}

// queue is the store as the dispatcher sees it.
type queue struct {
	*store.Store
	hub *door.Hub
}

var _ dispatch.Record = queue{}

// Runnable implements dispatch.Record.
func (q queue) Runnable(ctx context.Context, runID string) (start door.Start, driven, ok bool, err error) {
	r, err := q.Run(ctx, runID)
	if err != nil {
		return start, false, false, err
	}
	switch r.State {
	case run.StateWaiting, run.StatePaused, run.StateEnded:
		return start, false, false, nil
	case run.StateQueued, run.StateRunning, run.StateSleeping:
	}
	config, err := q.Config(ctx, runID)
	if err != nil {
		return start, false, false, err
	}
	driven = r.Claim.Holder != nil && q.hub.Alive(r.Claim.Holder.Worker)
	return door.Start{
		RunID: r.ID, AgentID: r.AgentID, Harness: r.Harness, Model: r.Model, MaxSteps: config.MaxSteps,
		Epoch: r.Claim.Epoch, Kind: r.Kind, Summary: r.AgentID + " on " + r.Model,
	}, driven, true, nil
}

// Unfinished implements dispatch.Record.
func (q queue) Unfinished(ctx context.Context) ([]string, error) {
	items, err := q.Store.Unfinished(ctx)
	ids := make([]string, 0, len(items))
	for _, item := range items {
		ids = append(ids, item.RunID)
	}
	return ids, err
}
