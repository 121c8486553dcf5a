// Package harnesses owns what each agent harness is: its name, whether this machine can run it and why not, the protocols
// its models speak, and how it is tried out. It drives no run and journals nothing: a harness's loop is the workflow's.
// Its sub-packages own the command-line agents: cli what one is, claudeagent and codex the real ones, process the program
// and everything it starts.
package harnesses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/mod/semver"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/harnesses/process"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

// The harnesses' ids. Pi is this server's own loop; the others are real command-line agents.
const (
	Pi          = "pi"
	ClaudeAgent = "claude-agent"
	Codex       = "codex"
)

// Program is a command-line agent as it is known, whether or not it is on this machine.
type Program struct {
	ID     string
	Driver cli.Driver
	// Path is the owner's setting, Variable what sets it; where Path is empty, Command is looked up in PATH.
	Path, Variable, Command string
	// Dir is where it has its private folders while it is tried; empty is the system's place for temporary files.
	Dir string
	// Native is the program behind one that only starts it (a script of npm's), the path itself for any other; nil: there
	// are no such.
	Native func(path string) string
	// APIs are the model protocols (models.APIMessages …) that its requests can be sent in.
	APIs []string
	// From and Below bound the versions that were tried with this build: From is the oldest, Below the first too new.
	From, Below string
	// Install says how to get it.
	Install string
}

// State is what a harness is on this machine.
type State struct {
	ID        string
	Available bool
	// Reason says what lacks where Available is false; Warning what is not as it was tried.
	Reason  string
	Warning string
	// Path and Version are the program's, "" for Pi.
	Path, Version string
	// Confined says that the program reaches no network but the server's proxy; ConfinedReason why it does not.
	Confined         bool
	ConfinedReason   string
	SupportedRunners []string
	DefaultRunner    string
	// APIs are the model protocols it takes.
	APIs []string
}

// Registry knows the harnesses of one machine. It looks at a program once, and again when the file changed.
type Registry struct {
	programs []Program
	// looked has the last look at each program, in their order.
	looked []look
}

// look is what was seen of a program's file, and what it said. Its lock is held while it is asked.
type look struct {
	mu    sync.Mutex
	path  string
	size  int64
	mtime time.Time
	state State
	// until is when a look that was cut short is taken again; zero for one that was not.
	until time.Time
	// absent is the state of a program that was nowhere, sought when it was.
	absent State
	sought time.Time
}

// New is a registry of programs, which a definition may name beside Pi.
func New(programs ...Program) *Registry {
	return &Registry{programs: programs, looked: make([]look, len(programs))}
}

// States lists every harness a definition may name, in the order capabilities shows them. Programs are looked at side by
// side.
func (r *Registry) States(ctx context.Context) []State {
	states := make([]State, 1+len(r.programs))
	states[0] = State{
		ID: Pi, Available: true, SupportedRunners: []string{run.PlaceRunner}, DefaultRunner: run.PlaceRunner,
		APIs: []string{models.APIResponses, models.APIMessages, models.APIChat},
	}
	var looks sync.WaitGroup
	for i, program := range r.programs {
		looks.Go(func() { states[i+1] = r.looked[i].at(ctx, program) })
	}
	looks.Wait()
	return states
}

// Programs are the command-line agents that are known.
func (r *Registry) Programs() []Program { return r.programs }

// Program is the command-line agent with the id.
func (r *Registry) Program(id string) (Program, bool) {
	for _, program := range r.programs {
		if program.ID == id {
			return program, true
		}
	}
	return Program{}, false
}

// Find is where a program is now; lacking says why it is nowhere.
func (p Program) Find() (path, lacking string) {
	path, err := exec.LookPath(cmp.Or(p.Path, p.Command))
	if errors.Is(err, exec.ErrDot) {
		err = nil // the owner's PATH names a folder relative to the server's
	}
	if err == nil {
		path, err = filepath.Abs(path) // it is started in another folder
	}
	switch {
	case err == nil && p.Native != nil:
		return p.Native(path), ""
	case err == nil:
		return path, ""
	case p.Path != "":
		return "", fmt.Sprintf("%s, which is set by %s, is no program that can be run", p.Path, p.Variable)
	default:
		return "", fmt.Sprintf("its program %s is not in PATH: %s, or set %s to where it is", p.Command, p.Install, p.Variable)
	}
}

