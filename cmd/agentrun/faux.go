package main

import (
	"context"
	"fmt"
	"net"
	"strconv"

	"github.com/agentrun/agentrun/models/faux"
)

// fauxCmd is the scripted model gateway by itself, for people's own tests.
type fauxCmd struct {
	Serve  fauxServeCmd  `cmd:"" help:"Answer model requests from a script, speaking OpenAI Responses, Chat Completions and Anthropic Messages."`
	Schema fauxSchemaCmd `cmd:"" help:"Print the JSON Schema of scripts."`
	Script fauxScriptCmd `cmd:"" help:"Print a ready script, to start one's own from."`
}

type fauxServeCmd struct {
	Script     string `help:"A script file (JSON or YAML), or the name of a ready one." default:"default" placeholder:"FILE"`
	Port       int    `help:"Port to listen on, on the loopback address; 0 takes a free one." default:"0"`
	Ledger     string `help:"Keep a line for every request in this file; one that exists is continued." type:"path" placeholder:"FILE"`
	RequireKey string `help:"The API key every request must carry." placeholder:"KEY" env:"FAUX_REQUIRE_KEY"`
	Quiet      bool   `help:"Print no line for each request."`
}

// Help shows an example.
func (*fauxServeCmd) Help() string {
	return `Example:

  agentrun faux serve --script my-script.yaml --port 9099
  OPENAI_BASE_URL=http://127.0.0.1:9099/v1 my-agent

GET /faux/requests lists what was asked, so that a test can tell that nothing was sent twice.`
}

// Run serves until it is interrupted.
func (c *fauxServeCmd) Run(ctx context.Context, t *terminal) error {
	script, err := faux.Load(c.Script)
	if err != nil {
		return err
	}
	options := faux.Options{RequireKey: c.RequireKey, Ledger: c.Ledger}
	if !c.Quiet {
		options.Log = t.err
	}
	gateway, err := faux.New(script, options)
	if err != nil {
		return err
	}
	defer func() { _ = gateway.Close() }()
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.Port)))
	if err != nil {
		return fmt.Errorf("the scripted gateway: %w", err)
	}
	fmt.Fprintf(t.out, "FAUX_BASE_URL=http://%s\n", listener.Addr())
	return gateway.Serve(ctx, listener)
}

type fauxSchemaCmd struct{}

// Help shows an example.
func (fauxSchemaCmd) Help() string { return "Example:\n\n  agentrun faux schema > faux.schema.json" }

// Run prints the schema.
func (fauxSchemaCmd) Run(t *terminal) error {
	_, err := t.out.Write(faux.Schema())
	return err
}

type fauxScriptCmd struct {
	Name string `arg:"" help:"Name of the ready script; without one, the names." optional:""`
}

// Help shows an example.
func (*fauxScriptCmd) Help() string {
	return "Example:\n\n  agentrun faux script default > my-script.yaml"
}

// Run prints the script, or the names.
func (c *fauxScriptCmd) Run(t *terminal) error {
	if c.Name == "" {
		for _, name := range faux.Builtins() {
			fmt.Fprintln(t.out, name)
		}
		return nil
	}
	text, err := faux.BuiltinText(c.Name)
	if err != nil {
		return err
	}
	_, err = t.out.Write(text)
	return err
}
