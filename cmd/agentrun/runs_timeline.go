package main

import (
	"context"

	"github.com/agentrun/agentrun/client"
)

type runsTimelineCmd struct {
	oneRun
	After  int64 `placeholder:"SEQ" help:"Only rows after this one."`
	Follow bool  `help:"Go on printing rows as they are written, until the timeline is final."`
	JSON   bool  `name:"json" help:"Print each row as a line of JSON."`
}

// Help is shown under the usage line.
func (*runsTimelineCmd) Help() string {
	return "Example:\n\n    agentrun runs timeline run_01JQ… --follow"
}

// Run is called by kong.
func (c *runsTimelineCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	shown := waiting{Follow: true, JSON: c.JSON}.view(term, c.ID)
	defer shown.close()
	if c.Follow {
		_, err := server.Follow(ctx, c.ID, c.After, func(e client.Event) error {
			shown.event(e)
			return nil
		})
		return err
	}
	_, err := drain(ctx, server, c.ID, c.After, shown.event)
	return err
}
