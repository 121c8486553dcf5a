package main

import "fmt"

type workflowValidateCmd struct {
	Files []string `arg:"" name:"file" help:"The documents; - reads one from standard input."`
	Input string   `placeholder:"FILE|JSON" help:"Check the documents for this input: that it fits, and that every key is there when it is read."`
	JSON  bool     `name:"json" help:"Print {valid, issues[]} as JSON."`
}

// Help shows an example.
func (*workflowValidateCmd) Help() string {
	return `Every issue is a line "file: path: [code] message" and a hint below it; docs/workflows.md has all codes. Nothing of a
document is executed. Without --input the keys of the input are known where its schema has "additionalProperties": false.

Exit codes: 0 all are valid, 1 one is not.

Example:

  agentrun workflow validate triage/workflow.json
  agentrun workflow validate triage/workflow.json --input '{"message": "Where is my parcel?"}' --json`
}

// Run checks the documents.
func (c *workflowValidateCmd) Run(term *terminal) error {
	input, err := inputOf(term, c.Input)
	if err != nil {
		return err
	}
	all := []fault{}
	invalid := 0
	for _, file := range c.Files {
		_, faults, err := checkFile(term, file, input)
		if err != nil {
			return err
		}
		all = append(all, faults...)
		if len(faults) > 0 {
			invalid++
		} else if !c.JSON {
			term.printf("%s: valid\n", oneLine(file, wide))
		}
		if !c.JSON {
			for _, fault := range faults {
				fault.print(term)
			}
		}
	}
	if c.JSON {
		err := term.json(struct {
			Valid  bool    `json:"valid"`
			Issues []fault `json:"issues"`
		}{len(all) == 0, all})
		if err != nil {
			return err
		}
	}
	return c.outcome(invalid, len(all))
}

func (c *workflowValidateCmd) outcome(invalid, issues int) error {
	switch {
	case invalid == 0:
		return nil
	case len(c.Files) == 1:
		return notValid(c.Files[0], issues)
	default:
		return &exitError{exitFailed, fmt.Sprintf("%s in %d of %d documents", counted(issues, "issue"), invalid, len(c.Files))}
	}
}

func notValid(file string, issues int) error {
	return &exitError{exitFailed, file + " is not valid: " + counted(issues, "issue")}
}
