package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type runsWaitCmd struct {
	oneRun
	Follow bool `help:"Print every row of the timeline as it is written."`
	JSON   bool `name:"json" help:"Print the finished run as JSON; with --follow, one JSON line a row and the run last."`
}

// Help is shown under the usage line.
func (*runsWaitCmd) Help() string {
	return `Exit codes: 0 completed, 1 failed, 2 waiting for a person, 3 cancelled.

Example:

    agentrun runs message run_01JQ… "And in French?" && agentrun runs wait run_01JQ…`
}

// Run is called by kong.
func (c *runsWaitCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	return waiting{Follow: c.Follow, JSON: c.JSON}.wait(ctx, term, server, c.ID)
}
