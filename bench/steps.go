package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/agentrun/agentrun/run"
)

// turns is how many tool turns a run of the script ten-steps has; each is two durable steps.
const turns = 10

// steps measures runs of ten turns: alone, 16 and 64 at once.
func (b *bench) steps(ctx context.Context) error {
	for _, at := range []struct{ concurrent, total int }{{1, 30}, {16, 320}, {64, 640}} {
		s, err := b.serve(ctx, fmt.Sprint("steps-", at.concurrent), "--faux", "ten-steps", "--max-runs", strconv.Itoa(at.concurrent))
		if err != nil {
			return err
		}
		if err := b.stepsAt(ctx, s, at.concurrent, at.total); err != nil {
			return err
		}
		s.stop()
	}
	return nil
}

func (b *bench) stepsAt(ctx context.Context, s *server, concurrent, total int) error {
	if _, err := s.submit(ctx, min(concurrent, 16), "warm up", nil); err != nil {
		return err
	}
	if err := s.rest(ctx, 100*time.Millisecond); err != nil {
		return err
	}
	used := s.cpu()
	var ids []string
	for part := total; len(ids) < total; {
		if concurrent == 1 {
			part = 1 // alone: not while the one before is put away
		}
		more, err := s.submit(ctx, part, "go", nil)
		if err != nil {
			return err
		}
		if err := s.rest(ctx, 100*time.Millisecond); err != nil {
			return err
		}
		ids = append(ids, more...)
	}
	used = s.cpu() - used
	runs, err := s.completed(ctx, ids)
	if err != nil {
		return err
	}
	rate := float64(total) / span(runs).Seconds()
	perTurn := used / time.Duration(total*(turns+1))
	name := fmt.Sprintf("runs of 10 turns, %d at once", concurrent)
	if concurrent == 1 {
		var took []time.Duration
		for _, r := range runs {
			took = append(took, r.EndedAt.Sub(*r.StartedAt))
		}
		alone := quantile(took, 0.5)
		b.add(name, "≤ 0.15 × A", "%.0f ms a run = %.2f × A's time; %.1f ms CPU a turn", ms(alone),
			alone.Seconds()*b.known["A/1"], ms(perTurn))
		return nil
	}
	b.add(name, "≥ 4.5 × A", "%.1f runs/s = %.1f × A; %.1f ms CPU a turn", rate,
		rate/b.known[fmt.Sprint("A/", concurrent)], ms(perTurn))
	if concurrent != 16 {
		return nil
	}
	gaps, turns, err := s.gaps(ctx, ids[:100])
	if err != nil {
		return err
	}
	b.add("gap between a step's end and the next begin by their rows, 16 at once, p50 / p99", "p99 ≤ 20 ms", "%.0f / %.0f ms",
		ms(quantile(gaps, 0.5)), ms(quantile(gaps, 0.99)))
	b.add("the same from an answer to the next request, with the tool call and its commit, p50 / p99", "", "%.0f / %.0f ms",
		ms(quantile(turns, 0.5)), ms(quantile(turns, 0.99)))
	return nil
}

// gaps are the times from each step's end to the next one's begin: from an answer to its call, and from a call's result
// to the next request. Where both are in one commit that is nothing, so turns says more: from each answer to the next
// request, the tool call and everything around it.
func (s *server) gaps(ctx context.Context, ids []string) (gaps, turns []time.Duration, err error) {
	for _, id := range ids {
		page, err := s.client.Timeline(ctx, id, 0, 1000)
		if err != nil {
			return nil, nil, err
		}
		var answered, ended time.Time
		for _, row := range page.Rows {
			switch row.Type {
			case run.RowAnswer:
				answered, ended = row.At, row.At
			case run.RowToolResult:
				ended = row.At
			case run.RowToolUse:
				gaps = append(gaps, row.At.Sub(ended))
			case run.RowRequestStarted:
				if !answered.IsZero() {
					gaps, turns = append(gaps, row.At.Sub(ended)), append(turns, row.At.Sub(answered))
				}
			}
		}
	}
	return gaps, turns, nil
}

