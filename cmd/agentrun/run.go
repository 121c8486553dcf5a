package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// runCmd asks an agent and waits for the run to rest.
type runCmd struct {
	remote
	Agent   string            `arg:"" help:"The agent's id."`
	Content string            `arg:"" help:"What to ask, of a workflow its input as a JSON object; - reads it from standard input."`
	File    []string          `short:"f" sep:"none" placeholder:"FILE" help:"Give the run a file, under inputs/ by its name; may be repeated."`
	Follow  bool              `help:"Print every row of the timeline as it is written."`
	JSON    bool              `name:"json" help:"Print the finished run as JSON; with --follow, one JSON line a row and the run last."`
	Detach  bool              `help:"Do not wait: print the run's id."`
	MaxCost *run.USD          `placeholder:"USD" help:"Pause the run before it spends more than this."`
	Effort  string            `placeholder:"EFFORT" help:"How hard the model thinks (low, medium, high)."`
	Label   map[string]string `mapsep:"none" placeholder:"NAME=VALUE" help:"Label the run; may be repeated."`
}

// Help is shown under the usage line.
func (*runCmd) Help() string {
	return `Exit codes: 0 completed, 1 failed, 2 waiting for a person, 3 cancelled.

The answer goes to standard output; progress goes to standard error, as one live line on a terminal.

Example:

    agentrun run greeter "What is six times seven?"
    agentrun run reviewer "Review the notes." --file notes.md --max-cost 0.25 --follow
    agentrun run review-release-notes - < input.json`
}

// Run is called by kong.
func (c *runCmd) Run(ctx context.Context, term *terminal, server *client.Client) error {
	ask, err := c.ask(term)
	if err != nil {
		return err
	}
	if err := objectFor(ctx, server, c.Agent, &ask); err != nil {
		return err
	}
	created, err := server.CreateRun(ctx, c.Agent, ask)
	if err != nil {
		return err
	}
	if c.Detach {
		if c.JSON {
			return term.json(asShown(created))
		}
		term.printf("%s\n", created.ID)
		return nil
	}
	return waiting{Follow: c.Follow, JSON: c.JSON}.wait(ctx, term, server, created.ID)
}

// ask gathers what to send.
func (c *runCmd) ask(term *terminal) (client.NewRun, error) {
	content, err := words(term, c.Content)
	if err != nil {
		return client.NewRun{}, err
	}
	files, err := attachments(c.File)
	if err != nil {
		return client.NewRun{}, err
	}
	return client.NewRun{
		Content: content, Files: files, Effort: c.Effort, MaxCostUSD: c.MaxCost, Labels: c.Label,
		IdempotencyKey: rand.Text(),
	}, nil
}

// objectFor sends what was asked as the document's input where the agent is a workflow.
func objectFor(ctx context.Context, server *client.Client, id string, ask *client.NewRun) error {
	agent, err := server.Agent(ctx, id)
	if err != nil || agent.Kind != run.KindWorkflow {
		return nil //nolint:nilerr // starting the run says what is wrong with the agent
	}
	if len(ask.Files) > 0 {
		return fmt.Errorf("agent %s is a workflow: it takes its document's input, and no files", id)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(ask.Content), &object); err != nil || object == nil {
		return fmt.Errorf("agent %s is a workflow: give it its document's input as a JSON object, as in '{\"notes\": []}'", id)
	}
	ask.Object = json.RawMessage(ask.Content)
	return nil
}

// asShown is a run as /v2 shows it: the input of a workflow is its own object.
func asShown(r run.Run) any {
	if r.Input.Object == nil {
		return r
	}
	return struct {
		run.Run
		Input json.RawMessage `json:"input"`
	}{r, r.Input.Object}
}

// words is an argument that may stand for standard input.
func words(term *terminal, arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	data, err := io.ReadAll(term.in)
	if err != nil {
		return "", fmt.Errorf("read standard input: %w", err)
	}
	return string(data), nil
}
