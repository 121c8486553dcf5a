package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/agentrun/agentrun/client"
)

// How often a command-line agent does its task, beside itself alone: with a model that answers at once, and with a slow one.
const (
	instantPairs = 15
	slowPairs    = 3
	// heldSessions is how many sessions are held at once to see what one takes in the worker.
	heldSessions = 4
)

// commandLine is a command-line agent: how it is found, what its model is called, and how it is spoken to.
type commandLine struct {
	harness, variable, installed, command, model string
	// files are what the driver writes into a session's folder before it starts the program.
	files []string
	speak func(*alone) dialogue
}

var commandLines = []commandLine{
	{
		harness: "claude-agent", variable: "AGENTRUN_CLAUDE", command: "claude", model: "anthropic/faux-ten-steps",
		installed: "node_modules/@anthropic-ai/claude-code-linux-x64/claude",
		files:     []string{"instructions.txt"}, speak: speakClaude,
	},
	{
		harness: "codex", variable: "AGENTRUN_CODEX", command: "codex", model: "openai/faux-ten-steps",
		installed: "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
		files:     []string{"config.toml", "models.json"}, speak: speakCodex,
	},
}

// find is the program's path, "" where it is not on this machine.
func (c commandLine) find() string {
	for _, path := range []string{os.Getenv(c.variable), filepath.Join(".harness", c.installed), c.command} {
		if found, err := exec.LookPath(path); path != "" && err == nil {
			if absolute, err := filepath.Abs(found); err == nil {
				return absolute
			}
		}
	}
	return ""
}

// harness measures command-line agents under this server beside the same programs alone, on one gateway.
func (b *bench) harness(ctx context.Context) error {
	for _, c := range commandLines {
		program := c.find()
		if program == "" {
			b.add(c.harness, "", "skipped: no program in %s, .harness or PATH", c.variable)
			continue
		}
		if err := b.harnessOf(ctx, c, program); err != nil {
			return fmt.Errorf("%s: %w", c.harness, err)
		}
	}
	return nil
}

func (b *bench) harnessOf(ctx context.Context, c commandLine, program string) error {
	g, err := newStage()
	if err != nil {
		return err
	}
	defer g.close()
	s, err := b.serveHarness(ctx, c, program, g)
	if err != nil {
		return err
	}
	defer s.stop()
	seen, err := b.held(ctx, c, s, g)
	if err != nil {
		return err
	}
	pair := pairing{b: b, c: c, s: s, g: g, seen: seen}
	if _, _, err := pair.both(ctx, wordsInstant); err != nil { // files are in the cache from here on
		return err
	}
	var alone, ours []taskTimes
	for i := range instantPairs + slowPairs {
		words := wordsInstant
		if i >= instantPairs {
			words = wordsSlow
		}
		one, other, err := pair.both(ctx, words)
		if err != nil {
			return err
		}
		alone, ours = append(alone, one), append(ours, other)
	}
	b.instant(c, alone[:instantPairs], ours[:instantPairs])
	b.slow(c, alone[instantPairs:], ours[instantPairs:])
	b.starts(c, alone, ours)
	return nil
}

// serveHarness starts a server whose models are the stage's and whose program for the harness is the real one.
func (b *bench) serveHarness(ctx context.Context, c commandLine, program string, g *stage) (*server, error) {
	dir := "harness-" + c.harness
	if err := os.MkdirAll(filepath.Join(b.dir, dir), 0o700); err != nil {
		return nil, err
	}
	file := fmt.Sprintf(`{"providers": [], "models": [{"id": %q, "context_window": 200000, "max_output": 32000,
		"prices": {"input": 0, "cache_read": 0, "cache_write": 0, "output": 0}}]}`, c.model)
	if err := os.WriteFile(filepath.Join(b.dir, dir, "models.json"), []byte(file), 0o600); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		c.variable: program, "AGENT_MODEL_BASE_URL": g.url + "/v1", "AGENT_MODEL_API_KEY": "sk-bench-0123456789",
		"AGENT_MODEL": "faux-ten-steps", "ANTHROPIC_BASE_URL": g.url, "ANTHROPIC_API_KEY": "sk-bench-0123456789",
	} {
		before, had := os.LookupEnv(name)
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
		defer func() {
			if _ = os.Unsetenv(name); had {
				_ = os.Setenv(name, before)
			}
		}()
	}
	s, err := b.serve(ctx, dir)
	if err != nil {
		return nil, err
	}
	if _, err := s.client.CreateAgent(ctx, map[string]any{
		"id": c.harness, "name": c.harness, "instructions": instructions, "tools": offered, "harness": c.harness, "model": c.model,
	}); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// held measures what a session takes in the worker, from several whose model hangs, beside a first one that is there
