package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/door"
	"github.com/agentrun/agentrun/engine"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/worker"
)

// exitFenced is the exit code of a worker that the server refuses: its runs are another's now.
const exitFenced = 75

// workerCmd is the worker role. A server starts its local workers itself and tells them what they need by pipe.
type workerCmd struct {
	Setup string `help:"Where to read the setup a server gives: - is the standard input, which must stay open." default:"-"`
}

// Help shows an example.
func (*workerCmd) Help() string {
	return `A server starts its own workers; this is how, for whoever wants to see one alone:

  agentrun worker --setup - < setup.json`
}

// workerSetup is what a server tells a worker, as one line of JSON. It holds secrets: it travels by pipe only.
type workerSetup struct {
	Worker   string            `json:"worker"`
	Temporal engine.Connection `json:"temporal"`
	Door     string            `json:"door"`
	Token    string            `json:"token"`
	Lane     string            `json:"lane"`
	LogLevel slog.Level        `json:"log_level"`
	// Idle, Beat and Drain are nanoseconds.
	Idle  time.Duration `json:"idle"`
	Beat  time.Duration `json:"beat"`
	Drain time.Duration `json:"drain"`
	// Programs and Sessions are of the command-line agents.
	Programs programPaths             `json:"programs"`
	Sessions activities.HarnessBounds `json:"sessions"`
}

// Run drives runs until SIGTERM, which drains, or until the server goes, which ends the process at once.
func (c *workerCmd) Run(ctx context.Context, t *terminal) error {
	if c.Setup != "-" {
		return run.Errorf(run.ErrInvalid, "--setup %s: a worker reads its setup from its standard input only", c.Setup)
	}
	decoder := json.NewDecoder(t.in)
	var setup workerSetup
	if err := decoder.Decode(&setup); err != nil {
		return fmt.Errorf("read the worker's setup: %w", err)
	}
	go func() {
		// The server holds the other end for as long as it lives, whatever ends it.
		_, _ = io.Copy(io.Discard, t.in)
		os.Exit(0)
	}()
	go giveRoom(ctx)
	log := slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: setup.LogLevel}))
	temporal, err := engine.Dial(ctx, setup.Temporal, log)
	if err != nil {
		return err
	}
	defer temporal.Close()
	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("this host's name: %w", err)
	}
	entrance := door.NewClient(setup.Door, setup.Token, nil)
	err = worker.Run(ctx, worker.Options{
		Temporal: temporal, Door: entrance, Presence: entrance, Log: log, Lane: setup.Lane,
		Holder:      run.Holder{Host: host, PID: os.Getpid(), Worker: setup.Worker},
		IdleTimeout: setup.Idle, Beat: setup.Beat, Drain: setup.Drain,
		Harnesses: workerHarnesses(setup.Programs, log), Sessions: setup.Sessions,
	})
	if errors.Is(err, worker.ErrFenced) {
		return &exitError{exitFenced, err.Error()}
	}
	return err
}
