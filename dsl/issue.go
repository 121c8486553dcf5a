package dsl

import "strings"

// Issue is one thing wrong with a document. Code is stable and documented, Path says where (`root.steps[0].body`,
// `schema "Report"`, `input:`), Message what is wrong, and Hint what to write instead.
type Issue struct {
	Code    string `json:"code"`
	Path    string `json:"path"`
	Label   string `json:"label,omitempty"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// Error is the issue as one line.
func (i *Issue) Error() string {
	where := i.Path
	if i.Label != "" {
		where += " (" + i.Label + ")"
	}
	return strings.TrimSuffix(where, ":") + ": " + i.Message + ". " + i.Hint
}
