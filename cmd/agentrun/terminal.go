package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// terminal is where a command reads and writes: answers and tables go to out, progress and complaints to err.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

// printf writes to out.
func (t *terminal) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// errorf writes a line to err.
func (t *terminal) errorf(format string, args ...any) { fmt.Fprintf(t.err, format+"\n", args...) }

// text writes what a model said to out, with a newline at its end: as it is into a pipe, without control characters
// onto a terminal, which would obey them.
func (t *terminal) text(s string) {
	if isTerminal(t.out) {
		s = printable(s)
	}
	if !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	fmt.Fprint(t.out, s)
}

// isTerminal tells whether a person reads what is written to w.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// redraws tells whether w is a terminal that can draw a line again: one of a known width, that is not a dumb one.
func redraws(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	return err == nil && width > 0
}

// printable replaces control characters but newline and tab.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// oneLine is the printable start of s on one line, at most limit runes.
func oneLine(s string, limit int) string {
	s = strings.Join(strings.Fields(printable(s)), " ")
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return s
}
