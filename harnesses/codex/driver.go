package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"strings"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
)

// Driver drives Codex (cli.Driver).
type Driver struct{ log *slog.Logger }

// New makes a driver that logs to log. Nothing of what is said is logged, only that it came to a fault.
func New(log *slog.Logger) *Driver { return &Driver{log: log} }

// Version is the version the program says it has. It makes folders in its home even to say this.
func (*Driver) Version(ctx context.Context, program, dir string) (string, error) {
	command := exec.CommandContext(ctx, program, "--version")
	command.Env = home{dir}.environment()
	command.Dir = dir
	command.WaitDelay = lastWords
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", program, err)
	}
	words := strings.Fields(cut(string(out), maxQuote))
	if len(words) < 2 || !strings.HasPrefix(words[0], "codex") {
		return "", fmt.Errorf("%s is no codex: its version is %q", program, cut(string(out), maxQuote))
	}
	return words[1], nil
}

// ToolName is the name itself: the program's model calls the tools by the names they have.
func (*Driver) ToolName(wire string) string { return wire }

// Answers counts the answers of a conversation, the ones in a row as one.
func (*Driver) Answers(history []models.Message) int {
	count, before := 0, models.Role("")
	for _, message := range history {
		if message.Role == models.RoleAssistant && before != models.RoleAssistant {
			count++
		}
		before = message.Role
	}
	return count
}

// Open starts the program and has it go on with the conversation.
func (d *Driver) Open(ctx context.Context, spec cli.Spec, host cli.Host) (cli.Session, error) {
	s, err := d.start(ctx, spec, host)
	if err != nil {
		return nil, err
	}
	met := s.due(ctx, "get ready")
	err = s.begin(ctx)
	if !met() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		return s, nil
	}
	if soon(s.done) && s.Err() != nil {
		err = s.Err() // what ended it says more than that it does not answer
	}
	return nil, errors.Join(err, s.Close())
}

// start starts the program and what it talks to.
func (d *Driver) start(ctx context.Context, spec cli.Spec, host cli.Host) (_ *session, err error) {
	s := &session{spec: spec, host: host, log: d.log, secret: cli.NewSecret(), done: make(chan struct{})}
	s.calling = make(chan struct{}, maxCalls)
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			s.cancel()
		}
	}()
	if s.gate, err = spec.Gates.Open(spec.Confine); err != nil {
		return nil, err
	}
	at := home{spec.Dir}
	if err := at.write(spec, s.gate.URL+"/"+s.secret+"/v1"); err != nil {
		return nil, errors.Join(err, s.gate.Close())
	}
	s.process, err = process.Start(ctx, process.Options{
		Program: spec.Program, Args: []string{"app-server"}, Env: at.environment(), Dir: at.work(),
		Marker: spec.Marker, Gate: s.gate, Stderr: s.stderr.add,
	})
	if err != nil {
		return nil, errors.Join(err, s.gate.Close())
	}
	s.peer = newPeer(s.process.Stdin(), s.done)
	s.calls = newCalls(s.ctx, spec, host, s.fail)
	s.proxy = cli.Serve(s.gate.Listener(), s.secret, &protocol{spec, instructionsOf(spec), s.calls}, host, d.log)
	go s.live()
	return s, nil
}

// quiet are notifications that are not wanted: they show an answer as it comes, and the proxy knows it already.
var quiet = []string{
	"item/agentMessage/delta", "item/started", "item/completed", "item/reasoning/textDelta", "item/reasoning/summaryTextDelta",
	"thread/tokenUsage/updated", "account/rateLimits/updated",
}

// begin speaks the protocol up to where the program has been told to go on.
func (s *session) begin(ctx context.Context) error {
	type object = map[string]any
	_, err := s.peer.call(ctx, "initialize", object{
		"clientInfo":   object{"name": provider, "version": "1"},
		"capabilities": object{"experimentalApi": true, "optOutNotificationMethods": quiet},
	})
	if err != nil {
		return err
	}
	if err := s.peer.notify("initialized"); err != nil {
		return fmt.Errorf("greet codex: %w", err)
	}
	if err := s.startThread(ctx); err != nil {
		return err
	}
	items, err := historyItems(s.spec.History)
	if err != nil {
		return err
	}
	if len(items) > 0 {
		if _, err := s.peer.call(ctx, "thread/inject_items", object{"threadId": s.threadID(), "items": items}); err != nil {
			return err
		}
	}
	return s.say(ctx, s.spec.Say)
}

// startThread begins a conversation. It is on no disk: what is to be known of it is in the run's journal.
func (s *session) startThread(ctx context.Context) error {
	answer, err := s.peer.call(ctx, "thread/start", map[string]any{
		"model": s.spec.Model.Name, "modelProvider": provider, "cwd": home{s.spec.Dir}.work(),
		"approvalPolicy": "never", "sandbox": "read-only", "environments": []string{}, "ephemeral": true,
		"baseInstructions": instructionsOf(s.spec), "dynamicTools": dynamicTools(s.spec.Tools),
	})
	if err != nil {
		return err
	}
	var started struct {
		Thread struct {
			ID string `json:"id"`
		} `json:"thread"`
	}
	if err := json.Unmarshal(answer, &started); err != nil || started.Thread.ID == "" {
		return fmt.Errorf("codex began a conversation without an id: %q", s.quoted(string(answer)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.thread = started.Thread.ID
	return nil
}

var _ cli.Driver = (*Driver)(nil)
