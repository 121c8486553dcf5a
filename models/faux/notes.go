package faux

import "strings"

// noteTags are the tags in which command-line agents wrap what they add to a user's message on their own: the date, the
// working directory, reminders. Rules look at what the user said, so a text that is nothing but such a note is left out.
var noteTags = []string{
	"system-reminder", "environment_context", "user_instructions", "permissions", "collaboration_mode",
}

// noteHeading begins the project's instructions where an agent sends them as a message of the user.
const noteHeading = "# AGENTS.md instructions"

// isNote tells whether a text, trimmed, is such a note from beginning to end.
func isNote(text string) bool {
	if strings.HasPrefix(text, noteHeading) {
		return true
	}
	if !strings.HasPrefix(text, "<") || !strings.HasSuffix(text, ">") {
		return false
	}
	for _, tag := range noteTags {
		after, ok := strings.CutPrefix(text[1:], tag)
		if ok && (strings.HasPrefix(after, ">") || strings.HasPrefix(after, " ")) && strings.Contains(after, "</"+tag) {
			return true
		}
	}
	return false
}
