package dsl

import "strings"

// sopText is a host's procedure text by its sections.
type sopText struct {
	text     string
	sections map[string]string
}

const sectionMark = "## "

// readSOP finds the sections of a text: a heading line `## name`, and what follows up to the next one. A section whose
// name begins with `ROLE:` goes on to the next role or the appendix.
func readSOP(text string) sopText {
	sop := sopText{text: text, sections: map[string]string{}}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		name, ok := headingOf(line)
		if _, known := sop.sections[name]; !ok || known {
			continue
		}
		end := i + 1
		for end < len(lines) && !endsSection(name, lines[end]) {
			end++
		}
		sop.sections[name] = strings.Join(lines[i:end], "")
	}
	return sop
}

func headingOf(line string) (string, bool) {
	name, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), sectionMark)
	return name, ok
}

func endsSection(name, line string) bool {
	next, ok := headingOf(line)
	if !ok {
		return false
	}
	if strings.HasPrefix(name, "ROLE:") {
		return strings.HasPrefix(next, "ROLE:") || strings.HasPrefix(next, "APPENDIX")
	}
	return true
}

// slice joins the named sections with a blank line between them. Names that are missing are returned.
func (s sopText) slice(names []string) (text string, missing []string) {
	parts := make([]string, 0, len(names))
	for _, name := range names {
		section, ok := s.sections[name]
		if !ok {
			missing = append(missing, name)
			continue
		}
		parts = append(parts, section)
	}
	return joinSections(parts), missing
}

// joinSections leaves the last section as the text has it, and one blank line between two.
func joinSections(parts []string) string {
	for i := range max(0, len(parts)-1) {
		parts[i] = strings.TrimRight(parts[i], "\n")
	}
	return strings.Join(parts, "\n\n")
}
