package claudeagent

import (
	"strings"
	"unicode/utf8"
)

const (
	reminderOpen  = "<system-reminder>"
	reminderClose = "</system-reminder>"
)

// guarded are people's words as they are put to the program. It takes a prompt that begins with a slash for a command of
// its own, and a text between reminder tags is taken here for one of the program's own: a line end before them keeps both
// from happening. unguarded undoes it.
func guarded(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(empty)" // no model takes a text without a visible character
	}
	if special(strings.TrimLeft(text, "\n")) {
		return "\n" + text
	}
	return text
}

// unguarded are people's words again, as they are put to the model.
func unguarded(text string) string {
	if rest, found := strings.CutPrefix(text, "\n"); found && special(strings.TrimLeft(rest, "\n")) {
		return rest
	}
	return text
}

func special(text string) bool {
	return strings.HasPrefix(text, "/") || strings.HasPrefix(text, reminderOpen)
}

// reminder tells whether a text is the program's own.
func reminder(text string) bool {
	return strings.HasPrefix(text, reminderOpen) && strings.HasSuffix(strings.TrimRight(text, "\n"), reminderClose)
}

// bounded is the beginning of a text, for messages.
func bounded(text string, size int) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size] + "…"
}
