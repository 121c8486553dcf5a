package run

import (
	"encoding/json"
	"time"
)

// The bodies of the rows of a workflow document's nodes have a Node: the execution path of the node they belong to (""
// for an agent's run).

// UserMessage is the body of a RowUserMessage. Files are the run's files as named when the message was sent.
type UserMessage struct {
	Content string   `json:"content"`
	Files   []string `json:"files,omitempty"`
	// Origin says who sent it: "user", or "server" for words the server adds on its own (a correction of an output).
	Origin string `json:"origin,omitempty"`
}

// RequestStarted is the body of a RowRequestStarted: the begin of one attempt at one model request.
type RequestStarted struct {
	Node string `json:"node,omitempty"`
	// Request names the model request in the run; its attempts share it.
	Request string `json:"request"`
	Attempt int    `json:"attempt"`
	Turn    int    `json:"turn"`
	Model   string `json:"model"`
	Effort  string `json:"effort,omitempty"`
	// HeldUSD is the most this attempt can cost; it counts against the cap until the attempt ends.
	HeldUSD USD `json:"held_usd"`
	// OutputCeiling is the most output tokens the attempt may take (0: the model takes no limit).
	OutputCeiling int64 `json:"output_ceiling,omitempty"`
	// Limited says the ceiling was lowered to what the cap still buys.
	Limited bool `json:"limited,omitempty"`
	// CapRefused says the attempt was not sent, because the cap does not buy its least.
	CapRefused bool `json:"cap_refused,omitempty"`
	// Impossible says why no cap fixes the refusal.
	Impossible string `json:"impossible,omitempty"`
	// NeedsUSD is the request's least and SuggestedCapUSD a cap that buys its worst, where the cap refused it.
	NeedsUSD        *USD   `json:"needs_usd,omitempty"`
	SuggestedCapUSD *USD   `json:"suggested_cap_usd,omitempty"`
	Lane            string `json:"lane,omitempty"`
	// Purpose is empty for a turn of the conversation, "compaction" for a summary of it.
	Purpose string `json:"purpose,omitempty"`
}

// RequestPrivate is the private part of a RowRequestStarted.
type RequestPrivate struct {
	// Through is the seq of the last row the request's messages were built from.
	Through int64 `json:"through"`
	// Digest is the SHA-256 (hex) of what was sent, its output ceiling left out: the same request has the same digest.
	Digest string `json:"digest,omitempty"`
	// Asked stands for what a node's session was asked, where a command-line agent put the request in words of its own.
	Asked string `json:"asked,omitempty"`
}

// RequestEnded is the body of a RowRequestEnded. HeldUSD is what the attempt held; it is released, and where the spend
// is not known (UnknownSpend) it goes on counting against the cap.
type RequestEnded struct {
	Node         string  `json:"node,omitempty"`
	Request      string  `json:"request"`
	Attempt      int     `json:"attempt"`
	HeldUSD      USD     `json:"held_usd"`
	CostUSD      *USD    `json:"cost_usd,omitempty"`
	UnknownSpend bool    `json:"unknown_spend,omitempty"`
	Unsent       bool    `json:"unsent,omitempty"`
	Error        *Reason `json:"error,omitempty"`
	// Final says that no further attempt follows: the request failed, or a person stopped it.
	Final      bool  `json:"final,omitempty"`
	DurationMS int64 `json:"duration_ms,omitempty"`
}

// Codes of RequestEnded.Error that the server itself gives.
const (
	// EndedStopped and EndedCancelled: a person cut the attempt.
	EndedStopped   = "stopped"
	EndedCancelled = "cancelled"
	// EndedInterrupted: the process that sent the attempt went before it ended.
	EndedInterrupted = "interrupted"
	// EndedTooLong: the request is longer than the model's context window (package models' own code).
	EndedTooLong = "context_length_exceeded"
)

// Reason is why an attempt or a tool call did not succeed. Message is readable and holds no secret.
type Reason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Status  int    `json:"status,omitempty"`
}

// UsageRow is the body of a RowUsage: what one answered request used and cost (CostUSD nil: the model has no price).
type UsageRow struct {
	Node    string `json:"node,omitempty"`
	Request string `json:"request"`
	Model   string `json:"model"`
	Usage
	CostUSD *USD `json:"cost_usd"`
}

