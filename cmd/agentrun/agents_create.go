package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type agentsCreateCmd struct {
	remote
	File string `arg:"" help:"The definition, JSON or YAML; - reads it from standard input."`
	JSON bool   `name:"json" help:"Print the agent as JSON."`
}

// Help is shown under the usage line.
func (*agentsCreateCmd) Help() string {
	return `Example:

    agentrun agents create greeter.yaml

where greeter.yaml is

    id: greeter
    name: Greeter
    instructions: Answer in one sentence.
    tools: [read, write, edit]`
}

// Run is called by kong.
func (c *agentsCreateCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	definition, err := readDefinition(term, c.File)
	if err != nil {
		return err
	}
	agent, err := server.CreateAgent(ctx, definition)
	if err != nil {
		return err
	}
	return saved(term, agent, c.JSON)
}
