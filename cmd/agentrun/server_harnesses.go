package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/agentrun/agentrun/activities"
	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/harnesses/claudeagent"
	"github.com/agentrun/agentrun/harnesses/codex"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

// programPaths are the owner's settings of where the programs of harnesses are.
type programPaths struct {
	Claude string `json:"claude,omitempty"`
	Codex  string `json:"codex,omitempty"`
}

// programs are the command-line agents that this build can drive, with the versions it was tried with. They are tried in
// private folders in dir.
func programs(paths programPaths, dir string, log *slog.Logger) []harnesses.Program {
	return []harnesses.Program{
		{
			ID: harnesses.ClaudeAgent, Driver: claudeagent.New(log), Path: paths.Claude, Variable: "--claude or AGENTRUN_CLAUDE", Dir: dir,
			Command: "claude", APIs: []string{models.APIMessages}, From: "2.1.300", Below: "2.2.0",
			Install: "install Claude Code (npm install -g @anthropic-ai/claude-code)",
		},
		{
			ID: harnesses.Codex, Driver: codex.New(log), Path: paths.Codex, Variable: "--codex or AGENTRUN_CODEX", Dir: dir,
			Command: "codex", Native: codex.Native, APIs: []string{models.APIResponses}, From: "0.171.0", Below: "0.172.0",
			Install: "install Codex (npm install -g @openai/codex)",
		},
	}
}

// workerHarnesses are the programs as a worker runs them.
func workerHarnesses(paths programPaths, log *slog.Logger) map[string]activities.Harness {
	all := map[string]activities.Harness{}
	for _, program := range programs(paths, "", log) {
		all[program.ID] = activities.Harness{Driver: program.Driver, Find: program.Find, Confine: confined}
	}
	return all
}

// confined tells whether this machine can keep a program from every network but its proxy.
func confined() bool {
	ok, _ := process.Confinement()
	return ok
}

// openHarnesses looks at the programs while the rest of the server starts: it takes them a second to say who they are.
// What an earlier server that was killed left of its tries goes.
func (s *server) openHarnesses(ctx context.Context) error {
	dir := s.data.tries()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		return fmt.Errorf("the folder of what is tried: %w", err)
	}
	s.harnesses = harnesses.New(programs(s.flags.programs(), dir, s.log)...)
	go s.harnesses.States(ctx)
	return nil
}

// probes tries harnesses out with the server's own models and keys.
type probes struct{ *server }

// probeCap bounds what a live probe may cost.
const probeCap = run.Dollar / 4

// Forget implements api.Harnesses.
func (p probes) Forget(id string) { p.harnesses.Forget(id) }

// Probe implements api.Harnesses.
func (p probes) Probe(ctx context.Context, id string, model run.Model, lacks string, live bool) (harnesses.Report, error) {
	ask := harnesses.Ask{Live: live, Model: model, Lacks: lacks, Cap: probeCap}
	if lacks == "" {
		endpoint, err := p.endpoint(model)
		if err != nil {
			return harnesses.Report{}, err
		}
		ask.BaseURL, ask.KeyName = endpoint.BaseURL, endpoint.KeyName
		if live && endpoint.KeyName != "" {
			if ask.APIKey, err = p.vault.Reveal(endpoint.KeyName); err != nil {
				return harnesses.Report{}, err
			}
		}
		ask.Client = models.New(models.Options{IdleTimeout: p.flags.IdleTimeout})
	}
	report, err := p.harnesses.Probe(ctx, id, ask)
	for i := range report.Checks {
		report.Checks[i].Message = string(p.vault.Redact([]byte(report.Checks[i].Message)))
	}
	return report, err
}
