package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type agentsGetCmd struct {
	remote
	Agent string `arg:"" help:"The agent's id."`
}

// Help is shown under the usage line.
func (*agentsGetCmd) Help() string { return "Example:\n\n    agentrun agents get greeter" }

// Run is called by kong.
func (c *agentsGetCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	agent, err := server.Agent(ctx, c.Agent)
	if err != nil {
		return err
	}
	return term.json(agent)
}
