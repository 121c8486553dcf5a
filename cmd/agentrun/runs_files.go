package main

import (
	"context"
	"strconv"

	"github.com/agentrun/agentrun/client"
)

type runsFilesCmd struct {
	oneRun
	JSON bool `name:"json" help:"Print the list as JSON."`
}

// Help is shown under the usage line.
func (*runsFilesCmd) Help() string { return "Example:\n\n    agentrun runs files run_01JQ…" }

// Run is called by kong.
func (c *runsFilesCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	files, err := server.Files(ctx, c.ID)
	if err != nil {
		return err
	}
	if c.JSON {
		return term.json(files)
	}
	var rows [][]string
	for _, file := range files {
		rows = append(rows, []string{file.Path, strconv.FormatInt(file.Size, 10), stamp(file.ModifiedAt)})
	}
	return term.table([]string{"FILE", "BYTES", "CHANGED"}, rows)
}
