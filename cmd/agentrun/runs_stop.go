package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type runsStopCmd struct{ oneRun }

// Help is shown under the usage line.
func (*runsStopCmd) Help() string { return "Example:\n\n    agentrun runs stop run_01JQ…" }

// Run is called by kong.
func (c *runsStopCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	did, err := server.Stop(ctx, c.ID)
	if err == nil && !did.Stopped {
		return c.told(term, "had no request to stop", nil)
	}
	return c.told(term, "is stopped", err)
}
