package claudeagent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
)

// seenVersion is the version of the program whose session files these are.
const seenVersion = "2.1.332"

// Driver drives Claude Code. It is a cli.Driver.
type Driver struct{ log *slog.Logger }

// New makes a driver. The log is told of what goes wrong beside a session, never of what is said in one.
func New(log *slog.Logger) *Driver { return &Driver{log: log} }

// ToolName is the tool's own name of the one by which the program's model calls it.
func (*Driver) ToolName(wire string) string { return plain(wire) }

// Answers counts the answers of a conversation, the ones in a row as one. One that says and asks nothing is none: the
// program's conversation does not have it.
func (*Driver) Answers(history []models.Message) int {
	return answers(conversation(history, newToolbox(nil), newLedger(history)))
}

// Open starts the program. Its private folder is spec.Dir, in which it finds the conversation so far as a session of its
// own.
func (d *Driver) Open(ctx context.Context, spec cli.Spec, host cli.Host) (cli.Session, error) {
	s, err := d.start(ctx, spec, host)
	if err != nil {
		return nil, fmt.Errorf("open a session of claude: %w", err)
	}
	return s, nil
}

func (d *Driver) start(ctx context.Context, spec cli.Spec, host cli.Host) (cli.Session, error) {
	if err := sayable(spec); err != nil {
		return nil, err
	}
	plan, err := lay(spec)
	if err != nil {
		return nil, err
	}
	gate, err := spec.Gates.Open(spec.Confine)
	if err != nil {
		return nil, err
	}
	secret := cli.NewSecret()
	stderr := &tail{secret: secret}
	program, err := process.Start(ctx, process.Options{
		Program: spec.Program, Args: arguments(spec, plan.folders, plan.session, plan.resumed),
		Env: environment(spec, plan.folders, gate.URL+"/"+secret, secret),
		Dir: plan.folders.work(), Marker: spec.Marker, Gate: gate, Stderr: stderr.take,
	})
	if err != nil {
		return nil, errors.Join(err, gate.Close())
	}
	s := &session{
		host: host, box: plan.box, book: plan.book, log: d.log, gate: gate, process: program, stderr: stderr,
		queue: make(chan []byte, maxQueue), initialized: make(chan struct{}), listed: make(chan struct{}),
		halt: make(chan struct{}), done: make(chan struct{}),
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.proxy = cli.Serve(gate.Listener(), secret, plan.protocol(spec), host, d.log)
	go s.run()
	if err := s.begin(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if spec.Say == "" {
		s.send(prompt(plan.marker))
		return s, nil
	}
	return s, s.Say(spec.Say)
}

// begin waits until the program speaks its protocol and knows the tools.
func (s *session) begin(ctx context.Context) error {
	s.send(initialize())
	for _, step := range []chan struct{}{s.initialized, s.listed} {
		select {
		case <-step:
		case <-s.done:
			return s.Err()
		case <-ctx.Done():
			return fmt.Errorf("it did not begin to speak its protocol: %w%s", ctx.Err(), s.stderr.quote())
		}
	}
	return nil
}

// sayable refuses a conversation that nobody can go on with.
func sayable(spec cli.Spec) error {
	if spec.Say != "" {
		return nil
	}
	if last := len(spec.History) - 1; last < 0 || spec.History[last].Role != models.RoleTool {
		return errors.New("nothing is said, and the conversation does not end with results of tools")
	}
	return nil
}

// plan is what a session is started with beside its spec.
type plan struct {
	folders folders
	session uuid.UUID
	system  string
	marker  string
	gap     int
	resumed bool
	box     toolbox
	book    *ledger
}

// lay writes the session's folder.
func lay(spec cli.Spec) (plan, error) {
	root, err := filepath.EvalSymlinks(spec.Dir) // the program names its session files by the true path
	if err != nil {
		return plan{}, fmt.Errorf("the private folder: %w", err)
	}
	p := plan{
		folders: folders{root}, session: uuid.New(), system: instructions(spec), gap: -1,
		marker: "Go on with your turn. (agentrun " + cli.NewSecret() + ")",
		box:    newToolbox(spec.Tools), book: newLedger(spec.History),
	}
	for _, folder := range []string{p.folders.home(), p.folders.config(), p.folders.temporary(), p.folders.work()} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return plan{}, fmt.Errorf("the private folder: %w", err)
		}
	}
	if err := os.WriteFile(p.folders.instructions(), []byte(p.system), 0o600); err != nil {
		return plan{}, fmt.Errorf("the private folder: %w", err)
	}
	said := conversation(spec.History, p.box, p.book)
	if len(said) == 0 {
		return p, nil
	}
	p.resumed = true
	if said[len(said)-1].Role == user {
		p.gap = answers(said)
	}
	t := transcript{
		session: p.session, folder: p.folders.work(), model: spec.Model.Name, began: time.Now(), version: seenVersion,
	}
	if name := slug(t.folder); len(name) > maxSlug {
		return plan{}, fmt.Errorf("the private folder %s: its path is longer than the %d characters that claude finds a session by",
			spec.Dir, maxSlug)
	}
	path := filepath.Join(p.folders.config(), t.path())
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return plan{}, fmt.Errorf("the session file: %w", err)
	}
	if err := os.WriteFile(path, t.write(said), 0o600); err != nil {
		return plan{}, fmt.Errorf("the session file: %w", err)
	}
	return p, nil
}

// instructions are the system prompt: the spec's, and the schema of the answer where the provider does not hold the model
// to it.
func instructions(spec cli.Spec) string {
	if len(spec.Output) == 0 || models.Constrains(spec.Model, spec.Output) {
		return spec.Instructions
	}
	if spec.Instructions == "" {
		return models.SchemaWords(spec.Output)
	}
	return spec.Instructions + "\n\n" + models.SchemaWords(spec.Output)
}

func (p plan) protocol(spec cli.Spec) *protocol {
	marker := p.marker
	if spec.Say != "" {
		marker = ""
	}
	return &protocol{
		spec: spec, system: p.system,
		cleaner: cleaner{box: p.box, book: p.book, marker: marker, gap: p.gap},
	}
}
