package supervise_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/worker/supervise"
)

// pool starts workers that are shell scripts.
func pool(t *testing.T, script string, count int, gone func(string, int, string)) (*supervise.Pool, *output) {
	t.Helper()
	out := &output{}
	var n atomic.Int64
	p, err := supervise.Start(supervise.Options{
		Command: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Count: count,
		NewID: func() string { return fmt.Sprint("w", n.Add(1)) },
		Setup: func(worker string) any { return map[string]string{"worker": worker, "secret": "by-pipe"} },
		Ready: func(string) bool { return true }, Gone: gone, Log: slog.New(slog.DiscardHandler), Stderr: out,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = p.Stop(ctx)
	})
	return p, out
}

type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) has(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		o.mu.Lock()
		found := strings.Contains(o.text.String(), text)
		o.mu.Unlock()
		if found {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not said: %q", text)
		}
	}
}

func TestAWorkerGetsItsSetupByPipe(t *testing.T) {
	t.Parallel()
	_, out := pool(t, `read line; echo "$line" >&2; env >&2; exec cat`, 1, nil)
	out.has(t, `"worker":"w1"`)
	out.has(t, "PATH=/usr/bin:/bin")
	out.mu.Lock()
	defer out.mu.Unlock()
	if strings.Count(out.text.String(), "by-pipe") != 1 {
		t.Error("the secret is somewhere else than in the pipe")
	}
}

func TestADeadWorkerIsToldOfAndReplaced(t *testing.T) {
	t.Parallel()
	gone := make(chan string, 4)
	_, out := pool(t, `read line; echo "$line $$" >&2; exec cat`, 1, func(worker string, pid int, why string) {
		gone <- fmt.Sprint(worker, " ", pid, " ", why)
	})
	out.has(t, `"worker":"w1"`)
	out.mu.Lock()
	var pid int
	text := out.text.String()
	out.mu.Unlock()
	if _, err := fmt.Sscan(text[strings.LastIndex(strings.TrimSpace(text), " ")+1:], &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case said := <-gone:
		if said != fmt.Sprintf("w1 %d signal: killed", pid) {
			t.Errorf("told %q", said)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was told")
	}
	out.has(t, `"worker":"w2"`)
}

func TestStopAsksFirstAndKillsLate(t *testing.T) {
	t.Parallel()
	p, out := pool(t, `trap 'echo draining >&2; exit 0' TERM; read line; echo up >&2; while :; do sleep 0.05; done`, 2,
		func(worker string, _ int, _ string) { t.Errorf("worker %s was told of", worker) })
	out.has(t, "up\nup")
	if err := p.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	out.has(t, "draining\ndraining")

	stubborn, out := pool(t, `trap '' TERM; read line; echo up >&2; while :; do sleep 0.05; done`, 1,
		func(string, int, string) { t.Error("a stopped worker was told of") })
	out.has(t, "up")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := stubborn.Stop(ctx); err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("a stubborn worker was stopped with %v in %s", err, time.Since(began))
	}
}

func TestTheEnvironmentOfAWorkerHoldsNoKey(t *testing.T) {
	t.Setenv("AGENT_MODEL_API_KEY", "sk-x")
	t.Setenv("SOMEBODYS_TOKEN", "y")
	t.Setenv("TZ", "UTC")
	env := strings.Join(supervise.Environment(), "\n")
	if strings.Contains(env, "KEY") || strings.Contains(env, "TOKEN") || !strings.Contains(env, "TZ=UTC") {
		t.Errorf("the environment: %s", env)
	}
}
