package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
	"github.com/agentrun/agentrun/store"
)

// manyRuns is how many runs the store holds for the read side and the start.
const manyRuns = 100_000

// appends measures rows a second from 64 writers, each append acknowledged after its fsync.
func (b *bench) appends(ctx context.Context) error {
	dir := filepath.Join(b.dir, "appends")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{Dir: dir, ReserveBytes: -1})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer func() { _ = s.Close() }()
	const writers, each = 64, 200
	claims, err := b.seed(ctx, s, writers)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	failed := make(chan error, writers)
	began := time.Now()
	for _, claim := range claims {
		group.Go(func() {
			after := int64(3)
			for i := range each {
				row := run.NewRow(run.RowWarning, fmt.Sprint("w/", i), run.Warning{Code: "bench", Message: strings.Repeat("x", 200)}, nil)
				done, err := s.Append(ctx, journal.Append{Claim: claim, Rows: []run.Row{row}, After: after})
				if err != nil {
					failed <- err
					return
				}
				after = done.Seqs[0]
			}
		})
	}
	group.Wait()
	select {
	case err := <-failed:
		return err
	default:
	}
	b.add("journal rows from 64 writers, full sync", "≥ 5,000/s", "%.0f/s", writers*each/time.Since(began).Seconds())
	return nil
}

// seed makes an agent and claimed runs.
func (b *bench) seed(ctx context.Context, s *store.Store, n int) ([]journal.Claim, error) {
	if _, err := s.CreateAgent(ctx, run.Definition{ID: "bench", Name: "Bench", Instructions: "x"}, nil); err != nil {
		return nil, err
	}
	claims := make([]journal.Claim, n)
	for i := range claims {
		created, _, err := s.CreateRun(ctx, newRun())
		if err != nil {
			return nil, err
		}
		opened, err := s.ClaimRun(ctx, journal.Open{RunID: created.ID, Holder: run.Holder{Worker: "bench"}})
		if err != nil {
			return nil, err
		}
		claims[i] = opened.Claim
	}
	return claims, nil
}

func newRun() store.NewRun {
	return store.NewRun{
		AgentID: "bench", Revision: 1, Kind: run.KindAgent, FirstMessage: "go", Source: "api",
		Input:  run.Input{Content: "go"},
		Config: run.Config{Harness: "pi", Model: run.Model{ID: "faux/faux-1", Provider: "faux"}, MaxSteps: 100},
	}
}

