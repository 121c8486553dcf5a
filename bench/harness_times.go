package main

import (
	"context"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/models/faux"
	"github.com/agentrun/agentrun/run"
)

// taskTimes are what one task took: from the program's start to its first request, from there to the end of the last
// answer, and from the very beginning to the end. turns are from the end of each answer to the next request.
type taskTimes struct {
	start, wall, whole time.Duration
	turns              []time.Duration
	parts              map[string][]time.Duration
}

// The parts of a turn under this server.
const (
	partAnswer  = "answer to its row"
	partProgram = "to the row of the next request"
	partBegin   = "to that request"
)

// timesOf are the times of a task that began when its process was started.
func timesOf(records []faux.Record, started time.Time) taskTimes {
	last := answeredAt(records[len(records)-1])
	times := taskTimes{start: records[0].At.Sub(started), wall: last.Sub(records[0].At)}
	for i, record := range records[1:] {
		times.turns = append(times.turns, record.At.Sub(answeredAt(records[i])))
	}
	return times
}

func wallOf(t taskTimes) time.Duration  { return t.wall }
func wholeOf(t taskTimes) time.Duration { return t.whole }
func startOf(t taskTimes) time.Duration { return t.start }

// medianOf is the median of one of the times.
func medianOf(all []taskTimes, which func(taskTimes) time.Duration) time.Duration {
	var some []time.Duration
	for _, times := range all {
		some = append(some, which(times))
	}
	return quantile(some, 0.5)
}

func medianTurn(all []taskTimes) time.Duration {
	var some []time.Duration
	for _, times := range all {
		some = append(some, times.turns...)
	}
	return quantile(some, 0.5)
}

// pairing has the same task done by a program alone and under the server.
type pairing struct {
	b    *bench
	c    commandLine
	s    *server
	g    *stage
	seen launch
}

// both does the task on each side, one after the other, so that both meet the same machine.
func (p pairing) both(ctx context.Context, words string) (alone, ours taskTimes, err error) {
	if alone, err = p.alone(ctx, words); err != nil {
		return alone, ours, err
	}
	ours, err = p.ours(ctx, words)
	return alone, ours, err
}

// ours does the task as a run. It starts where a worker has claimed the run, and ends with its completion.
func (p pairing) ours(ctx context.Context, words string) (taskTimes, error) {
	mark, posted := p.g.mark(), time.Now()
	created, err := p.s.client.CreateRun(ctx, p.c.harness, client.NewRun{Content: words})
	if err != nil {
		return taskTimes{}, err
	}
	records, err := p.g.task(ctx, mark) // the server is not asked meanwhile: that would cost it time
	if err != nil {
		return taskTimes{}, err
	}
	if err := p.s.rest(ctx, 100*time.Millisecond); err != nil {
		return taskTimes{}, err
	}
	runs, err := p.s.completed(ctx, []string{created.ID})
	if err != nil {
		return taskTimes{}, err
	}
	times := timesOf(records, *runs[0].StartedAt)
	times.whole = runs[0].EndedAt.Sub(posted)
	times.parts, err = p.partsOf(ctx, created.ID, records)
	return times, err
}

// partsOf parts a run's turns by the rows of its journal.
func (p pairing) partsOf(ctx context.Context, id string, records []faux.Record) (map[string][]time.Duration, error) {
	page, err := p.s.client.Timeline(ctx, id, 0, 1000)
	if err != nil {
		return nil, err
	}
	var begun, answered []time.Time
	for _, row := range page.Rows {
		switch row.Type {
		case run.RowRequestStarted:
			begun = append(begun, row.At)
		case run.RowAnswer:
			answered = append(answered, row.At)
		}
	}
	parts := map[string][]time.Duration{}
	for i := range min(len(begun), len(answered), len(records)) - 1 {
		parts[partAnswer] = append(parts[partAnswer], answered[i].Sub(answeredAt(records[i])))
		parts[partProgram] = append(parts[partProgram], begun[i+1].Sub(answered[i]))
		parts[partBegin] = append(parts[partBegin], records[i+1].At.Sub(begun[i+1]))
	}
	return parts, nil
}
