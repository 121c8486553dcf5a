package main

import (
	"context"
	"crypto/rand"

	"github.com/agentrun/agentrun/client"
)

type runsMessageCmd struct {
	oneRun
	Content string `arg:"" help:"What to say; - reads it from standard input."`
}

// Help is shown under the usage line.
func (*runsMessageCmd) Help() string {
	return `A completed run takes it as a follow-up, a working one at its next turn.

Example:

    agentrun runs message run_01JQ… "Use metric units."`
}

// Run is called by kong.
func (c *runsMessageCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	content, err := words(term, c.Content)
	if err != nil {
		return err
	}
	return c.told(term, "was told", server.Message(ctx, c.ID, content, rand.Text()))
}