// slowScript answers each of ten turns after a second.
const slowScript = `
models: [{id: faux-slow, context_window: 200000, max_output: 1000}]
rules:
  - replies:
      - repeat: 9
        delay: 1s
        tool_calls: [{name: write, args: {path: "note-{{step}}.txt", content: note}}]
      - {delay: 1s, text: Done.}
`

// slowModel measures runs whose model takes a second a request: alone, and 300 at once.
func (b *bench) slowModel(ctx context.Context) error {
	script := filepath.Join(b.dir, "slow.yaml")
	if err := os.WriteFile(script, []byte(slowScript), 0o600); err != nil {
		return err
	}
	for _, at := range []struct {
		runs   int
		target string
	}{{1, "≤ 1.02"}, {300, "≤ 1.10"}} {
		s, err := b.serve(ctx, fmt.Sprint("slow-", at.runs), "--faux", script)
		if err != nil {
			return err
		}
		ids, err := s.submit(ctx, at.runs, "go", nil)
		if err != nil {
			return err
		}
		if err := s.rest(ctx, 250*time.Millisecond); err != nil {
			return err
		}
		runs, err := s.completed(ctx, ids)
		if err != nil {
			return err
		}
		var took []time.Duration
		for _, r := range runs {
			took = append(took, r.EndedAt.Sub(*r.StartedAt))
		}
		b.add(fmt.Sprintf("model of 1 s a request, %d runs at once: wall time / model time, p50 / max", at.runs), at.target,
			"%.3f / %.3f", quantile(took, 0.5).Seconds()/10, quantile(took, 1).Seconds()/10)
		s.stop()
	}
	return nil
}

// holdScript holds every answer for two minutes.
const holdScript = `
models: [{id: faux-hold, context_window: 200000, max_output: 1000}]
rules: [{reply: {delay: 120s, text: Done.}}]
`

// recovery measures the time from kill -9 of a worker to the run's next begin, fifty times.
func (b *bench) recovery(ctx context.Context) error {
	script := filepath.Join(b.dir, "hold.yaml")
	if err := os.WriteFile(script, []byte(holdScript), 0o600); err != nil {
		return err
	}
	s, err := b.serve(ctx, "recovery", "--faux", script)
	if err != nil {
		return err
	}
	defer s.stop()
	var took []time.Duration
	for range 50 {
		ids, err := s.submit(ctx, 1, "go", nil)
		if err != nil {
			return err
		}
		holder, err := s.begun(ctx, ids[0], 1)
		if err != nil {
			return err
		}
		killed := time.Now()
		if err := syscall.Kill(holder, syscall.SIGKILL); err != nil {
			return err
		}
		if _, err := s.begun(ctx, ids[0], 2); err != nil {
			return err
		}
		page, err := s.client.Timeline(ctx, ids[0], 0, 1000)
		if err != nil {
			return err
		}
		last := slices.IndexFunc(page.Rows, func(row run.Row) bool {
			return row.Type == run.RowRequestStarted && row.At.After(killed.Add(-time.Millisecond))
		})
		if last < 0 {
			return fmt.Errorf("run %s has no begin after the kill", ids[0])
		}
		took = append(took, page.Rows[last].At.Sub(killed))
		if _, err := s.client.Cancel(ctx, ids[0]); err != nil {
			return err
		}
	}
	b.add("kill -9 of a worker to the next begin, p50 / max of 50", "≤ 1 s / ≤ 3 s", "%.2f / %.2f s",
		quantile(took, 0.5).Seconds(), quantile(took, 1).Seconds())
	return nil
}

// begun waits until a run has begun a number of requests and answers the pid of its worker.
func (s *server) begun(ctx context.Context, id string, requests int) (int, error) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		page, err := s.client.Timeline(ctx, id, 0, 1000)
		if err != nil {
			return 0, err
		}
		n := 0
		for _, row := range page.Rows {
			if row.Type == run.RowRequestStarted {
				n++
			}
		}
		r, err := s.client.Run(ctx, id)
		if err != nil {
			return 0, err
		}
		if n >= requests && r.Claim.Holder != nil {
			return r.Claim.Holder.PID, nil
		}
	}
	return 0, fmt.Errorf("run %s did not begin request %d", id, requests)
}
