package faux

import (
	"encoding/json"
	"fmt"
	"time"
)

// Reply is one answer. Text, Output, Refusal and the strings of tool calls' arguments may hold placeholders such as
// {{user}} (template.go).
type Reply struct {
	Text string `json:"text,omitempty"`
	// Output is a JSON value sent as the text.
	Output    json.RawMessage `json:"output,omitempty"`
	Refusal   string          `json:"refusal,omitempty"`
	Reasoning string          `json:"reasoning,omitempty"`
	ToolCalls []ToolCall      `json:"tool_calls,omitempty"`
	// Stop is why the answer ends: "end" (or tool calls, where there are any), "length" or "content_filter".
	Stop string `json:"stop,omitempty"`

	// Usage is what the answer reports; NoUsage reports none.
	Usage   *Usage `json:"usage,omitempty"`
	NoUsage bool   `json:"no_usage,omitempty"`

	// Delay passes before anything is sent. Then the answer waits for HoldUntilFile to exist. Hang never answers.
	Delay         Duration `json:"delay,omitempty"`
	HoldUntilFile string   `json:"hold_until_file,omitempty"`
	Hang          bool     `json:"hang,omitempty"`
	// Chunks is how many pieces a text is streamed in (0: one), ChunkDelay the pause between two of them.
	Chunks     int      `json:"chunks,omitempty"`
	ChunkDelay Duration `json:"chunk_delay,omitempty"`

	// Status, from 400 on, refuses the request with Error, or with Body as it is. Headers go with any reply.
	Status  int               `json:"status,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Error   *ErrorBody        `json:"error,omitempty"`
	Body    string            `json:"body,omitempty"`
	// Fault breaks the answer on its way.
	Fault *Fault `json:"fault,omitempty"`

	// Repeat uses the reply so many times in a row in Replies (0: once).
	Repeat int `json:"repeat,omitempty"`
}

// Usage is the token counts a reply reports. Input holds every token sent, Cached and CacheWrite included; Output
// includes Reasoning.
type Usage struct {
	Input      int64 `json:"input"`
	Cached     int64 `json:"cached,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning,omitempty"`
}

// ErrorBody is what an error says; what is empty gets the provider's usual words for the status.
type ErrorBody struct {
	Type    string `json:"type,omitempty"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
}

// The kinds of Fault.
const (
	// FaultCut closes the connection.
	FaultCut = "cut"
	// FaultEnd ends the body in good order, without what is missing.
	FaultEnd = "end"
	// FaultStall keeps the connection open and sends nothing more.
	FaultStall = "stall"
	// FaultGarbage sends an event that is not JSON nor UTF-8, then what is left.
	FaultGarbage = "garbage"
	// FaultError sends the protocol's own error event (Reply.Error) and ends.
	FaultError = "error"
)

// Fault breaks an answer after AfterEvents whole events or AfterBytes bytes; with neither, in the middle. MidEvent cuts
// half way into the event that follows. An answer that is not streamed counts as one event.
type Fault struct {
	Kind        string `json:"kind"`
	AfterEvents *int   `json:"after_events,omitempty"`
	AfterBytes  *int   `json:"after_bytes,omitempty"`
	MidEvent    bool   `json:"mid_event,omitempty"`
}

// Duration is a time.Duration written as "1.5s" or "200ms".
type Duration time.Duration

// UnmarshalJSON reads a text such as "1m30s".
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("a duration is a text such as \"1.5s\": %w", err)
	}
	value, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("duration: %w", err)
	}
	*d = Duration(value)
	return nil
}

// MarshalJSON writes the text that UnmarshalJSON reads.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}
