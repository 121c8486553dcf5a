package claudeagent

import (
	"strings"
	"sync"
)

const (
	// tailLines is how many of the last lines of the standard error are kept, tailBytes how long each may be.
	tailLines = 8
	tailBytes = 500
)

// tail has the last lines of the program's standard error, without the session's secret.
type tail struct {
	secret string
	mu     sync.Mutex
	lines  []string
}

// hide is a text of the program's without the session's secret.
func (t *tail) hide(text string) string { return strings.ReplaceAll(text, t.secret, "[secret]") }

// take keeps a line.
func (t *tail) take(line string) {
	line = strings.TrimSpace(t.hide(line))
	// It says of every model that is not of its own maker that it does not know it.
	if line == "" || strings.HasPrefix(line, "[claude-code:unrecognized_model]") {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, bounded(line, tailBytes))
	if len(t.lines) > tailLines {
		t.lines = t.lines[1:]
	}
}

// quote is what to add to a message, "" where nothing was said.
func (t *tail) quote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == 0 {
		return ""
	}
	return ": " + strings.Join(t.lines, " | ")
}
