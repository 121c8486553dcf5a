package run

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of labels: how many, and the characters of a value. A key has at most 64.
const (
	MaxLabels     = 32
	MaxLabelValue = 256
)

// A key has no colon: "key:value" is how a filter names a label.
var labelKey = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$`)

// CheckLabels lists the faults of labels, each at its path under the given one.
func CheckLabels(path string, labels map[string]string) []Issue {
	var r reader
	if len(labels) > MaxLabels {
		r.fault(path, "too_long", fmt.Sprintf("must have at most %d labels", MaxLabels))
		return r.issues
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		at := path + "." + clip(key)
		if !labelKey.MatchString(key) {
			r.fault(at, "invalid_format", "a label's key must be 1 to 64 letters, digits, '.', '_', '/' or '-'")
		}
		switch value := labels[key]; {
		case utf8.RuneCountInString(value) > MaxLabelValue:
			r.fault(at, "too_long", fmt.Sprintf("must have at most %d characters", MaxLabelValue))
		case strings.ContainsFunc(value, unicode.IsControl):
			r.fault(at, "invalid_text", "must be one line without control characters")
		}
	}
	return r.issues
}

// labels reads an object of strings.
func (r *reader) labels(m member) map[string]string {
	labels := map[string]string{}
	for _, field := range r.members(m.path, m.data) {
		var value string
		if field.data[0] != '"' || json.Unmarshal(field.data, &value) != nil {
			r.fault(field.path, "wrong_type", "must be a string")
			continue
		}
		labels[field.name] = value
	}
	for _, issue := range CheckLabels(m.path, labels) {
		r.fault(issue.Path, issue.Code, issue.Message)
	}
	return labels
}
