package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type runsGetCmd struct{ oneRun }

// Help is shown under the usage line.
func (*runsGetCmd) Help() string { return "Example:\n\n    agentrun runs get run_01JQ… | jq .cost" }

// Run is called by kong.
func (c *runsGetCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	r, err := server.Run(ctx, c.ID)
	if err != nil {
		return err
	}
	return term.json(asShown(r))
}
