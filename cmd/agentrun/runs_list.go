package main

import (
	"context"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

type runsListCmd struct {
	remote
	Agent    string            `placeholder:"AGENT" help:"Only runs of this agent."`
	Status   []run.Status      `placeholder:"STATUS" help:"Only runs of these statuses (${statuses})."`
	Label    map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"Only runs with this label; may be repeated."`
	Since    time.Duration     `placeholder:"DURATION" help:"Only runs created in the last 24h, 30m, …"`
	Live     bool              `help:"Only runs that have not ended."`
	Archived bool              `help:"List the archived runs instead."`
	Limit    int               `placeholder:"N" help:"How many to list (1 to 200)."`
	Cursor   string            `placeholder:"CURSOR" help:"Go on where a list ended."`
	JSON     bool              `name:"json" help:"Print the page as JSON."`
}

// Help is shown under the usage line.
func (*runsListCmd) Help() string {
	return "Example:\n\n    agentrun runs list --agent greeter --status working,input_required"
}

// Run is called by kong.
func (c *runsListCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	filter := client.RunFilter{Agent: c.Agent, Status: c.Status, Labels: c.Label, Archived: c.Archived, Live: c.Live}
	if c.Since > 0 {
		filter.From = time.Now().Add(-c.Since)
	}
	list, err := server.Runs(ctx, filter, client.Page{Limit: c.Limit, Cursor: c.Cursor})
	if err != nil {
		return err
	}
	if c.JSON {
		rows := client.List[any]{Next: list.Next, Data: []any{}}
		for _, r := range list.Data {
			rows.Data = append(rows.Data, asShown(r))
		}
		return term.json(rows)
	}
	var rows [][]string
	for _, r := range list.Data {
		rows = append(rows, []string{r.ID, r.AgentID, string(r.Status), spent(r.Cost), stamp(r.CreatedAt), r.Input.Content})
	}
	if err := term.table([]string{"RUN", "AGENT", "STATUS", "COST", "CREATED", "ASKED"}, rows); err != nil {
		return err
	}
	term.more(list.Next)
	return nil
}
