package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

type runsRaiseCmd struct {
	oneRun
	Cap run.USD `arg:"" name:"usd" help:"The new cap in USD."`
}

// Help is shown under the usage line.
func (*runsRaiseCmd) Help() string { return "Example:\n\n    agentrun runs raise run_01JQ… 0.50" }

// Run is called by kong.
func (c *runsRaiseCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	r, err := server.SetCap(ctx, c.ID, c.Cap)
	if err != nil {
		return err
	}
	term.printf("%s may spend $%s (%s)\n", r.ID, amount(r.MaxCostUSD), r.Status)
	return nil
}
