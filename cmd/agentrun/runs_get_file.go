package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agentrun/agentrun/client"
)

type runsGetFileCmd struct {
	oneRun
	Path string `arg:"" help:"The file's path in the run's folder."`
	Out  string `short:"o" type:"path" placeholder:"FILE" help:"Write to a file instead of standard output."`
}

// Help is shown under the usage line.
func (*runsGetFileCmd) Help() string {
	return "Example:\n\n    agentrun runs get-file run_01JQ… notes.md -o notes.md"
}

// Run is called by kong.
func (c *runsGetFileCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	body, err := server.OpenFile(ctx, c.ID, c.Path)
	if err != nil {
		return err
	}
	defer body.Close()
	if c.Out == "" {
		_, err = io.Copy(term.out, body)
		return err
	}
	return saveFile(c.Out, body)
}

// saveFile writes a file whole or not at all.
func saveFile(path string, from io.Reader) (err error) {
	part, err := os.CreateTemp(filepath.Dir(path), ".agentrun-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part.Name())
		}
	}()
	if _, err = io.Copy(part, from); err != nil {
		_ = part.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err = part.Close(); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}