// fill makes a data directory with a hundred thousand ended runs and one with a long timeline.
func (b *bench) fill(ctx context.Context, dir string) (long string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	s, err := store.Open(ctx, store.Options{Dir: dir, ReserveBytes: -1})
	if err != nil {
		return "", err
	}
	defer func() { _ = s.Close() }()
	claims, err := b.seed(ctx, s, 1)
	if err != nil {
		return "", err
	}
	long = claims[0].RunID
	const page = 500
	for at := 0; at < 10_000; at += page {
		rows := make([]run.Row, page)
		for i := range rows {
			rows[i] = run.NewRow(run.RowWarning, fmt.Sprint("w/", at+i), run.Warning{Code: "bench", Message: strings.Repeat("x", 300)}, nil)
		}
		if _, err := s.Append(ctx, journal.Append{Claim: claims[0], Rows: rows, After: 1 << 40}); err != nil {
			return "", err
		}
	}
	if err := end(ctx, s, claims[0]); err != nil {
		return "", err
	}
	jobs := make(chan int)
	failed := make(chan error, 64)
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for range jobs {
				if err := fillOne(ctx, s); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	for i := range manyRuns {
		select {
		case jobs <- i:
		case err := <-failed:
			return "", err
		}
	}
	close(jobs)
	group.Wait()
	return long, nil
}

func fillOne(ctx context.Context, s *store.Store) error {
	created, _, err := s.CreateRun(ctx, newRun())
	if err != nil {
		return err
	}
	_, err = s.Cancel(ctx, created.ID)
	return err
}

func end(ctx context.Context, s *store.Store, claim journal.Claim) error {
	_, err := s.Append(ctx, journal.Append{Claim: claim, After: 1 << 40, Rows: []run.Row{
		run.NewRow(run.RowStatus, "end", run.StatusChange{Status: run.Completed, State: run.StateEnded}, nil),
	}})
	return err
}

// reads measures pages at a hundred thousand runs, and how soon a row reaches a hundred readers.
func (b *bench) reads(ctx context.Context) error {
	dir := filepath.Join(b.dir, "reads")
	long, err := b.fill(ctx, dir)
	if err != nil {
		return err
	}
	s, err := b.serve(ctx, "reads", "--faux", "default")
	if err != nil {
		return err
	}
	defer s.stop()
	b.add(fmt.Sprintf("start to Open with %d runs in the store", manyRuns), "≤ 3 s", "%.2f s", s.opened.Seconds())
	for _, page := range []struct{ name, path string }{
		{"run list", "/v2/runs?limit=50"},
		{"run list by agent and status", "/v2/runs?agent=bench&status=completed&limit=50"},
		{"timeline page of 10,000 rows", "/v2/runs/" + long + "/timeline?after=5000&limit=200"},
	} {
		var took []time.Duration
		for range 200 {
			began := time.Now()
			if err := s.get(ctx, page.path); err != nil {
				return err
			}
			took = append(took, time.Since(began))
		}
		b.add(page.name+" at 100,000 runs, p50 / p99", "p99 ≤ 50 ms", "%.1f / %.1f ms", ms(quantile(took, 0.5)), ms(quantile(took, 0.99)))
	}
	return b.lag(ctx, s)
}

func (s *server) get(ctx context.Context, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+path, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewReader(response.Body)
	if _, err := lines.WriteTo(discard{}); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", path, response.StatusCode)
	}
	return nil
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// lag measures the time from a message's row to a hundred readers of its run's timeline.
func (b *bench) lag(ctx context.Context, s *server) error {
	ids, err := s.submit(ctx, 1, "Take your time.", nil)
	if err != nil {
		return err
	}
	if _, err := s.begun(ctx, ids[0], 1); err != nil {
		return err
	}
	const readers, messages = 100, 20
	seen := make(chan time.Duration, readers*messages)
	following, stop := context.WithCancel(ctx)
	defer stop()
	for range readers {
		go func() {
			_, _ = s.client.Follow(following, ids[0], 4, func(event client.Event) error {
				if event.Row != nil && event.Row.Type == run.RowUserMessage {
					seen <- time.Since(event.Row.At)
				}
				return nil
			})
		}()
	}
	time.Sleep(time.Second)
	var took []time.Duration
	for i := range messages {
		if err := s.client.Message(ctx, ids[0], fmt.Sprint("message ", i), ""); err != nil {
			return err
		}
		for range readers {
			select {
			case lag := <-seen:
				took = append(took, lag)
			case <-time.After(10 * time.Second):
				return fmt.Errorf("a reader did not see message %d", i)
			}
		}
	}
	b.add("a row to 100 readers of its timeline, p50 / p99", "p50 ≤ 20 ms", "%.1f / %.1f ms", ms(quantile(took, 0.5)), ms(quantile(took, 0.99)))
	_, err = s.client.Cancel(ctx, ids[0])
	return err
}

// startup measures a cold start on a fresh directory.
func (b *bench) startup(ctx context.Context) error {
	var took []time.Duration
	for i := range 5 {
		s, err := b.serve(ctx, fmt.Sprint("start-", i), "--faux", "default")
		if err != nil {
			return err
		}
		took = append(took, s.opened)
		s.stop()
	}
	b.add("start to Open, fresh directory, p50 / max of 5", "≤ 2 s", "%.2f / %.2f s", quantile(took, 0.5).Seconds(), quantile(took, 1).Seconds())
	return nil
}

// waiting measures what ten thousand runs that wait for a person cost.
func (b *bench) waiting(ctx context.Context) error {
	script := filepath.Join(b.dir, "priced.yaml")
	const priced = `
models: [{id: faux-priced, context_window: 200000, max_output: 1000, prices: {input: 1, output: 1}}]
rules: [{reply: {text: Done.}}]
`
	if err := os.WriteFile(script, []byte(priced), 0o600); err != nil {
		return err
	}
	s, err := b.serve(ctx, "waiting", "--faux", script)
	if err != nil {
		return err
	}
	defer s.stop()
	tiny := run.USD(100)
	if _, err := s.submit(ctx, 200, "go", &tiny); err != nil {
		return err
	}
	if err := s.rest(ctx, 200*time.Millisecond); err != nil {
		return err
	}
	time.Sleep(15 * time.Second) // as below
	before := s.memory()
	const waiting = 10_000
	began := time.Now()
	if _, err := s.submit(ctx, waiting, "go", &tiny); err != nil {
		return err
	}
	if err := s.rest(ctx, time.Second); err != nil {
		return err
	}
	took := time.Since(began)
	time.Sleep(30 * time.Second) // what was freed goes back to the system meanwhile
	each := float64(s.memory()-before) / waiting / 1024
	used := s.cpu()
	time.Sleep(10 * time.Second)
	idle := (s.cpu() - used).Seconds() / 10 * 100
	b.add("memory a run that waits for a person, of 10,000", "≤ 20 KB", "%.1f KB (they came to wait in %.0f s)", each, took.Seconds())
	b.add("idle CPU of the server and its worker beside them", "≤ 5% of a core", "%.1f%%", idle)
	return nil
}
