package main

import (
	"context"
	"fmt"
	"text/tabwriter"

	"github.com/agentrun/agentrun/dsl"
)

type workflowDryRunCmd struct {
	File  string `arg:"" help:"The document; - reads it from standard input."`
	Input string `placeholder:"FILE|JSON" help:"Run on this input; one is made of the input's schema when left out."`
	JSON  bool   `name:"json" help:"Print {ok, problems, skipped, stage, input, steps[], output} as JSON."`
}

// Help shows an example.
func (*workflowDryRunCmd) Help() string {
	return `Every model, judge and call answers with the plainest value that its schema allows, so that mistakes in how the parts
fit together show without a model. JavaScript and expressions of the document do run, within bounds.

Where made-up answers say nothing of a document (a schema has a pattern, or an escalation is raised on them), the dry run
stands down and says so: write a test case then.

Exit codes: 0 nothing failed, 1 something did.

Example:

  agentrun workflow dry-run triage/workflow.json
  agentrun workflow dry-run triage/workflow.json --input triage/input.json`
}

// dryRun is a dry run as JSON.
type dryRun struct {
	dsl.DryRunReport
	dsl.DryRunTrace
}

// Run rehearses the document.
func (c *workflowDryRunCmd) Run(ctx context.Context, term *terminal) error {
	input, err := inputOf(term, c.Input)
	if err != nil {
		return err
	}
	workflow, err := loadWorkflow(term, c.File)
	if err != nil {
		return err
	}
	var found dryRun
	found.DryRunReport, found.DryRunTrace = workflow.TraceDryRun(ctx, input)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if c.JSON {
		err = term.json(found)
	} else {
		err = found.print(term)
	}
	if err == nil && !found.OK {
		err = &exitError{exitFailed, c.File + ": the dry run failed" + at(found.Stage)}
	}
	return err
}

func at(stage string) string {
	if stage == "" {
		return ""
	}
	return " at " + stage
}

func (d dryRun) print(term *terminal) error {
	if len(d.Input) > 0 {
		term.printf("input   %s\n", oneLine(string(d.Input), wide))
	}
	if err := d.printSteps(term); err != nil {
		return err
	}
	if len(d.Output) > 0 {
		term.printf("output  %s\n", oneLine(string(d.Output), wide))
	}
	for _, reason := range d.Skipped {
		term.printf("stood down: %s\n", oneLine(reason, wide))
	}
	for _, problem := range d.Problems {
		term.printf("problem: %s\n", oneLine(problem, wide))
	}
	if d.OK && len(d.Skipped) == 0 {
		term.printf("ok\n")
	}
	return nil
}

// printSteps writes what happened as columns. That a node began is left out where its end says as much.
func (d dryRun) printSteps(term *terminal) error {
	w := tabwriter.NewWriter(term.out, 0, 0, 2, ' ', 0)
	for _, step := range d.Steps {
		if step.Type == "node.start" {
			continue
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", step.Type, oneLine(step.Path, wide), oneLine(step.Label, 40), oneLine(string(step.Detail), 120))
	}
	if d.LeftOut > 0 {
		fmt.Fprintf(w, "  and %s\n", counted(d.LeftOut, "more step"))
	}
	return w.Flush()
}
