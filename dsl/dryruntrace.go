package dsl

import (
	"context"
	"encoding/json"
	"sync"
)

// maxTrace is how many steps a trace of a dry run has; nobody reads more, and a loop could make millions.
const maxTrace = 1000

// DryRunTrace is what happened in a dry run: its input, the steps in order, and the output where there is one.
type DryRunTrace struct {
	Input json.RawMessage `json:"input,omitempty"`
	Steps []TraceStep     `json:"steps"`
	// LeftOut is how many steps came after those that are shown.
	LeftOut int             `json:"left_out,omitempty"`
	Output  json.RawMessage `json:"output,omitempty"`
}

// TraceStep is one thing that happened, in the words of the run's events (`node.start`, `route.chosen`).
type TraceStep struct {
	Type   string          `json:"type"`
	Path   string          `json:"path"`
	Label  string          `json:"label,omitempty"`
	Kind   Kind            `json:"kind"`
	Detail json.RawMessage `json:"detail,omitempty"`
}

// TraceDryRun is DryRun, and what happened in it. The trace is empty where the dry run stands down before it begins.
func (w *Workflow) TraceDryRun(ctx context.Context, input any) (DryRunReport, DryRunTrace) {
	host := &dryHost{workflow: w}
	host.trace.Steps = []TraceStep{}
	report := w.rehearse(ctx, host, input)
	return report, host.traced()
}

func (w *Workflow) rehearse(ctx context.Context, host *dryHost, input any) DryRunReport {
	if skipped := unmakable(w); len(skipped) > 0 {
		return DryRunReport{OK: true, Skipped: skipped}
	}
	if input == nil {
		made, ok := w.madeInput()
		if !ok {
			return DryRunReport{OK: true, Skipped: []string{"no input can be made of the schema " + w.InputSchema}}
		}
		input = made
	}
	host.trace.Input = json.RawMessage(JSON(input))
	result, err := w.Run(ctx, host, Options{dry: true}, input)
	switch {
	case err != nil:
		return dryFailure(err)
	case result.Escalation != nil:
		raised := result.Escalation
		return DryRunReport{OK: true, Skipped: []string{"escalated:" + raised.Kind + "@" + raised.Stage + " on synthetic values"}}
	default:
		host.trace.Output = json.RawMessage(JSON(result.Output))
		return DryRunReport{OK: true}
	}
}

// tracer keeps the first events of a run and counts the others.
type tracer struct {
	mutex sync.Mutex
	trace DryRunTrace
}

// Observe keeps an event.
func (t *tracer) Observe(event Event) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.trace.Steps) >= maxTrace {
		t.trace.LeftOut++
		return
	}
	step := TraceStep{Type: event.Type, Path: event.Path, Label: event.Label, Kind: event.Kind}
	if event.Detail != nil {
		step.Detail = json.RawMessage(JSON(event.Detail.Without("duration_ms")))
	}
	t.trace.Steps = append(t.trace.Steps, step)
}

func (t *tracer) traced() DryRunTrace {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.trace
}
