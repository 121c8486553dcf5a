package main

import (
	"context"
	"strconv"

	"github.com/agentrun/agentrun/client"
)

type agentsListCmd struct {
	remote
	Archived bool   `help:"List the archived agents instead."`
	Limit    int    `placeholder:"N" help:"How many to list (1 to 200)."`
	Cursor   string `placeholder:"CURSOR" help:"Go on where a list ended."`
	JSON     bool   `name:"json" help:"Print the page as JSON."`
}

// Help is shown under the usage line.
func (*agentsListCmd) Help() string { return "Example:\n\n    agentrun agents list --archived" }

// Run is called by kong.
func (c *agentsListCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	list, err := server.Agents(ctx, c.Archived, client.Page{Limit: c.Limit, Cursor: c.Cursor})
	if err != nil {
		return err
	}
	if c.JSON {
		return term.json(list)
	}
	var rows [][]string
	for _, agent := range list.Data {
		rows = append(rows, []string{
			agent.ID, agent.Name, strconv.FormatInt(agent.Revision, 10), agent.Definition.Model, stamp(agent.UpdatedAt),
		})
	}
	if err := term.table([]string{"AGENT", "NAME", "REVISION", "MODEL", "UPDATED"}, rows); err != nil {
		return err
	}
	term.more(list.Next)
	return nil
}
