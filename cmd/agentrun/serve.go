package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/run"
)

// serveCmd starts a server. What it starts, and in which order, is in server.go.
type serveCmd struct {
	Data         string        `help:"Data directory; made where it is missing." default:"agentrun-data" type:"path" placeholder:"DIR"`
	Host         string        `help:"Address to listen on." default:"127.0.0.1"`
	Port         int           `help:"Port to listen on; 0 takes a free one." default:"7717"`
	AllowHost    []string      `help:"Further Host names that requests may bear on a loopback address." placeholder:"NAME"`
	PublicURL    string        `help:"The address people reach the server under, if not its own." placeholder:"URL"`
	DrainTimeout time.Duration `help:"How long steps under way may take after SIGTERM before they are cut." default:"8s"`
	Workers      int           `help:"Local worker processes; 0 drives runs in the server's own process." default:"1"`
	WorkerLease  time.Duration `help:"Silence after which a worker is given up and its runs go to others." default:"10s"`
	MaxRuns      int           `help:"Runs that may work at once; further ones queue." default:"1000" env:"AGENTRUN_MAX_RUNS"`
	Lane         string        `help:"Where model requests run: auto, regular or local activities." default:"auto" enum:"auto,regular,local" env:"AGENTRUN_LANE"`
	IdleTimeout  time.Duration `help:"Silence after which a model's answer is given up and asked for again." default:"5m"`
	Faux         string        `help:"Answer every model request from this script (a file, or the name of a ready one) instead of a model." placeholder:"FILE"`
	Claude       string        `help:"Claude Code's program, for agents of the harness claude-agent; else it is looked up in PATH." placeholder:"FILE" env:"AGENTRUN_CLAUDE"`
	Codex        string        `help:"Codex's program, for agents of the harness codex; else it is looked up in PATH." placeholder:"FILE" env:"AGENTRUN_CODEX"`
	MaxSessions  int           `help:"Claude Code and Codex programs that each worker may run at once; each takes about 200 MB." default:"16" env:"AGENTRUN_MAX_SESSIONS"`
	SessionStart time.Duration `help:"How long such a program may take to start before it is ended and started again, three times at most." default:"1m"`
	SessionHold  time.Duration `help:"How long such a program stays when its request waits for a raised cap, before it is ended and opened again later." default:"1m"`
	MaxBody      int64         `help:"Largest request body, in bytes." default:"33554432" placeholder:"BYTES"`
	LogLevel     string        `help:"What to log: debug, info, warn or error." default:"info" enum:"debug,info,warn,error"`

	EngineTokenFile string `help:"Write the embedded engine's token for this start to this file (mode 0600), for Temporal's own command line." type:"path" placeholder:"FILE"`

	Temporal           string `help:"Use the Temporal cluster at this address instead of the embedded one." placeholder:"HOST:PORT"`
	TemporalNamespace  string `help:"Namespace of the cluster." default:"agentrun"`
	TemporalTLS        bool   `help:"Speak TLS to the cluster."`
	TemporalCA         string `help:"Authorities of the cluster's certificate." type:"path" placeholder:"FILE"`
	TemporalCert       string `help:"Client certificate for the cluster." type:"path" placeholder:"FILE"`
	TemporalKey        string `help:"Key of the client certificate." type:"path" placeholder:"FILE"`
	TemporalServerName string `help:"Name in the cluster's certificate, if not the one dialled." placeholder:"NAME"`
}

// Help shows an example.
func (*serveCmd) Help() string {
	return `Example:

  agentrun serve --data ~/agentrun --port 7717

The first start prints the token that clients send; it is kept in DIR/.token. Model keys are read once from the
environment: AGENT_MODEL_BASE_URL, AGENT_MODEL_API_KEY and AGENT_MODEL, ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY, and
TYPESAFE_BASE_URL and TYPESAFE_API_KEY for the judge of workflows.`
}

// Run serves until it is told to stop, and then drains.
func (c *serveCmd) Run(ctx context.Context, t *terminal) error {
	if err := c.check(); err != nil {
		return err
	}
	go giveRoom(ctx)
	log := c.logger(t)
	server, err := startServer(ctx, c, log)
	if err != nil {
		return err
	}
	server.banner(t.out)
	failed := server.wait(ctx)
	if failed != nil {
		log.Error("the server cannot go on", "error", failed)
	}
	if err := server.stop(); err != nil {
		log.Warn("stopped, not cleanly", "error", err)
	}
	return failed
}

// programs are where the owner says the harnesses' programs are.
func (c *serveCmd) programs() programPaths { return programPaths{Claude: c.Claude, Codex: c.Codex} }

// sessions bound what the harnesses' programs may take.
func (c *serveCmd) sessions() activities.HarnessBounds {
	return activities.HarnessBounds{Sessions: c.MaxSessions, Start: c.SessionStart, Hold: c.SessionHold}
}

func (c *serveCmd) check() error {
	data, err := filepath.Abs(c.Data)
	if err != nil {
		return fmt.Errorf("--data %s: %w", c.Data, err)
	}
	c.Data = data
	for _, positive := range []struct {
		flag  string
		value int64
	}{
		{"--max-runs", int64(c.MaxRuns)},
		{"--max-sessions", int64(c.MaxSessions)},
		{"--session-start", int64(c.SessionStart)},
		{"--session-hold", int64(c.SessionHold)},
		{"--max-body", c.MaxBody},
		{"--worker-lease", int64(c.WorkerLease)},
	} {
		if positive.value <= 0 {
			return run.Errorf(run.ErrInvalid, "%s must be more than 0", positive.flag)
		}
	}
	if c.Workers < 0 || c.DrainTimeout < 0 || c.Port < 0 || c.Port > 65535 {
		return run.Errorf(run.ErrInvalid, "--workers, --drain-timeout and --port must not be negative, and a port is at most 65535")
	}
	return nil
}

func (c *serveCmd) logger(t *terminal) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // the grammar allows only levels
	return slog.New(slog.NewTextHandler(t.err, &slog.HandlerOptions{Level: level}))
}