// Answer is the body of a RowAnswer: what the model said. Truncated: cut at its output limit. Final: the run's answer.
type Answer struct {
	Node      string          `json:"node,omitempty"`
	Request   string          `json:"request"`
	Text      string          `json:"text"`
	Output    json.RawMessage `json:"output,omitempty"`
	ToolCalls int             `json:"tool_calls,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
	Refusal   string          `json:"refusal,omitempty"`
	// Invalid says why the text is not the typed output that was asked for.
	Invalid string `json:"invalid,omitempty"`
}

// AnswerPrivate is the private part of a RowAnswer: the provider's own items, replayed to it as they were.
type AnswerPrivate struct {
	API    string          `json:"api"`
	Native json.RawMessage `json:"native"`
}

// Replay says what may be done with a tool call that a crash cut (design §2).
type Replay string

// ReplaySafe calls may run again; ReplayNever calls are proved or answered interrupted.
const (
	ReplaySafe  Replay = "safe"
	ReplayNever Replay = "never"
)

// ToolUse is the body of a RowToolUse: a call the model asked for. It is the begin of calls whose effect can be proved
// or repeated; any other call has a RowToolStarted of its own just before it acts.
type ToolUse struct {
	Node    string          `json:"node,omitempty"`
	Request string          `json:"request"`
	CallID  string          `json:"call_id"`
	Name    string          `json:"name"`
	Args    json.RawMessage `json:"args"`
	Replay  Replay          `json:"replay"`
}

// ToolProof is the private part of a RowToolUse that changes one file: the digests (SHA-256 hex, "" for no file) before
// and after, by which a later process tells whether it happened. Size (bytes) and Mode (permission bits) are the file's
// after.
type ToolProof struct {
	Path   string `json:"path"`
	Before string `json:"before"`
	After  string `json:"after"`
	Size   int64  `json:"size,omitempty"`
	Mode   uint32 `json:"mode,omitempty"`
	// Refusal is the answer to a call that was seen to fail, and so changes nothing.
	Refusal string `json:"refusal,omitempty"`
}

// ToolResult is the body of a RowToolResult. Interrupted: the call was cut and its effect is not known.
type ToolResult struct {
	Node        string      `json:"node,omitempty"`
	CallID      string      `json:"call_id"`
	Name        string      `json:"name"`
	OK          bool        `json:"ok"`
	Content     string      `json:"content"`
	Interrupted bool        `json:"interrupted,omitempty"`
	Proved      bool        `json:"proved,omitempty"`
	File        *FileChange `json:"file,omitempty"`
	DurationMS  int64       `json:"duration_ms,omitempty"`
}

// FileChange is a file a tool wrote, as it was right after.
type FileChange struct {
	Path   string `json:"path"`
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
	Mode   uint32 `json:"mode"`
}

// SpendCap is the body of a RowSpendCap: the cap does not buy the next request's least.
type SpendCap struct {
	Node            string `json:"node,omitempty"`
	Request         string `json:"request"`
	CapUSD          USD    `json:"cap_usd"`
	SpentUSD        USD    `json:"spent_usd"`
	NeedsUSD        USD    `json:"needs_usd"`
	SuggestedCapUSD USD    `json:"suggested_cap_usd"`
}

// StatusChange is the body of a RowStatus. The store sets the run's row from it in the same transaction.
type StatusChange struct {
	Status  Status   `json:"status"`
	State   State    `json:"state"`
	Reason  string   `json:"reason,omitempty"`
	Pending *Pending `json:"pending,omitempty"`
	Result  *Result  `json:"result,omitempty"`
	Error   *Failure `json:"error,omitempty"`
	Epoch   int64    `json:"epoch,omitempty"`
}

// CapChange is the body of a RowCapChanged; a nil CapUSD takes the cap away.
type CapChange struct {
	CapUSD *USD `json:"cap_usd"`
}

// Compaction is the body of a RowCompaction: from here on the conversation starts with Summary, followed by what was
// said from row KeepFrom on.
type Compaction struct {
	Node     string `json:"node,omitempty"`
	Request  string `json:"request"`
	Summary  string `json:"summary"`
	KeepFrom int64  `json:"keep_from"`
}

// Warning is the body of a RowWarning.
type Warning struct {
	Node    string `json:"node,omitempty"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// NodeEvent is the body of the rows that say what a workflow document did at a node (language.md §5): node_started,
// node_ended, route_chosen and the like. Detail is the event's own.
type NodeEvent struct {
	Node   string          `json:"node"`
	Label  string          `json:"label,omitempty"`
	Kind   string          `json:"kind,omitempty"`
	Event  string          `json:"event"`
	Detail json.RawMessage `json:"detail,omitempty"`
}

// Reviewed is the body of a RowReviewed: a judge's view of a draft of a node's session. Feedback is what the session is
// told; "" where it is told nothing, because the draft was accepted or no further one is asked for.
type Reviewed struct {
	Node     string   `json:"node"`
	Drive    int      `json:"drive"`
	Doubted  []string `json:"doubted,omitempty"`
	Unmet    []string `json:"unmet,omitempty"`
	Accepted bool     `json:"accepted"`
	Feedback string   `json:"feedback,omitempty"`
}

// EffectOutcome is the private part of a RowToolResult of a document's call: what the call's retries and its result are
// decided by. Result is JSON; Class, Code and Interruption are the language's (language.md §3.16).
type EffectOutcome struct {
	Result       json.RawMessage `json:"result,omitempty"`
	Failed       bool            `json:"failed,omitempty"`
	Message      string          `json:"message,omitempty"`
	Class        string          `json:"class,omitempty"`
	Code         string          `json:"code,omitempty"`
	Interruption string          `json:"interruption,omitempty"`
	Detail       json.RawMessage `json:"detail,omitempty"`
	Late         json.RawMessage `json:"late,omitempty"`
	BeganAt      time.Time       `json:"began_at"`
	EndedAt      time.Time       `json:"ended_at"`
}

// WaitStarted is the body of a RowWaitStarted: a document waits until a moment, however often it is interrupted.
type WaitStarted struct {
	Node   string    `json:"node"`
	Reason string    `json:"reason"`
	Until  time.Time `json:"until"`
}
