package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type runsResumeCmd struct{ oneRun }

// Help is shown under the usage line.
func (*runsResumeCmd) Help() string { return "Example:\n\n    agentrun runs resume run_01JQ…" }

// Run is called by kong.
func (c *runsResumeCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	return c.told(term, "goes on", server.Resume(ctx, c.ID))
}
