package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/agentrun/agentrun/client"
)

// remote is the server that a client command talks to. The token comes from the environment or a file, never from a
// flag, which every user of the machine could read.
type remote struct {
	BaseURL   string `name:"base-url" env:"AGENTRUN_BASE_URL" default:"http://127.0.0.1:7717" placeholder:"URL" help:"The server, as its banner prints it."`
	TokenFile string `type:"path" placeholder:"FILE" help:"Read the token from a file (DIR/.token) instead of $$AGENTRUN_TOKEN."`
}

// AfterApply is called by kong once the command line is read: it makes the client that the command's Run is given.
func (r *remote) AfterApply(command *kong.Context) error {
	token := os.Getenv("AGENTRUN_TOKEN")
	if r.TokenFile != "" {
		data, err := os.ReadFile(r.TokenFile)
		if err != nil {
			return fmt.Errorf("token: %w", err)
		}
		token = strings.TrimSpace(string(data))
	}
	server, err := client.New(client.Options{BaseURL: r.BaseURL, Token: token})
	if err != nil {
		return err
	}
	command.Bind(server)
	return nil
}
