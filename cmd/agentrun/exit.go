package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// The exit codes of commands that wait for a run (contract §4).
const (
	exitFailed    = 1
	exitWaiting   = 2
	exitCancelled = 3
)

// exitError ends the process with a code of its own.
type exitError struct {
	code    int
	message string
}

func (e *exitError) Error() string { return e.message }

// usageError adds where to read more to a fault of the command line.
func usageError(err error) error {
	command := "agentrun"
	if fault, ok := errors.AsType[*kong.ParseError](err); ok && fault.Context != nil {
		if node := fault.Context.Selected(); node != nil {
			command += " " + node.Path()
		}
	}
	return fmt.Errorf("%w; see %s --help", err, command)
}

// report writes an error to the person and gives the exit code.
func report(t *terminal, err error) int {
	if err == nil {
		return 0
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	t.errorf("agentrun: %s", printable(err.Error()))
	if problem, ok := errors.AsType[*client.Problem](err); ok {
		for _, issue := range problem.Errors {
			t.errorf("  %s: %s", printable(issue.Path), printable(issue.Message))
		}
	}
	if exit, ok := errors.AsType[*exitError](err); ok {
		return exit.code
	}
	return exitFailed
}

// outcome is what a run that rests means for its caller: nil where it completed, an exitError that says what to do
// where it did not.
func outcome(r run.Run) error {
	switch r.Status {
	case run.Completed:
		return nil
	case run.Cancelled:
		return &exitError{exitCancelled, r.ID + " was cancelled"}
	case run.InputRequired:
		return &exitError{exitWaiting, r.ID + " waits: " + waitsFor(r)}
	default:
		if r.Error == nil {
			return &exitError{exitFailed, fmt.Sprintf("%s is %s", r.ID, r.Status)}
		}
		return &exitError{exitFailed, fmt.Sprintf("%s failed: %s (%s)", r.ID, r.Error.Message, r.Error.Code)}
	}
}

// waitsFor says what lets a waiting run go on.
func waitsFor(r run.Run) string {
	if r.Pending == nil {
		return "a person has to look at it"
	}
	switch r.Pending.Kind {
	case run.PendingBudget:
		return fmt.Sprintf("its cap of $%s does not buy the next request, which needs $%s; agentrun runs raise %s %s",
			amount(r.Pending.CapUSD), amount(r.Pending.NeedsUSD), r.ID, amount(r.Pending.SuggestedCapUSD))
	case run.PendingMessage:
		return fmt.Sprintf("it was stopped; agentrun runs message %s \"…\"", r.ID)
	case run.PendingResume:
		return fmt.Sprintf("it was paused; agentrun runs resume %s", r.ID)
	default:
		return "it needs " + r.Pending.Kind
	}
}

// amount is a sum as text, "?" where nobody knows it.
func amount(usd *run.USD) string {
	if usd == nil {
		return "?"
	}
	return usd.String()
}
