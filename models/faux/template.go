package faux

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// placeholders are the names a template may use beside match.NAME.
var placeholders = []string{
	"user", "first_user", "turn", "step", "request", "model", "protocol", "tool_result", "conversation",
}

// template is a text with placeholders such as {{user}}, read once when the script is.
type template struct {
	parts []part
	// json: the text is JSON, and what is filled in is escaped to stand inside its strings.
	json bool
}

// part is a piece of plain text, or a placeholder where name is set.
type part struct {
	text, name string
}

// newTemplate reads a template. A placeholder that is none of placeholders must be match.NAME of one of groups.
func newTemplate(text string, json bool, groups []string) (template, error) {
	made := template{json: json}
	escape := `\{{`
	if json {
		escape = `\\{{`
	}
	rest := text
	for {
		i := strings.Index(rest, "{{")
		if i < 0 {
			break
		}
		if mark := len(escape) - 2; i >= mark && rest[i-mark:i+2] == escape {
			made.parts = append(made.parts, part{text: rest[:i-mark] + "{{"})
			rest = rest[i+2:]
			continue
		}
		end := strings.Index(rest[i:], "}}")
		if end < 0 {
			return template{}, errors.New("opens a placeholder with {{ that }} does not close; write \\{{ for a plain {{")
		}
		name := strings.TrimSpace(rest[i+2 : i+end])
		if err := checkPlaceholder(name, groups); err != nil {
			return template{}, err
		}
		made.parts = append(made.parts, part{text: rest[:i]}, part{name: name})
		rest = rest[i+end+2:]
	}
	made.parts = append(made.parts, part{text: rest})
	return made, nil
}

func checkPlaceholder(name string, groups []string) error {
	group, isMatch := strings.CutPrefix(name, "match.")
	if isMatch && slices.Contains(groups, group) || slices.Contains(placeholders, name) {
		return nil
	}
	if isMatch {
		return fmt.Errorf("names the group %q, which none of the rule's regexps has", group)
	}
	return fmt.Errorf("holds the placeholder {{%s}}; there are {{%s}} and {{match.NAME}}; write \\{{ for a plain {{",
		excerpt(name, 40), strings.Join(placeholders, "}}, {{"))
}

// fill is the text with its placeholders replaced.
func (t template) fill(from *filling) string {
	if len(t.parts) == 1 {
		return t.parts[0].text
	}
	var dst []byte
	for _, p := range t.parts {
		if p.name == "" {
			dst = append(dst, p.text...)
			continue
		}
		value := from.value(p.name)
		if t.json {
			dst = appendEscaped(dst, value)
		} else {
			dst = append(dst, value...)
		}
	}
	return string(dst)
}

// filling is what placeholders stand for in one request.
type filling struct {
	talk    *conversation
	request int64
	matches map[string]string
}

func (f *filling) value(name string) string {
	switch name {
	case "user":
		return f.talk.lastUser
	case "first_user":
		return f.talk.firstUser
	case "turn":
		return strconv.FormatInt(f.talk.turn, 10)
	case "step":
		return strconv.FormatInt(f.talk.step, 10)
	case "request":
		return strconv.FormatInt(f.request, 10)
	case "model":
		return f.talk.model
	case "protocol":
		return string(f.talk.protocol)
	case "conversation":
		return f.talk.key
	case "tool_result":
		if n := len(f.talk.results); n > 0 {
			return f.talk.results[n-1].text
		}
		return ""
	}
	return f.matches[strings.TrimPrefix(name, "match.")]
}
