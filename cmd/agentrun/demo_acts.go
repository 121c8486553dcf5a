package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/examples"
	"github.com/agentrun/agentrun/run"
)

// review runs a workflow document: a typed extraction over two notes, beside each other, and a summary.
func (d *demo) review(ctx context.Context) error {
	const folder = "workflows/review-release-notes/"
	document, err := examples.Files.ReadFile(folder + "workflow.json")
	if err != nil {
		return err
	}
	input, err := examples.Files.ReadFile(folder + "input.json")
	if err != nil {
		return err
	}
	definition, err := json.Marshal(map[string]any{
		"id": "review-release-notes", "name": "Review release notes", "tools": []string{},
		"workflow": json.RawMessage(document),
	})
	if err != nil {
		return err
	}
	if _, err := d.client.CreateAgent(ctx, json.RawMessage(definition)); err != nil {
		return err
	}
	d.say("2. A workflow document reviews two notes beside each other, and sums them up.")
	r, err := d.client.CreateRun(ctx, "review-release-notes", client.NewRun{Object: input})
	if err != nil {
		return err
	}
	_, err = d.client.Follow(ctx, r.ID, 0, func(event client.Event) error {
		if event.Row != nil {
			d.show(*event.Row)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r, err = d.client.Run(ctx, r.ID); err != nil {
		return err
	}
	if r.Status != run.Completed {
		return fmt.Errorf("run %s is %s: %+v", r.ID, r.Status, r.Error)
	}
	var output struct {
		Summary string            `json:"summary"`
		Changes []json.RawMessage `json:"changes"`
	}
	if err := json.Unmarshal(r.Result.Output, &output); err != nil {
		return fmt.Errorf("the workflow's output: %w", err)
	}
	d.say("   completed: %d changes, %d requests, %s USD\n   %q\n", len(output.Changes), r.Usage.Requests, r.Cost.KnownUSD,
		output.Summary)
	return nil
}

// cap runs into a spend cap and raises it.
func (d *demo) cap(ctx context.Context) error {
	d.say("3. A run with a cap of 0.0001 USD stops before it would pass it, and goes on when the cap is raised.")
	limit, err := run.ParseUSD("0.0001")
	if err != nil {
		return err
	}
	r, err := d.client.CreateRun(ctx, "release-notes", client.NewRun{
		Content: "Say in one line what this product is.", MaxCostUSD: &limit,
	})
	if err != nil {
		return err
	}
	raised := false
	_, err = d.client.Follow(ctx, r.ID, 0, func(event client.Event) error {
		if event.Row == nil {
			return nil
		}
		d.show(*event.Row)
		if event.Row.Type != run.RowStatus || raised {
			return nil
		}
		now, err := d.client.Run(ctx, r.ID)
		if err != nil || now.Pending == nil || now.Pending.SuggestedCapUSD == nil {
			return err
		}
		raised = true
		d.say("   ‖  paused at 0 USD spent; it needs %s, raising the cap to %s", now.Pending.NeedsUSD,
			now.Pending.SuggestedCapUSD)
		_, err = d.client.SetCap(ctx, r.ID, *now.Pending.SuggestedCapUSD)
		return err
	})
	if err != nil {
		return err
	}
	return d.report(ctx, r.ID)
}

func (d *demo) links() {
	d.say("  API:         %s/v2/runs   (Authorization: Bearer %s)", d.base, d.token)
	d.say("  Temporal UI: %s/?token=%s", d.base, d.token)
	d.say("  Next:        agentrun serve --data ./agentrun-data, then see the README")
}
