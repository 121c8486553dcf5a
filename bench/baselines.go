package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/agentrun/agentrun/engine"
)

// fsync is baseline B: an append of 4 KB and its fsync, on the disk that everything else uses.
func (b *bench) fsync(context.Context) error {
	file, err := os.Create(filepath.Join(b.dir, "fsync"))
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	var took []time.Duration
	block := make([]byte, 4096)
	for range 300 {
		began := time.Now()
		if _, err := file.Write(block); err != nil {
			return err
		}
		if err := file.Sync(); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	b.known["fsync"] = quantile(took, 0.5).Seconds()
	b.add("B: append 4 KB + fsync, p50 / p99", "", "%.2f / %.2f ms", ms(quantile(took, 0.5)), ms(quantile(took, 0.99)))
	return nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// twenty is baseline A's workflow: twenty no-op regular activities in a row.
func twenty(ctx workflow.Context) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	for range 20 {
		if err := workflow.ExecuteActivity(ctx, noop).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func noop(context.Context) error { return nil }

// baseline is baseline A: a bare worker on the same embedded engine and settings.
func (b *bench) baseline(ctx context.Context) error {
	dir := filepath.Join(b.dir, "baseline")
	e, err := engine.Start(ctx, engine.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer func() { _ = e.Stop(ctx) }()
	temporal, err := engine.Dial(ctx, e.Connection(), nil)
	if err != nil {
		return err
	}
	defer temporal.Close()
	w := worker.New(temporal, "bench", worker.Options{})
	w.RegisterWorkflow(twenty)
	w.RegisterActivity(noop)
	if err := w.Start(); err != nil {
		return err
	}
	defer w.Stop()
	for _, at := range []struct{ concurrent, total int }{{1, 10}, {16, 96}, {64, 192}} {
		rate, err := bare(ctx, temporal, at.concurrent, at.total)
		if err != nil {
			return err
		}
		b.known[fmt.Sprint("A/", at.concurrent)] = rate
		b.add(fmt.Sprintf("A: bare worker, 20 no-op activities, %d at once", at.concurrent), "", "%.1f workflows/s", rate)
	}
	return nil
}

// bare runs workflows, some at once, and answers how many ended a second.
func bare(ctx context.Context, temporal client.Client, concurrent, total int) (float64, error) {
	jobs := make(chan int)
	failed := make(chan error, total)
	var group sync.WaitGroup
	began := time.Now()
	for range concurrent {
		group.Go(func() {
			for range jobs {
				started, err := temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: "bench"}, twenty)
				if err == nil {
					err = started.Get(ctx, nil)
				}
				if err != nil {
					failed <- err
				}
			}
		})
	}
	for i := range total {
		jobs <- i
	}
	close(jobs)
	group.Wait()
	select {
	case err := <-failed:
		return 0, err
	default:
		return float64(total) / time.Since(began).Seconds(), nil
	}
}
