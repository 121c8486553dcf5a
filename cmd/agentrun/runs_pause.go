package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type runsPauseCmd struct{ oneRun }

// Help is shown under the usage line.
func (*runsPauseCmd) Help() string { return "Example:\n\n    agentrun runs pause run_01JQ…" }

// Run is called by kong.
func (c *runsPauseCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	return c.told(term, "pauses before its next request", server.Pause(ctx, c.ID))
}
