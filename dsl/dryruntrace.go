package dsl

import (
	"context"
	"encoding/json"
	"fmt"
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
	host.trace.Input = cut(JSON(input), maxShown)
	ctx, host.stop = context.WithCancelCause(ctx)
	defer host.stop(nil)
	result, err := w.Run(ctx, host, Options{dry: true}, input)
	switch {
	case err != nil:
		return dryFailure(err)
	case result.Escalation != nil:
		raised := result.Escalation
		return DryRunReport{OK: true, Skipped: []string{"escalated:" + raised.Kind + "@" + raised.Stage + " on synthetic values"}}
	default:
		host.trace.Output = cut(JSON(result.Output), maxShown)
		return DryRunReport{OK: true}
	}
}

// Bounds of a dry run: how many steps it may take, and how long a step's detail and the output are that it shows (bytes).
const (
	maxDrySteps = 100_000
	maxDetail   = 4 << 10
	maxShown    = 1 << 20
)

var errDrySteps = fmt.Errorf("a dry run stops after %d steps", maxDrySteps)

// tracer keeps the first events of a run and counts the others; at its bound it stops the run.
type tracer struct {
	mutex sync.Mutex
	trace DryRunTrace
	stop  context.CancelCauseFunc
}

// cut is a value's JSON text, or a note of its length where that is beyond the limit.
func cut(text string, limit int) json.RawMessage {
	if len(text) <= limit {
		return json.RawMessage(text)
	}
	return json.RawMessage(fmt.Sprintf(`{"left_out": "%d bytes of JSON"}`, len(text)))
}

// Observe keeps an event.
func (t *tracer) Observe(event Event) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.trace.Steps) >= maxTrace {
		if t.trace.LeftOut++; t.trace.LeftOut > maxDrySteps {
			t.stop(errDrySteps)
		}
		return
	}
	step := TraceStep{Type: event.Type, Path: event.Path, Label: event.Label, Kind: event.Kind}
	if event.Detail != nil {
		step.Detail = cut(JSON(event.Detail.Without("duration_ms")), maxDetail)
	}
	t.trace.Steps = append(t.trace.Steps, step)
}

func (t *tracer) traced() DryRunTrace {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return t.trace
}

// Shown is a value as JSON for a person to look at: one that is too long to be looked at is a note of its length.
func Shown(value any) json.RawMessage { return cut(JSON(value), maxDetail*16) }
