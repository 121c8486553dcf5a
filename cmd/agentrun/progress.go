package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/journal"
)

// progress is where a run is, folded from its rows.
type progress struct {
	fold  journal.Projection
	doing string
}

// add folds a row in; it tells whether the row is a step worth telling.
func (p *progress) add(row run.Row) bool {
	if p.fold.Apply(row) != nil {
		return false // a newer server's row: its run is still worth watching
	}
	switch row.Type {
	case run.RowStatus:
		p.doing = ""
		return true
	case run.RowRequestStarted:
		var started run.RequestStarted
		_ = row.Decode(&started)
		p.doing = "asking " + started.Model
		if started.CapRefused {
			p.doing = "the cap refuses the next request"
		}
		return started.CapRefused
	case run.RowRequestEnded:
		var ended run.RequestEnded
		_ = row.Decode(&ended)
		p.doing = ""
		if ended.Error != nil {
			p.doing = "request ended: " + ended.Error.Message
		}
		return ended.Error != nil
	case run.RowAnswer:
		p.doing = "answered"
		return true
	case run.RowToolUse:
		var use run.ToolUse
		_ = row.Decode(&use)
		p.doing = called(use)
		return true
	case run.RowToolResult:
		p.doing = ""
	}
	return false
}

// String is the progress on one line.
func (p *progress) String() string {
	parts := []string{string(p.fold.Status)}
	if state := p.fold.State; saysMore(p.fold.Status, state) && state != run.StateRunning {
		parts[0] += " (" + string(state) + ")"
	}
	if n := p.fold.Usage.Requests; n > 0 {
		parts = append(parts, count(n, "request"))
	}
	if n := p.fold.Usage.ToolCalls; n > 0 {
		parts = append(parts, count(n, "tool call"))
	}
	if p.fold.Usage.Requests > 0 {
		parts = append(parts, spent(p.fold.Cost()))
	}
	if p.doing != "" {
		parts = append(parts, oneLine(p.doing, 80))
	}
	return strings.Join(parts, " · ")
}

// saysMore tells whether a run's state says something that its status does not.
func saysMore(status run.Status, state run.State) bool {
	return state != "" && string(state) != string(status) && !status.Terminal()
}

func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// called is a tool call in a few words: its name, and the file it is about.
func called(use run.ToolUse) string {
	var about struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(use.Args, &about) == nil && about.Path != "" {
		return use.Name + " " + about.Path
	}
	return use.Name
}
