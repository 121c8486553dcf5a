package models

import (
	"encoding/json"

	"github.com/agentrun/agentrun/run"
)

// Stop is why an answer ended.
type Stop string

// The stops. StopLength is an answer cut at its output limit: its calls may be incomplete and are not to be run.
const (
	StopEnd       Stop = "end"
	StopToolCalls Stop = "tool_calls"
	StopLength    Stop = "length"
	StopRefusal   Stop = "refusal"
)

// Answer is what a model said to one request.
type Answer struct {
	Text string
	// Refusal is the model's own words where it declined; StopRefusal goes with it.
	Refusal string
	Calls   []Call
	// Native is what to replay in a later request of the same protocol (Message.Native).
	Native json.RawMessage
	Stop   Stop
	// Usage is what this request used: Requests is 1, ToolCalls is 0. NoUsage: the provider did not say, so the token
	// counts are zero and what the request cost is not known.
	Usage   run.Usage
	NoUsage bool
	// ServedModel is the model the provider says answered.
	ServedModel string
}

// Delta is a piece of an answer under way, for show only: the Answer is the truth.
type Delta struct {
	Text      string
	Reasoning string
}
