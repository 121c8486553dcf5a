package harnesses_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/models/faux"
	"github.com/agentrun/agentrun/run"
)

// The small programs of these tests. Each says its version; what comes after is what it says as a session, a word a line:
// ready, ask (it then reads "answer …" or "refused …"), end with a fault.
const (
	says = "#!/bin/sh\necho look >> \"$0.looks\"\n[ \"$1\" = --version ] && { echo %s; exit 0; }\n"
	asks = "echo ready; echo ask; read -r answer; echo end; read -r more\n"
)

// program writes a small program that says it is of a version and then does as told.
func program(t *testing.T, version, does string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	write(t, path, fmt.Sprintf(says, version)+does)
	return path
}

// write puts a program in its place, whole. No program is started meanwhile, since the new process would hold the file
// open for writing for a moment, and what is written to cannot be run.
func write(t *testing.T, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path+".new", []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// looks counts how often a program was started.
func looks(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile(path + ".looks")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(data), "look\n")
}

// driver speaks to the small programs.
type driver struct {
	// kept is what the end of a session names as not ended.
	kept error

	mu   sync.Mutex
	dirs []string
}

// known is a program of the driver's as a server knows it.
func (d *driver) known(path string) harnesses.Program {
	return harnesses.Program{
		ID: "small", Driver: d, Path: path, Variable: "AGENTRUN_SMALL", Command: "agentrun-small-program",
		APIs: []string{models.APIResponses}, From: "1.2.0", Below: "2.0.0", Install: "install the small program",
	}
}

func (*driver) Version(ctx context.Context, program, _ string) (string, error) {
	command := exec.CommandContext(ctx, program, "--version")
	command.WaitDelay = time.Second
	out, err := command.Output()
	return strings.TrimSpace(string(out)), err
}

func (*driver) ToolName(wire string) string { return wire }

func (*driver) Answers([]models.Message) int { return 0 }

func (d *driver) Open(ctx context.Context, spec cli.Spec, host cli.Host) (cli.Session, error) {
	d.mu.Lock()
	d.dirs = append(d.dirs, spec.Dir)
	d.mu.Unlock()
	p, err := process.Start(ctx, process.Options{
		Program: spec.Program, Args: []string{"serve"}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: spec.Dir, Marker: spec.Marker,
	})
	if err != nil {
		return nil, err
	}
	s := &session{Process: p, kept: d.kept, host: host, ready: make(chan struct{}), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go s.read()
	select {
	case <-s.ready:
		return s, nil
	case <-s.done:
		return nil, errors.Join(fmt.Errorf("it said nothing: %w", s.Err()), s.Close())
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("it said nothing: %w", ctx.Err()), s.Close())
	}
}

// folders are the private folders, of all sessions so far, that are still there.
func (d *driver) folders() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var there []string
	for _, dir := range d.dirs {
		if _, err := os.Stat(filepath.Dir(dir)); err == nil {
			there = append(there, filepath.Dir(dir))
		}
	}
	return there
}

type session struct {
	*process.Process
	ctx         context.Context
	cancel      context.CancelFunc
	host        cli.Host
	kept        error
	ready, done chan struct{}
}

func (s *session) read() {
	defer close(s.done)
	lines := bufio.NewScanner(s.Stdout())
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "ready":
			close(s.ready)
		case "ask":
			go s.ask()
		case "end":
			s.host.TurnEnded(rest)
		}
	}
}

func (s *session) ask() {
	body := []byte(`{"model": "faux-1", "stream": true, "input": "Say: ready."}`)
	answer, err := s.host.Ask(s.ctx, cli.Ask{Main: true, Wire: models.Wire{
		Body: func(int64) ([]byte, error) { return body, nil }, Size: int64(len(body)), Digest: "one",
	}})
	if err != nil {
		fmt.Fprintln(s.Stdin(), "refused", err)
		return
	}
	fmt.Fprintln(s.Stdin(), "answer", answer.Text)
}

func (*session) Say(string) error        { return nil }
func (s *session) Done() <-chan struct{} { return s.done }
func (*session) Err() error              { return errors.New("it has gone") }

func (s *session) Close() error {
	s.cancel()
	return errors.Join(s.Stop(), s.kept)
}

// gateway is the scripted model.
type gateway struct {
	*faux.Gateway
	url string
}

func newGateway(t *testing.T, rules string) *gateway {
	t.Helper()
	script, err := faux.Parse([]byte(`
models: [{id: faux-1, context_window: 200000, max_output: 4096, prices: {input: 1, output: 2}}]
rules:
` + rules))
	if err != nil {
		t.Fatal(err)
	}
	g, err := faux.New(script, faux.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	return &gateway{g, server.URL}
}

// ask is what a probe is asked with: the gateway's model in a protocol, and a cap of a dollar.
func (g *gateway) ask(api string, live bool) harnesses.Ask {
	ask := harnesses.Ask{
		Live: live, Model: g.Models()[0], BaseURL: g.url + "/v1", Client: models.New(models.Options{}), Cap: run.Dollar,
	}
	if ask.Model.API = api; api == models.APIMessages {
		ask.BaseURL = g.url
	}
	return ask
}
