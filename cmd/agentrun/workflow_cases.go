package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/dsl/cases"
)

type workflowTestCmd struct {
	Files []string `arg:"" name:"case" help:"The cases: JSON files that name a document and say what must come of it."`
}

// Help shows an example.
func (*workflowTestCmd) Help() string {
	return `A case has a document (or "workflow_file", the name of one beside it), an input, scripted answers by execution path, and
what must come out. docs/workflows.md describes the format. Each case is a line: ok, FAIL with what differs, or DIFFERS for
a published conformance case that this product answers otherwise on purpose.

Exit codes: 0 no case failed, 1 one did.

Example:

  agentrun workflow test triage/case.json
  agentrun workflow test */case*.json`
}

// tally counts how cases came out.
type tally struct{ ok, differ, failed int }

// Run runs the cases one after another.
func (c *workflowTestCmd) Run(ctx context.Context, term *terminal) error {
	var t tally
	for _, file := range c.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.run(ctx, term, file)
	}
	term.printf("%s\n", &t)
	if t.failed > 0 {
		return &exitError{exitFailed, fmt.Sprintf("%d of %s failed", t.failed, counted(len(c.Files), "case"))}
	}
	return nil
}

func (t *tally) String() string {
	text := fmt.Sprintf("%d ok, %d failed", t.ok, t.failed)
	if t.differ > 0 {
		text += fmt.Sprintf(", %d differ on purpose", t.differ)
	}
	return text
}

func (t *tally) run(ctx context.Context, term *terminal, file string) {
	loaded, err := cases.Load(file)
	if err != nil {
		t.failed++
		term.printf("FAIL %s\n  - %s\n", oneLine(file, wide), printable(err.Error()))
		return
	}
	name := oneLine(loaded.Name, wide)
	problems := cases.Run(ctx, loaded)
	reason, differs := loaded.Differs()
	switch {
	case len(problems) == 0:
		t.ok++
		term.printf("ok   %s\n", name)
	case differs:
		t.differ++
		term.printf("DIFFERS %s: %s\n", name, reason)
	default:
		t.failed++
		term.printf("FAIL %s (%s)\n%s", name, oneLine(file, wide), strings.TrimRight(printable(cases.Report(problems)), "\n")+"\n")
	}
}
