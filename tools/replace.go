package tools

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// replacement is one edit of a text.
type replacement struct{ old, with string }

// replace makes all the edits in the content, or none: each oldText is looked for in the content as it is. Line breaks
// match whether they are LF or CRLF, and what is put in takes the breaks of what it replaces; all other bytes stay.
func replace(name, content string, edits []replacement) (string, error) {
	text := unfold(content)
	spans := make([]span, 0, len(edits))
	for i, edit := range edits {
		found, err := locate(name, text.flat, i, edit.old)
		if err != nil {
			return "", err
		}
		found.with = text.breaksLike(found, edit.with)
		spans = append(spans, found)
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	at := 0
	for i, s := range spans {
		if i > 0 && s.from < spans[i-1].to {
			first, second := spans[i-1].edit, s.edit
			return "", refusal("edits[%d] and edits[%d] overlap in %s: make one edit of them; nothing was changed",
				min(first, second), max(first, second), name)
		}
		out.WriteString(content[at:text.offset(s.from)])
		out.WriteString(s.with)
		at = text.offset(s.to)
	}
	out.WriteString(content[at:])
	if out.String() == content {
		return "", refusal("the edits leave %s as it is; nothing was changed", name)
	}
	return out.String(), nil
}

// span is where one edit applies, as offsets into the flat text, and what it puts there.
type span struct {
	edit, from, to int
	with           string
}

func locate(name, text string, index int, old string) (span, error) {
	old = strings.ReplaceAll(old, "\r\n", "\n")
	from := strings.Index(text, old)
	if from < 0 {
		return span{}, refusal("edits[%d].oldText is not in %s: it must match the file exactly, spaces and line breaks "+
			"included; nothing was changed", index, name)
	}
	// From the next byte on, so that an occurrence that overlaps the first one counts.
	if again := strings.Index(text[from+1:], old); again >= 0 {
		return span{}, refusal("edits[%d].oldText is in %s more than once (lines %d and %d): add what is around it until "+
			"it is unique; nothing was changed", index, name, line(text, from), line(text, from+1+again))
	}
	return span{edit: index, from: from, to: from + len(old)}, nil
}

// line is the number, from 1, of the line an offset is in.
func line(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

// folded is a text with every CRLF made LF, and where those were.
type folded struct {
	flat string
	// folds are the offsets in flat of the line feeds that had a carriage return before them, ascending.
	folds []int
}

func unfold(content string) folded {
	text := folded{flat: strings.ReplaceAll(content, "\r\n", "\n")}
	if len(text.flat) == len(content) {
		return text
	}
	for i := 1; i < len(content); i++ {
		if content[i] == '\n' && content[i-1] == '\r' {
			text.folds = append(text.folds, i-1-len(text.folds))
		}
	}
	return text
}

// offset is where an offset of the flat text is in the content.
func (f folded) offset(flat int) int {
	before, _ := slices.BinarySearch(f.folds, flat)
	return flat + before
}

// breaksLike gives a text the line breaks of what it replaces or, where that is within one line, of the file's first
// line. A file of one line leaves the text as it is.
func (f folded) breaksLike(s span, with string) string {
	model := strings.Index(f.flat[s.from:s.to], "\n")
	if model >= 0 {
		model += s.from
	} else if model = strings.Index(f.flat, "\n"); model < 0 {
		return with
	}
	with = strings.ReplaceAll(with, "\r\n", "\n")
	if _, crlf := slices.BinarySearch(f.folds, model); crlf {
		with = strings.ReplaceAll(with, "\n", "\r\n")
	}
	return with
}

func refusal(format string, args ...any) error { return run.Errorf(run.ErrConflict, format, args...) }
