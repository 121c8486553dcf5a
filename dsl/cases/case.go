package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/agentrun/agentrun/dsl"
)

// Case is one test of a workflow document.
type Case struct {
	Name, Source, Note string
	// Kinds are the node kinds that the case is about, Checker a note to other readers of the format. Nothing reads them.
	Kinds   []any
	Checker string
	// Document is the workflow, as it was written in the case or in the file that it names.
	Document any
	Input    any
	// Check is what the document is validated with.
	Check dsl.Check
	Deps  Deps
	Fakes Fakes
	// Expect is what must come out.
	Expect Expect
}

// Deps are the settings of the host.
type Deps struct {
	SOP, Skill             string
	MaxQuestionsPerRequest int
}

// Load reads a case from a file. A field that the format does not know is refused by name.
func Load(path string) (Case, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the author names the file
	if err != nil {
		return Case{}, fmt.Errorf("read the case: %w", err)
	}
	c, err := parse(text, filepath.Dir(path))
	if err != nil {
		return Case{}, fmt.Errorf("%s: %w", path, err)
	}
	if c.Name == "" {
		c.Name = filepath.Base(path)
	}
	return c, nil
}

// Parse reads a case from JSON text. Files that it names are relative to dir.
func Parse(text []byte, dir string) (Case, error) { return parse(text, dir) }

func parse(text []byte, dir string) (Case, error) {
	decoded, err := dsl.Decode(text)
	if err != nil {
		return Case{}, fmt.Errorf("it is no case: %w", err)
	}
	r := &reader{}
	fields := r.object("the case", decoded, "name", "source", "note", "kinds", "workflow", "workflow_file", "input", "fakes",
		"validate_with", "deps", "checker", "expect")
	c := Case{
		Name: r.text(fields, "name"), Source: r.text(fields, "source"), Note: r.text(fields, "note"),
		Kinds: r.list(fields, "kinds"), Checker: r.text(fields, "checker"),
	}
	c.Input, _ = fields.Get("input")
	c.Document, _ = fields.Get("workflow")
	if file := r.text(fields, "workflow_file"); file != "" {
		if fields.Has("workflow") {
			r.fail("it has both a workflow and a workflow_file")
		}
		if c.Document, err = readDocument(filepath.Join(dir, file)); err != nil {
			return Case{}, err
		}
	} else if !fields.Has("workflow") {
		r.fail("it has no workflow and no workflow_file")
	}
	c.Check = r.check(fields, c.Input)
	c.Deps = r.deps(fields)
	c.Fakes = r.fakes(fields)
	c.Expect = r.expect(fields)
	return c, r.err
}

func readDocument(path string) (any, error) {
	text, err := os.ReadFile(path) //nolint:gosec // the author names the file
	if err != nil {
		return nil, fmt.Errorf("read the workflow_file: %w", err)
	}
	document, err := dsl.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("workflow_file %s: %w", path, err)
	}
	return document, nil
}

// check reads what the document is validated with: the keys of the input, unless the case says otherwise. Whether the
// input fits its schema is for the run to say.
func (r *reader) check(fields *dsl.Object, input any) dsl.Check {
	with, given := fields.Get("validate_with")
	switch {
	case !given:
		object, _ := input.(*dsl.Object)
		return dsl.Check{InputKeys: slices.Concat([]string{}, object.Keys())}
	case with == "none":
		return dsl.Check{}
	}
	if name, ok := with.(string); ok {
		r.fail(fmt.Sprintf("validate_with is %q; as a text it can only be none", name))
		return dsl.Check{}
	}
	object := r.object("validate_with", with, "inputKeys", "input", "executeCode")
	if object.Has("input") {
		found, _ := object.Get("input")
		return dsl.Check{Input: found}
	}
	if object.Has("inputKeys") {
		return dsl.Check{InputKeys: slices.Concat([]string{}, r.texts(object, "inputKeys"))}
	}
	return dsl.Check{}
}

func (r *reader) deps(fields *dsl.Object) Deps {
	object := r.field(fields, "deps", "sop", "skill", "maxQuestionsPerRequest")
	return Deps{
		SOP: r.text(object, "sop"), Skill: r.text(object, "skill"),
		MaxQuestionsPerRequest: int(r.number(object, "maxQuestionsPerRequest")),
	}
}
