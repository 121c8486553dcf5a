package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type agentsArchiveCmd struct {
	remote
	Agent string `arg:"" help:"The agent's id."`
}

// Help is shown under the usage line.
func (*agentsArchiveCmd) Help() string { return "Example:\n\n    agentrun agents archive greeter" }

// Run is called by kong.
func (c *agentsArchiveCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	agent, err := server.ArchiveAgent(ctx, c.Agent)
	if err != nil {
		return err
	}
	term.printf("%s is archived\n", agent.ID)
	return nil
}

type agentsUnarchiveCmd struct {
	remote
	Agent string `arg:"" help:"The agent's id."`
}

// Help is shown under the usage line.
func (*agentsUnarchiveCmd) Help() string { return "Example:\n\n    agentrun agents unarchive greeter" }

// Run is called by kong.
func (c *agentsUnarchiveCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	agent, err := server.UnarchiveAgent(ctx, c.Agent)
	if err != nil {
		return err
	}
	term.printf("%s is back\n", agent.ID)
	return nil
}
