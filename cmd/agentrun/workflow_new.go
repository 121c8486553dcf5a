package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// starter are the files that a new workflow begins with. NAME in them is its name.
//
//go:embed starter
var starter embed.FS

type workflowNewCmd struct {
	Name string `arg:"" help:"The workflow's name: lower-case letters, digits and hyphens."`
	Dir  string `default:"." type:"path" placeholder:"DIR" help:"Where its folder is made."`
}

// Help shows an example.
func (*workflowNewCmd) Help() string {
	return `Makes a folder of that name with a document that runs, an input, two test cases and a scripted model. Every part of the
document says in its metadata what it is for. A folder that exists is left alone.

Example:

  agentrun workflow new triage
  agentrun workflow test triage/case*.json`
}

// workflowName is what may be a folder, an agent's id and part of a model's id alike.
var workflowName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)

// Run writes the files and says what to try.
func (c *workflowNewCmd) Run(term *terminal) error {
	if !workflowName.MatchString(c.Name) {
		return fmt.Errorf("%q is no name: write lower-case letters, digits and hyphens, a letter first", c.Name)
	}
	folder := filepath.Join(c.Dir, c.Name)
	if err := os.MkdirAll(c.Dir, 0o750); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o750); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%s exists already: choose another name or --dir", folder)
		}
		return err
	}
	files, err := fs.ReadDir(starter, "starter")
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := starter.ReadFile("starter/" + file.Name())
		if err != nil {
			return err
		}
		text = []byte(strings.ReplaceAll(string(text), "NAME", c.Name))
		if err := os.WriteFile(filepath.Join(folder, file.Name()), text, 0o644); err != nil { //nolint:gosec // documents are shared like source
			return err
		}
	}
	term.printf("%s\n", nextSteps(shown(folder)))
	return nil
}

// shown is a folder as a person would type it: relative where that is shorter.
func shown(folder string) string {
	here, err := os.Getwd()
	if err != nil {
		return folder
	}
	relative, err := filepath.Rel(here, folder)
	if err != nil || len(relative) > len(folder) {
		return folder
	}
	return relative
}

func nextSteps(folder string) string {
	return strings.ReplaceAll(`made FOLDER:
  workflow.json        the document; metadata.about says what each part is for
  input.json           an input
  case.json            a test case: scripted answers, and what must come of them
  case-escalated.json  another one, that ends at a person
  faux.yaml            a scripted model, to run it without a key

Next:
  agentrun workflow validate FOLDER/workflow.json
  agentrun workflow dry-run FOLDER/workflow.json
  agentrun workflow test FOLDER/case*.json
  agentrun workflow graph FOLDER/workflow.json
  agentrun serve --faux FOLDER/faux.yaml`, "FOLDER", folder)
}