// already: a worker reads much of its own file for the first. It answers how the server started one of them.
func (b *bench) held(ctx context.Context, c commandLine, s *server, g *stage) (launch, error) {
	mark := g.mark()
	var ids []string
	var first int64
	for i := range heldSessions + 1 {
		created, err := s.client.CreateRun(ctx, c.harness, client.NewRun{Content: wordsHang})
		if err != nil {
			return launch{}, err
		}
		ids = append(ids, created.ID)
		if i > 0 {
			continue
		}
		if err := g.asked(ctx, mark, 1); err != nil {
			return launch{}, err
		}
		first = s.workerMemory()
	}
	if err := g.asked(ctx, mark, heldSessions+1); err != nil {
		return launch{}, err
	}
	each := (s.workerMemory() - first) / heldSessions
	b.add(fmt.Sprintf("%s: memory of the worker a session, %d at once", c.harness, heldSessions), "< 20 MB",
		"%.1f MB, %s (%.0f MB with one session)", float64(each)/1e6, verdict(each < 20e6), float64(first)/1e6)
	seen, err := s.launched(ids[0], c.files)
	if err != nil {
		return launch{}, err
	}
	for _, id := range ids {
		if _, err := s.client.Cancel(ctx, id); err != nil {
			return launch{}, err
		}
	}
	return seen, s.rest(ctx, 100*time.Millisecond)
}

// instant reports what this server adds to a turn of which the model takes nothing. From the first request to the last
// answer there are ten such turns around eleven requests.
func (b *bench) instant(c commandLine, alone, ours []taskTimes) {
	var added []time.Duration
	for i := range ours {
		added = append(added, (ours[i].wall-alone[i].wall)/turns)
	}
	middle := quantile(added, 0.5)
	b.add(fmt.Sprintf("%s: added to a model request, model at once, p50 of %d", c.harness, len(ours)), "≤ 20 ms",
		"%.1f ms (%.1f to %.1f), %s; the task %.0f ms, the program alone %.0f ms", ms(middle), ms(quantile(added, 0)),
		ms(quantile(added, 1)), verdict(middle <= 20*time.Millisecond), ms(medianOf(ours, wallOf)), ms(medianOf(alone, wallOf)))
	parts := map[string][]time.Duration{}
	for _, times := range ours {
		for name, each := range times.parts {
			parts[name] = append(parts[name], each...)
		}
	}
	b.add(c.harness+": of a turn, p50", "", "%s %.1f, %s %.1f, %s %.1f ms; the program alone from an answer to its next request %.1f ms",
		partAnswer, ms(quantile(parts[partAnswer], 0.5)), partProgram, ms(quantile(parts[partProgram], 0.5)),
		partBegin, ms(quantile(parts[partBegin], 0.5)), ms(medianTurn(alone)))
}

func (b *bench) slow(c commandLine, alone, ours []taskTimes) {
	wall := medianOf(ours, wallOf).Seconds() / medianOf(alone, wallOf).Seconds()
	b.add(c.harness+": model of 500 ms a request, first request to last answer, ours / alone", "≤ 1.05", "%.3f, %s", wall, verdict(wall <= 1.05))
	whole := medianOf(ours, wholeOf).Seconds() / medianOf(alone, wholeOf).Seconds()
	b.add(c.harness+": the same, start to end, ours / alone", "≤ 1.05", "%.3f (%.2f / %.2f s), %s", whole,
		medianOf(ours, wholeOf).Seconds(), medianOf(alone, wholeOf).Seconds(), verdict(whole <= 1.05))
}

func (b *bench) starts(c commandLine, alone, ours []taskTimes) {
	own, other := medianOf(ours, startOf), medianOf(alone, startOf)
	ratio := own.Seconds() / other.Seconds()
	b.add(fmt.Sprintf("%s: start to the first request, p50 of %d, ours / alone", c.harness, len(ours)), "≤ 1.2",
		"%.2f (%.0f / %.0f ms), %s", ratio, ms(own), ms(other), verdict(ratio <= 1.2))
}

func verdict(met bool) string {
	if met {
		return "ok"
	}
	return "**missed**"
}

// workerMemory is the resident memory of the server's workers in bytes, without the programs they run.
func (s *server) workerMemory() int64 {
	var total int64
	for _, pid := range s.pids()[1:] {
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || !strings.Contains(string(args), "\x00worker\x00") {
			continue
		}
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
