package main

import (
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/dsl"
)

// writer gathers the text of the reference.
type writer struct{ strings.Builder }

func (w *writer) linef(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// markdown is the whole reference.
func markdown() string {
	w := &writer{}
	w.linef("\n## Reference: the document\n\nFields in bold must be there; the others may be left out.\n")
	w.fields(dsl.DocumentFields())
	w.linef("\n## Reference: nodes\n")
	w.linef("Every node has `node`, its kind, and may have `metadata`, an object that nothing reads. No other field is allowed.")
	for _, spec := range dsl.Kinds() {
		w.linef("\n### %s\n\n%s\n", spec.Kind, spec.Doc)
		w.fields(spec.Fields)
	}
	w.predicates()
	w.codes()
	w.linef("")
	return w.String()
}

func (w *writer) predicates() {
	w.linef("\n## Reference: conditions\n")
	w.linef("A condition is an object with `predicate` and the fields of that one. `until`, `when` and `fail_when` hold one.\n")
	w.linef("| predicate | holds if | fields |\n| --- | --- | --- |")
	for _, spec := range dsl.Predicates() {
		fields := make([]string, 0, len(spec.Fields))
		for i := range spec.Fields {
			fields = append(fields, summary(&spec.Fields[i]))
		}
		doc := spec.Doc
		if spec.JudgeOnly {
			doc += " Only in `until` of a loop and `when` of an escalation."
		}
		w.linef("| `%s` | %s | %s |", spec.Name, cell(doc), strings.Join(fields, "; "))
	}
}

// summary is a field of a condition in a few words.
func summary(field *dsl.Field) string {
	text := "`" + field.Name + "`"
	if !field.Required {
		text += " (optional)"
	}
	if notes := limits(field); notes != "" {
		text += " " + notes
	}
	return text + ": " + cell(strings.TrimSuffix(field.Doc, "."))
}

func (w *writer) codes() {
	w.linef("\n## Reference: codes\n")
	w.linef("How `agentrun workflow validate` and the API name what is wrong. A code never changes its meaning.")
	for _, rule := range dsl.Rules() {
		w.linef("\n### `%s`\n\n%s\n\nHint: %s", rule.Code, prose(rule.Text), prose(rule.Hint))
		if rule.Example != "" {
			w.linef("\n```json\n%s\n```", rule.Example)
		}
	}
}

// prose is a sentence of the tables as Markdown: what would be a tag or an emphasis there is a plain character.
func prose(text string) string {
	return strings.NewReplacer(`\`, `\\`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`").Replace(text)
}

// cell is a sentence in a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
