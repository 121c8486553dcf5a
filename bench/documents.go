package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/agentrun/agentrun/client"
)

// countingScript answers a document's items at once, and an agent in ten turns.
const countingScript = `
models: [{id: faux-1, context_window: 200000, max_output: 1000}]
rules:
  - when: {user: go}
    replies:
      - repeat: 10
        tool_calls: [{name: write, args: {path: "note-{{step}}.txt", content: note}}]
      - text: Done.
  - reply: {output: {n: 1}}
`

// countingDocument asks one question an item, 16 items at once.
const countingDocument = `{"v":2,"name":"many","schemas":{"In":{"type":"object"},"Out":{"type":"array"},
	"N":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}},
	"input":{"schemaId":"In"},"output":{"schemaId":"Out","path":"all"},
	"root":{"node":"map","label":"each","itemsPath":"items","as":"all","maxConcurrency":16,
	"body":{"node":"extract","label":"one","instructions":"Count.","state":{"i":"{item}"},"out":"N","as":"n"}}}`

// documents measures a map of 1,000 generative nodes, 16 at once, against 16 agents at once.
func (b *bench) documents(ctx context.Context) error {
	const items = 1000
	script := filepath.Join(b.dir, "counting.yaml")
	if err := os.WriteFile(script, []byte(countingScript), 0o600); err != nil {
		return err
	}
	s, err := b.serve(ctx, "documents", "--faux", script, "--max-runs", "16")
	if err != nil {
		return err
	}
	defer s.stop()
	agents, err := s.agentRate(ctx)
	if err != nil {
		return err
	}
	if _, err := s.client.CreateAgent(ctx, map[string]any{
		"id": "many", "name": "Many", "tools": []string{}, "workflow": json.RawMessage(countingDocument),
	}); err != nil {
		return err
	}
	numbers := make([]int, items)
	for i := range numbers {
		numbers[i] = i
	}
	input, err := json.Marshal(map[string]any{"items": numbers})
	if err != nil {
		return err
	}
	created, err := s.client.CreateRun(ctx, "many", client.NewRun{Object: input})
	if err != nil {
		return err
	}
	if err := s.rest(ctx, 100*time.Millisecond); err != nil {
		return err
	}
	runs, err := s.completed(ctx, []string{created.ID})
	if err != nil {
		return err
	}
	rate := items / runs[0].EndedAt.Sub(*runs[0].StartedAt).Seconds()
	b.add(fmt.Sprintf("model requests of a map over %d items, 16 at once", items), "≥ 0.9 × 16 agents",
		"%.0f/s = %.2f × 16 agents' %.0f/s", rate, rate/agents, agents)
	return nil
}

// agentRate is how many model requests a second 16 agents make.
func (s *server) agentRate(ctx context.Context) (float64, error) {
	const total = 160
	ids, err := s.submit(ctx, total, "go", nil)
	if err != nil {
		return 0, err
	}
	if err := s.rest(ctx, 100*time.Millisecond); err != nil {
		return 0, err
	}
	runs, err := s.completed(ctx, ids)
	if err != nil {
		return 0, err
	}
	return float64(total*(turns+1)) / span(runs).Seconds(), nil
}
