package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// server is a started `agentrun serve`.
type server struct {
	command *exec.Cmd
	dir     string
	base    string
	token   string
	opened  time.Duration
	client  *client.Client
}

// serve starts a server on a directory under the bench's own.
func (b *bench) serve(ctx context.Context, dir string, flags ...string) (*server, error) {
	s := &server{dir: filepath.Join(b.dir, dir)}
	args := append([]string{"serve", "--data", s.dir, "--port", "0", "--drain-timeout", "1s"}, flags...)
	s.command = exec.CommandContext(ctx, b.binary, args...)
	s.command.Stderr = os.Stderr
	out, err := s.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Open ") {
		if base, ok := strings.CutPrefix(lines.Text(), "AGENTRUN_BASE_URL="); ok {
			s.base = base
		}
	}
	s.opened = time.Since(began)
	token, err := os.ReadFile(filepath.Join(s.dir, ".token"))
	if err != nil {
		return nil, err
	}
	s.token = strings.TrimSpace(string(token))
	s.client, err = client.New(client.Options{BaseURL: s.base, Token: s.token})
	if err != nil {
		return nil, err
	}
	definition := `{"id":"bench","name":"Bench","instructions":"Take notes.","tools":["read","write","edit"],"max_steps":1000}`
	if _, err := s.client.CreateAgent(ctx, json.RawMessage(definition)); err != nil &&
		!strings.Contains(err.Error(), "agent_exists") && !strings.Contains(err.Error(), "exists") {
		return nil, err
	}
	return s, nil
}

func (s *server) stop() {
	_ = s.command.Process.Signal(syscall.SIGTERM)
	_ = s.command.Wait()
}

// submit starts runs and gives their ids.
func (s *server) submit(ctx context.Context, n int, content string, limit *run.USD) ([]string, error) {
	ids := make([]string, n)
	for i := range ids {
		created, err := s.client.CreateRun(ctx, "bench", client.NewRun{Content: content, MaxCostUSD: limit})
		if err != nil {
			return nil, err
		}
		ids[i] = created.ID
	}
	return ids, nil
}

// rest waits until every run has ended or waits for a person, asking seldom.
func (s *server) rest(ctx context.Context, every time.Duration) error {
	for {
		busy := 0
		for _, status := range []run.Status{run.Queued, run.Working} {
			page, err := s.client.Runs(ctx, client.RunFilter{Status: []run.Status{status}}, client.Page{Limit: 1})
			if err != nil {
				return err
			}
			busy += len(page.Data)
		}
		if busy == 0 {
			return nil
		}
		time.Sleep(every)
	}
}

// completed gives the runs, all of which must have completed.
func (s *server) completed(ctx context.Context, ids []string) ([]run.Run, error) {
	runs := make([]run.Run, len(ids))
	for i, id := range ids {
		var err error
		if runs[i], err = s.client.Run(ctx, id); err != nil {
			return nil, err
		}
		if runs[i].Status != run.Completed {
			return nil, fmt.Errorf("run %s is %s: %+v", id, runs[i].Status, runs[i].Error)
		}
	}
	return runs, nil
}

// span is the time from the first start to the last end of runs.
func span(runs []run.Run) time.Duration {
	first, last := *runs[0].StartedAt, *runs[0].EndedAt
	for _, r := range runs {
		if r.StartedAt.Before(first) {
			first = *r.StartedAt
		}
		if r.EndedAt.After(last) {
			last = *r.EndedAt
		}
	}
	return last.Sub(first)
}

// pids are the server's process and its workers.
func (s *server) pids() []int {
	pids := []int{s.command.Process.Pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/status")
	for _, path := range stats {
		data, err := os.ReadFile(path)
		var pid int
		if err == nil && strings.Contains(string(data), fmt.Sprintf("\nPPid:\t%d\n", s.command.Process.Pid)) {
			if _, err := fmt.Sscanf(path, "/proc/%d/status", &pid); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// cpu is the processor time the processes have used.
func (s *server) cpu() time.Duration {
	const tick = 10 * time.Millisecond // USER_HZ is 100
	var ticks int64
	for _, pid := range s.pids() {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		var user, system int64
		_, _ = fmt.Sscan(fields[11], &user)
		_, _ = fmt.Sscan(fields[12], &system)
		ticks += user + system
	}
	return time.Duration(ticks) * tick
}

// memory is the processes' resident memory in bytes.
func (s *server) memory() int64 {
	var total int64
	for _, pid := range s.pids() {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue
		}
		var size, resident int64
		_, _ = fmt.Sscan(string(data), &size, &resident)
		total += resident * int64(os.Getpagesize())
	}
	return total
}
