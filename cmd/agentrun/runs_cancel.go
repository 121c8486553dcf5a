package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type runsCancelCmd struct{ oneRun }

// Help is shown under the usage line.
func (*runsCancelCmd) Help() string { return "Example:\n\n    agentrun runs cancel run_01JQ…" }

// Run is called by kong.
func (c *runsCancelCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	did, err := server.Cancel(ctx, c.ID)
	if err != nil {
		return err
	}
	if did.AlreadyTerminal {
		term.printf("%s had ended already\n", c.ID)
		return nil
	}
	term.printf("%s is being cancelled\n", c.ID)
	return nil
}
