package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agentrun/agentrun/client"
)

type agentsUpdateCmd struct {
	remote
	File string `arg:"" help:"The definition, JSON or YAML; - reads it from standard input."`
	JSON bool   `name:"json" help:"Print the agent as JSON."`
}

// Help is shown under the usage line.
func (*agentsUpdateCmd) Help() string {
	return `The agent is the one whose id the definition has. A definition equal to its last makes no new revision.

Example:

    agentrun agents update greeter.yaml`
}

// Run is called by kong.
func (c *agentsUpdateCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	definition, err := readDefinition(term, c.File)
	if err != nil {
		return err
	}
	var named struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(definition, &named); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	if named.ID == "" {
		return errors.New(c.File + " has no id: which agent is it of?")
	}
	// Somebody else's change between these two calls is refused, not overwritten.
	before, err := server.Agent(ctx, named.ID)
	if err != nil {
		return err
	}
	agent, err := server.PutDefinition(ctx, named.ID, before.HomeETag, definition)
	if err != nil {
		return err
	}
	return saved(term, agent, c.JSON)
}