// at looks at a program where its file changed since the last look.
func (l *look) at(ctx context.Context, p Program) State {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.sought) < seekAgain {
		return l.absent
	}
	path, lacking := p.Find()
	if lacking != "" {
		if l.absent = p.state(lacking); p.Path == "" {
			l.sought = time.Now()
		}
		return l.absent
	}
	info, err := os.Stat(path)
	if err != nil {
		return p.state("its program cannot be looked at: " + err.Error())
	}
	same := l.path == path && l.size == info.Size() && l.mtime.Equal(info.ModTime())
	if same && (l.until.IsZero() || time.Now().Before(l.until)) {
		return l.state
	}
	bound, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	state := p.look(bound, path)
	if ctx.Err() != nil {
		return state // who asked gave up: that says nothing of the program
	}
	l.path, l.size, l.mtime, l.state, l.until = path, info.Size(), info.ModTime(), state, time.Time{}
	if state.Path == "" || bound.Err() != nil {
		l.until = time.Now().Add(lookAgain) // it gave no answer: nobody waits for that again at once
	}
	return state
}

// Forget has the program with the id looked at anew; "" is every program.
func (r *Registry) Forget(id string) {
	for i := range r.looked {
		if id != "" && r.programs[i].ID != id {
			continue
		}
		r.looked[i].mu.Lock()
		r.looked[i].path, r.looked[i].sought = "", time.Time{}
		r.looked[i].mu.Unlock()
	}
}

func (p Program) state(reason string) State {
	return State{
		ID: p.ID, Available: reason == "", Reason: reason, SupportedRunners: []string{run.PlaceRunner},
		DefaultRunner: run.PlaceRunner, APIs: p.APIs,
	}
}

const (
	// lookWait bounds one look at a program, versionWait the question for its version in it.
	lookWait    = 20 * time.Second
	versionWait = 5 * time.Second
	// lookAgain is when a program that gave no answer is looked at again.
	lookAgain = time.Minute
	// seekAgain is when one that was nowhere is sought in all of PATH again: every new run asks.
	seekAgain = time.Second
)

// version is what the program says its version is, bounded in time.
func (p Program) version(ctx context.Context, path string) (string, error) {
	bound, cancel := context.WithTimeout(ctx, versionWait)
	defer cancel()
	home, err := os.MkdirTemp(p.Dir, "version-")
	if err != nil {
		return "", fmt.Errorf("a private folder: %w", err)
	}
	version, err := p.Driver.Version(bound, path, home)
	if err != nil && ctx.Err() == nil && bound.Err() != nil {
		err = fmt.Errorf("it gave no answer within %s", versionWait)
	}
	return version, errors.Join(err, os.RemoveAll(home))
}

// look asks a program what it is. A version that was not tried must speak the protocol to be available.
func (p Program) look(ctx context.Context, path string) State {
	version, err := p.version(ctx, path)
	if err != nil {
		return p.state(fmt.Sprintf("its program %s does not say its version: %s", path, err))
	}
	state := p.state("")
	state.Path, state.Version = path, version
	state.Confined, state.ConfinedReason = process.Confinement()
	if p.tried(version) {
		return state
	}
	state.Warning = fmt.Sprintf("version %s was not tried with this build: %s up to, but not %s, were", version, p.From, p.Below)
	if err, left := p.greet(ctx, path); err != nil || left != nil {
		state.Available = false
		state.Reason = fmt.Sprintf("version %s does not speak the protocol that this build knows: %s", version, errors.Join(err, left))
	}
	return state
}

// tried tells whether a version is in the bounds. The early ones of Below (1.0.0-rc.1) are too new as well: "-0" is the
// earliest there can be.
func (p Program) tried(version string) bool {
	v := "v" + version
	return semver.IsValid(v) && semver.Compare(v, "v"+p.From) >= 0 && semver.Compare(v, "v"+p.Below+"-0") < 0
}
