package claudeagent

import (
	"sync"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// ledger has what is on record of a session's calls, by their ids.
type ledger struct {
	mu sync.Mutex
	// names are the names of calls that the program knows under the stand-in's.
	names map[string]string
	// results are what the calls came to, in the host's words.
	results map[string]cli.Result
}

func newLedger(history []models.Message) *ledger {
	l := &ledger{names: map[string]string{}, results: map[string]cli.Result{}}
	for _, m := range history {
		if m.Role == models.RoleTool {
			l.results[m.CallID] = cli.Result{Text: m.Text, IsError: m.IsError}
		}
	}
	return l
}

func (l *ledger) rename(id, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names[id] = name
}

// name is the true name of a call of the stand-in, "" for none.
func (l *ledger) name(id string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.names[id]
}

func (l *ledger) settle(id string, result cli.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.results[id] = result
}

func (l *ledger) result(id string) (cli.Result, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	result, ok := l.results[id]
	return result, ok
}
