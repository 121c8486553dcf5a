// Package harnesses owns what each agent harness is: its name, whether this server can run it and why not, and the
// places it runs in. It drives nothing and journals nothing: a harness's loop is the workflow's.
package harnesses

import "github.com/agentrun/agentrun/run"

// The harnesses' ids. Pi is this server's own loop; the others are real command-line agents.
const (
	Pi          = "pi"
	ClaudeAgent = "claude-agent"
	Codex       = "codex"
)

// Harness is one way to run an agent.
type Harness struct {
	ID        string
	Available bool
	// Reason says what lacks where Available is false.
	Reason           string
	SupportedRunners []string
	DefaultRunner    string
}

// Table lists every harness a definition may name, in the order capabilities shows them.
func Table() []Harness {
	local := []string{run.PlaceRunner}
	missing := "this version runs no command-line harness"
	return []Harness{
		{ID: Pi, Available: true, SupportedRunners: local, DefaultRunner: run.PlaceRunner},
		{ID: ClaudeAgent, Reason: missing, SupportedRunners: local, DefaultRunner: run.PlaceRunner},
		{ID: Codex, Reason: missing, SupportedRunners: local, DefaultRunner: run.PlaceRunner},
	}
}

// Lookup is the harness with the id; the empty id is the default, Pi.
func Lookup(id string) (Harness, bool) {
	if id == "" {
		id = Pi
	}
	for _, harness := range Table() {
		if harness.ID == id {
			return harness, true
		}
	}
	return Harness{}, false
}
