package models

import (
	"encoding/json"

	"github.com/agentrun/agentrun/run"
)

// The protocols of run.Model.API.
const (
	APIResponses = "responses"
	APIMessages  = "messages"
	APIChat      = "chat"
	// APIJev is TypeSafe's System One: a judge answers typed questions about a state. A request is one user message
	// whose text is the JSON object {"state": …, "questions": {…}}; the answer's text is the JSON object of the answers.
	APIJev = "jev"
)

// Role says whose words a message is.
type Role string

// The roles. RoleTool is the result of one tool call.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Request is one request to a model, in no provider's words. Its order is the order on the wire: instructions, tools,
// messages; a conversation that only appends messages keeps the provider's prompt cache.
type Request struct {
	Model run.Model
	// BaseURL is the provider's address up to and with its version ("https://api.openai.com/v1"); for Messages and
	// Jev the version is not part of it. APIKey is sent to it and never shown.
	BaseURL string
	APIKey  string

	Instructions string
	Messages     []Message
	Tools        []Tool
	// Effort is none, minimal, low, medium, high, xhigh or max; empty is the model's own default.
	Effort string
	// MaxOutput is the most output the request may take, reasoning included (tokens; 0: the model's ceiling).
	MaxOutput int64
	// Output is the JSON Schema of the answer's text; empty for free text.
	Output json.RawMessage
	// CacheKey names the conversation to providers that route by one, so that its prompt cache is found again.
	CacheKey string
	// Wire is set where another program wrote the request: it is what is sent, and takes the place of all that says
	// what is asked. Only Responses and Messages models take one.
	Wire *Wire
}

// Message is one entry of a conversation. An assistant's message has Text, Calls or both; a tool's has CallID, Text and
// IsError.
type Message struct {
	Role  Role
	Text  string
	Calls []Call
	// Native is what the provider itself said, replayed to it as it was where NativeAPI is the request's protocol;
	// elsewhere the message is made again from Text and Calls.
	Native    json.RawMessage
	NativeAPI string
	// ReasoningTokens is what the provider counted of hidden reasoning in Native (run.Usage of the answer it was). It
	// tightens InputBound; 0 counts the reasoning by its size.
	ReasoningTokens int64
	CallID          string
	IsError         bool
}

// Call is a tool call the model asked for. Args is always valid JSON: arguments that were not are a JSON string of what
// came, so that the caller can tell the model.
type Call struct {
	ID   string
	Name string
	Args json.RawMessage
}

// Tool is a tool offered to the model. Schema is the JSON Schema of its arguments, an object.
type Tool struct {
	Name        string
	Description string
	Schema      json.RawMessage
}
