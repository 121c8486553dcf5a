package engine

import (
	"fmt"
	"sync"
	"testing"

	"go.temporal.io/sdk/client"
)

// stepsPerWorkflow is the work of the baseline: activities that do nothing, one after the other, in the regular lane.
const stepsPerWorkflow = 20

// BenchmarkBareActivities is what the engine does with no product on top: a bare worker, 20 regular activities a
// workflow. Runs of 20 durable steps are measured against it.
func BenchmarkBareActivities(b *testing.B) {
	c := dialShared(b)
	queue := startWorker(b, c)
	run := func(id string) error {
		started, err := c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: queue}, steps, stepsPerWorkflow)
		if err != nil {
			return err
		}
		return started.Get(b.Context(), nil)
	}
	if err := run("warm"); err != nil {
		b.Fatal(err)
	}
	for _, concurrent := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("concurrent=%d", concurrent), func(b *testing.B) {
			var group sync.WaitGroup
			ids := make(chan int)
			for range concurrent {
				group.Go(func() {
					for id := range ids {
						if err := run(fmt.Sprintf("%s/%d/%d", b.Name(), b.N, id)); err != nil {
							b.Error(err)
						}
					}
				})
			}
			b.ResetTimer()
			for id := range b.N {
				ids <- id
			}
			close(ids)
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "workflows/s")
		})
	}
}
