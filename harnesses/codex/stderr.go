package codex

import (
	"regexp"
	"strings"
	"sync"
)

// The most that is kept of the program's standard error.
const (
	tailLines = 5
	tailLine  = 300 // bytes
)

var colours = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// tail keeps the last lines of the program's standard error.
type tail struct {
	mu    sync.Mutex
	lines []string
}

// add takes a line. What the program says about its sandbox is left out: it runs nothing, so it is about nothing.
func (t *tail) add(line string) {
	line = strings.TrimSpace(colours.ReplaceAllString(line, ""))
	if line == "" || strings.Contains(line, "bubblewrap") {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.lines) == tailLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
	}
	t.lines = append(t.lines, cut(line, tailLine))
}

// String is what was kept, in one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, " | ")
}
