package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/examples"
	"github.com/agentrun/agentrun/run"
)

// demoCmd shows the product in half a minute, without a key and without a network.
type demoCmd struct {
	Once bool `help:"End when the demo is over, instead of leaving the server up to look around."`
}

// Help shows an example.
func (*demoCmd) Help() string {
	return `Starts a server on a temporary directory with a scripted model, runs an agent, kills its worker in the middle, runs a
workflow document, and pauses a run at its spend cap.

Example:

  agentrun demo --once`
}

// Run plays the demo on a server of its own.
func (c *demoCmd) Run(ctx context.Context, t *terminal) error {
	dir, err := os.MkdirTemp("", "agentrun-demo-")
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d := &demo{term: t, dir: dir}
	if err := d.serve(ctx); err != nil {
		return err
	}
	defer d.end()
	for _, act := range []func(context.Context) error{d.survive, d.review, d.cap} {
		if err := act(ctx); err != nil {
			return fmt.Errorf("demo: %w (the server's log is below)\n%s", err, d.logged())
		}
	}
	d.say("Done in %.0f s.", time.Since(d.started).Seconds())
	if c.Once {
		d.say("  Next: agentrun demo, which leaves its server up to look around, or the README")
		return nil
	}
	d.links()
	d.say("\nThe server stays up; Ctrl-C ends it and removes %s.", dir)
	select {
	case <-ctx.Done():
	case <-d.exited:
	}
	return nil
}

// demo is one performance.
type demo struct {
	term    *terminal
	dir     string
	server  *exec.Cmd
	exited  chan struct{}
	base    string
	token   string
	client  *client.Client
	started time.Time
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.term.out, format+"\n", args...) }

// serve starts the server as a process of its own, as a person would.
func (d *demo) serve(ctx context.Context) error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	log, err := os.Create(filepath.Join(d.dir, "serve.log"))
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	defer func() { _ = log.Close() }()
	d.say("Starting a server with a scripted model (no key, no network) …")
	d.started = time.Now()
	//nolint:noctx // it ends by SIGTERM, as an operator ends it
	d.server = exec.Command(program, "serve", "--data", filepath.Join(d.dir, "data"), "--port", "0", "--faux", "demo",
		"--drain-timeout", "1s")
	d.server.Stderr = log
	d.server.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := d.server.StdoutPipe()
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if err := d.server.Start(); err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	d.exited = make(chan struct{})
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Open ") {
		if value, ok := strings.CutPrefix(lines.Text(), "AGENTRUN_BASE_URL="); ok {
			d.base = value
		}
		if value, ok := strings.CutPrefix(lines.Text(), "AGENTRUN_TOKEN="); ok {
			d.token = value
		}
	}
	go func() { _ = d.server.Wait(); close(d.exited) }()
	if d.client, err = client.New(client.Options{BaseURL: d.base, Token: d.token}); err != nil || d.base == "" {
		d.end()
		return fmt.Errorf("demo: the server did not start: %s", d.logged())
	}
	d.say("  %s is open after %.1f s\n", d.base, time.Since(d.started).Seconds())
	return ctx.Err()
}

// end stops the server as an operator does.
func (d *demo) end() {
	_ = d.server.Process.Signal(syscall.SIGTERM)
	select {
	case <-d.exited:
	case <-time.After(10 * time.Second):
		_ = d.server.Process.Kill()
		<-d.exited
	}
}

func (d *demo) logged() string {
	text, err := os.ReadFile(filepath.Join(d.dir, "serve.log"))
	if err != nil {
		return ""
	}
	return string(text)
}

// survive runs an agent and kills its worker in the middle.
func (d *demo) survive(ctx context.Context) error {
	definition, err := examples.Files.ReadFile("release-notes.json")
	if err != nil {
		return err
	}
	if _, err := d.client.CreateAgent(ctx, json.RawMessage(definition)); err != nil {
		return err
	}
	changes, err := examples.Files.ReadFile("changes.md")
	if err != nil {
		return err
	}
	d.say("1. An agent writes release notes, and its worker is killed in the middle.")
	r, err := d.client.CreateRun(ctx, "release-notes", client.NewRun{
		Content: "Write the release notes for the attached changes.",
		Files:   []client.File{{Path: "changes.md", Content: changes}},
	})
	if err != nil {
		return err
	}
	killed, begun := false, 0
	_, err = d.client.Follow(ctx, r.ID, 0, func(event client.Event) error {
		if event.Row == nil {
			return nil
		}
		d.show(*event.Row)
		if event.Row.Type == run.RowRequestStarted {
			begun++
		}
		if begun == 3 && !killed {
			killed = true
			return d.kill(ctx, r.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.report(ctx, r.ID)
}

// kill ends the worker that drives a run, while its model request is under way.
func (d *demo) kill(ctx context.Context, runID string) error {
	r, err := d.client.Run(ctx, runID)
	if err != nil {
		return err
	}
	if r.Claim.Holder == nil {
		return errors.New("nobody drives the run")
	}
	d.say("   ✗  kill -9 %d: the worker is gone, in the middle of a request", r.Claim.Holder.PID)
	return syscall.Kill(r.Claim.Holder.PID, syscall.SIGKILL)
}

// show prints a timeline row that a person wants to see.
func (d *demo) show(row run.Row) {
	var body struct {
		Request   string                `json:"request"`
		Attempt   int                   `json:"attempt"`
		Name      string                `json:"name"`
		Path      string                `json:"path"`
		Args      struct{ Path string } `json:"args"`
		Status    run.Status            `json:"status"`
		State     run.State             `json:"state"`
		Reason    string                `json:"reason"`
		Epoch     int64                 `json:"epoch"`
		Unknown   bool                  `json:"unknown_spend"`
		Interrupt bool                  `json:"interrupted"`
		Refused   bool                  `json:"cap_refused"`
	}
	if row.Decode(&body) != nil {
		return
	}
	switch row.Type {
	case run.RowRequestStarted:
		if !body.Refused {
			d.say("   →  request %s, attempt %d", body.Request, body.Attempt)
		}
	case run.RowRequestEnded:
		if body.Unknown {
			d.say("   !  request %s was cut: it counts at the most it could have cost", body.Request)
		}
	case run.RowToolUse:
		d.say("   ·  %s %s", body.Name, body.Args.Path)
	case run.RowSpendCap:
		d.say("   ‖  the cap does not buy the next request: nothing was sent")
	case run.RowStatus:
		if body.Reason == "reopened" {
			d.say("   ✓  another worker goes on from the journal (epoch %d)", body.Epoch)
		}
	}
}

// report prints what a run came to, and checks that it was no more than once.
func (d *demo) report(ctx context.Context, runID string) error {
	r, err := d.client.Run(ctx, runID)
	if err != nil {
		return err
	}
	if r.Status != run.Completed {
		return fmt.Errorf("run %s is %s: %+v", runID, r.Status, r.Error)
	}
	files, err := d.client.Files(ctx, runID)
	if err != nil {
		return err
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Path)
	}
	d.say("   answer: %s", r.Result.FinalAnswer)
	d.say("   files:  %s", strings.Join(names, ", "))
	d.say("   cost:   %s; %d requests answered, %d tool calls, each write once\n", costText(r.Cost), r.Usage.Requests,
		r.Usage.ToolCalls)
	return nil
}

func costText(cost run.Cost) string {
	if cost.USD != nil {
		return cost.USD.String() + " USD"
	}
	return fmt.Sprintf("%s USD known, at most %s USD (one request was cut)", cost.KnownUSD,
		cost.KnownUSD.Plus(cost.HeldUSD))
}
