package faux

import "time"

// Outcome is how a request ended.
type Outcome string

// The outcomes. Only a Completed request was answered whole.
const (
	// Open: the answer is under way, or held back.
	Open Outcome = "open"
	// Completed: the whole answer was sent.
	Completed Outcome = "completed"
	// Cut: a fault of the script broke the answer.
	Cut Outcome = "cut"
	// ClientGone: the client closed the connection before the answer was whole.
	ClientGone Outcome = "client_gone"
	// Stopped: the gateway was stopped before the answer was whole.
	Stopped Outcome = "stopped"
	// Refused: the request got an error, the script's or the gateway's own.
	Refused Outcome = "error"
)

// Record is one request as the book keeps it.
type Record struct {
	// N counts the gateway's requests from 1.
	N        int64     `json:"n"`
	At       time.Time `json:"at"`
	Protocol Protocol  `json:"protocol"`
	Model    string    `json:"model"`
	Stream   bool      `json:"stream,omitempty"`
	// Digest is the SHA-256 (hex) of what was asked: protocol, model, system text, messages and tools. Limits, effort,
	// metadata and the like are left out. Attempt counts the requests with this digest from 1.
	Digest  string `json:"digest"`
	Attempt int64  `json:"attempt"`
	// Conversation is the key the client gave (prompt_cache_key, or metadata), else made of the system text and the first
	// user message. ConversationRequest counts its requests from 1.
	Conversation        string `json:"conversation"`
	ConversationRequest int64  `json:"conversation_request"`
	// Turn counts the assistant's messages before this request, Step those since the last user message.
	Turn int64 `json:"turn"`
	Step int64 `json:"step"`
	// User is the beginning of the last user message.
	User string `json:"user"`
	// OutputLimit is the most output tokens asked for (0: not said).
	OutputLimit int64 `json:"output_limit,omitempty"`
	// Rule is the name of the rule that answered; empty where none did.
	Rule    string  `json:"rule"`
	Status  int     `json:"status,omitempty"`
	Outcome Outcome `json:"outcome"`
	// Usage is what the answer reported, or would have had it not been cut.
	Usage *Usage `json:"usage,omitempty"`
	// Error is why the gateway refused the request.
	Error      string  `json:"error,omitempty"`
	DurationMS float64 `json:"duration_ms"`
}

// Repeat is a request that was answered whole more than once.
type Repeat struct {
	Conversation string `json:"conversation"`
	Digest       string `json:"digest"`
	// Requests are the numbers of the records.
	Requests []int64 `json:"requests"`
}

// repeats finds what was answered whole more than once in one conversation, in the order of the first answers.
func repeats(records []Record) []Repeat {
	type asked struct{ conversation, digest string }
	answered := map[asked][]int64{}
	var order []asked
	for _, record := range records {
		if record.Outcome != Completed {
			continue
		}
		key := asked{record.Conversation, record.Digest}
		if answered[key] == nil {
			order = append(order, key)
		}
		answered[key] = append(answered[key], record.N)
	}
	found := []Repeat{}
	for _, key := range order {
		if len(answered[key]) > 1 {
			found = append(found, Repeat{Conversation: key.conversation, Digest: key.digest, Requests: answered[key]})
		}
	}
	return found
}
