package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxIssues bounds how many faults of one input are listed.
const maxIssues = 100

// reader reads valid JSON strictly and keeps every fault it meets.
type reader struct{ issues []Issue }

// member is one field of an object or one item of an array, with its path from the root.
type member struct {
	name string
	path string
	data json.RawMessage
}

func (m member) null() bool { return string(m.data) == "null" }

func (r *reader) fault(path, code, message string) {
	if len(r.issues) < maxIssues {
		r.issues = append(r.issues, Issue{Path: path, Code: code, Message: message})
	}
}

// require adds a fault for each name that was not seen.
func (r *reader) require(seen map[string]bool, path string, names ...string) {
	for _, name := range names {
		if !seen[name] {
			r.fault(path+"."+name, "required", "is required")
		}
	}
}

// members lists an object's fields in their order; a name that comes twice is a fault.
func (r *reader) members(path string, data json.RawMessage) []member {
	dec := json.NewDecoder(bytes.NewReader(data))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		r.fault(path, "wrong_type", "must be an object")
		return nil
	}
	var list []member
	seen := map[string]bool{}
	for dec.More() {
		name, value, err := next(dec)
		if err != nil {
			r.fault(path, "malformed_json", "is not JSON")
			return nil
		}
		m := member{name: name, path: path + "." + clip(name), data: value}
		if seen[name] {
			r.fault(m.path, "duplicate_field", "is given twice")
			continue
		}
		seen[name] = true
		list = append(list, m)
	}
	return list
}

// next reads one field of an object.
func next(dec *json.Decoder) (string, json.RawMessage, error) {
	token, err := dec.Token()
	if err != nil {
		return "", nil, err
	}
	name, _ := token.(string)
	var value json.RawMessage
	if err := dec.Decode(&value); err != nil {
		return "", nil, err
	}
	return name, bytes.TrimSpace(value), nil
}

// items lists an array's items.
func (r *reader) items(m member, most int) ([]member, bool) {
	var values []json.RawMessage
	if m.data[0] != '[' || json.Unmarshal(m.data, &values) != nil {
		r.fault(m.path, "wrong_type", "must be an array")
		return nil, false
	}
	if len(values) > most {
		r.fault(m.path, "too_long", fmt.Sprintf("must have at most %d items", most))
		return nil, false
	}
	list := make([]member, len(values))
	for i, value := range values {
		list[i] = member{path: fmt.Sprintf("%s[%d]", m.path, i), data: value}
	}
	return list, true
}

// optionalText reads a string of at most so many characters, which may be empty.
func (r *reader) optionalText(m member, most int) string {
	var text string
	if m.data[0] != '"' || json.Unmarshal(m.data, &text) != nil {
		r.fault(m.path, "wrong_type", "must be a string")
		return ""
	}
	if utf8.RuneCountInString(text) > most {
		r.fault(m.path, "too_long", fmt.Sprintf("must have at most %d characters", most))
		return ""
	}
	if strings.ContainsRune(text, 0) {
		r.fault(m.path, "invalid_text", "must not hold a NUL character")
		return ""
	}
	return text
}

// text reads a string that says something.
func (r *reader) text(m member, most int) string {
	before := len(r.issues)
	text := r.optionalText(m, most)
	if len(r.issues) == before && strings.TrimSpace(text) == "" {
		r.fault(m.path, "too_short", "must not be blank")
	}
	return text
}

// line reads text without control characters.
func (r *reader) line(m member, most int) string {
	text := r.text(m, most)
	if strings.ContainsFunc(text, unicode.IsControl) {
		r.fault(m.path, "invalid_text", "must be one line without control characters")
		return ""
	}
	return text
}

// count reads a whole number between two bounds.
func (r *reader) count(m member, least, most int) int {
	n, err := strconv.Atoi(string(m.data))
	if err != nil {
		r.fault(m.path, "wrong_type", "must be a whole number")
		return 0
	}
	if n < least || n > most {
		r.fault(m.path, "out_of_range", fmt.Sprintf("must be between %d and %d", least, most))
		return 0
	}
	return n
}

// amount reads an amount of USD that is not negative.
func (r *reader) amount(m member) *USD {
	amount, issue := ReadAmount(m.path, m.data)
	if issue != nil {
		r.fault(issue.Path, issue.Code, issue.Message)
		return nil
	}
	return &amount
}

// ReadAmount reads a JSON number as an amount of USD that a person gives: not negative, at most 10 decimals.
func ReadAmount(path string, data []byte) (USD, *Issue) {
	if len(data) == 0 || !strings.ContainsRune("-0123456789", rune(data[0])) {
		return 0, &Issue{Path: path, Code: "wrong_type", Message: "must be a number of USD"}
	}
	amount, err := ParseUSD(string(data))
	switch {
	case err != nil || amount%finest != 0:
		return 0, &Issue{Path: path, Code: "invalid_format", Message: "must be an amount in USD with at most 10 decimals"}
	case amount < 0:
		return 0, &Issue{Path: path, Code: "out_of_range", Message: "must not be negative"}
	}
	return amount, nil
}

// clip shortens a name that an input chose, for use in a path.
func clip(name string) string {
	const most = 100
	if utf8.RuneCountInString(name) <= most {
		return name
	}
	return string([]rune(name)[:most]) + "…"
}
