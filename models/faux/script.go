package faux

import (
	"encoding/json"

	"github.com/agentrun/agentrun/run"
)

// Script maps conversations to answers. It is written as JSON or YAML (schema.json) and read by Parse or Load; a script
// made in Go is checked by New.
type Script struct {
	// Models are the models the gateway lists; the first is the default. A request may name any other model too, unless
	// StrictModels is set.
	Models       []Model `json:"models,omitempty"`
	StrictModels bool    `json:"strict_models,omitempty"`
	// Extends names a ready script whose rules follow this script's own, and whose models serve where Models is empty.
	Extends string `json:"extends,omitempty"`
	// Usage is what a reply reports that gives no usage of its own.
	Usage *Usage `json:"usage,omitempty"`
	// Rules are tried in order; the first that matches a request answers it.
	Rules []Rule `json:"rules,omitempty"`
}

// Model is a model the gateway lists. Limits are tokens.
type Model struct {
	ID            string   `json:"id"`
	API           string   `json:"api,omitempty"`
	ContextWindow int64    `json:"context_window,omitempty"`
	MaxOutput     int64    `json:"max_output,omitempty"`
	MinOutput     int64    `json:"min_output,omitempty"`
	NoOutputLimit bool     `json:"no_output_limit,omitempty"`
	Reasoning     bool     `json:"reasoning,omitempty"`
	Efforts       []string `json:"efforts,omitempty"`
	// Prices is nil for a model whose price nobody knows.
	Prices *Prices `json:"prices,omitempty"`
}

// Prices are what a model charges, in USD per million tokens, with at most six decimals.
type Prices struct {
	Input      run.USD `json:"input"`
	CacheRead  run.USD `json:"cache_read,omitempty"`
	CacheWrite run.USD `json:"cache_write,omitempty"`
	Output     run.USD `json:"output"`
}

// Rule answers the requests it matches. Exactly one of Reply and Replies is set. Replies answer one after the other
// within one turn of the user: the first answers the user's message, the second the results of the first's tool calls,
// and so on; past the last one the rule does not match.
type Rule struct {
	Name    string  `json:"name,omitempty"`
	When    When    `json:"when,omitzero"`
	Reply   *Reply  `json:"reply,omitempty"`
	Replies []Reply `json:"replies,omitempty"`
	// Times is how often the rule may be used before it no longer matches (0: without end).
	Times int64 `json:"times,omitempty"`
}

// When says which requests a rule matches: those that fulfil every condition given. Regexps are RE2, unanchored.
type When struct {
	// User is the whole text of the last user message, UserMatches a regexp on it. With a single reply they match only
	// while that message is the one being answered, unless Step, Last or ToolResult says otherwise.
	User        string `json:"user,omitempty"`
	UserMatches string `json:"user_matches,omitempty"`
	// FirstUser and FirstUserMatches look at the message the conversation began with.
	FirstUser        string `json:"first_user,omitempty"`
	FirstUserMatches string `json:"first_user_matches,omitempty"`
	SystemMatches    string `json:"system_matches,omitempty"`
	// BodyMatches is a regexp on the whole request body as it was sent.
	BodyMatches string `json:"body_matches,omitempty"`
	// ToolResult matches where one of the tool results being answered does.
	ToolResult *ToolResult `json:"tool_result,omitempty"`
	// Last is "user" or "tool": what the request ends with.
	Last string `json:"last,omitempty"`
	// Turn counts the assistant's messages so far, Step those since the last user message.
	Turn *Range `json:"turn,omitempty"`
	Step *Range `json:"step,omitempty"`
	// Request counts the gateway's requests, ConversationRequest those of the conversation, Attempt those with the same
	// digest. This one is counted in: the first is 1.
	Request             *Range `json:"request,omitempty"`
	ConversationRequest *Range `json:"conversation_request,omitempty"`
	Attempt             *Range `json:"attempt,omitempty"`
	// OutputLimit is the most output tokens the request asks for (0: it does not say).
	OutputLimit *Range `json:"output_limit,omitempty"`
	Model       string `json:"model,omitempty"`
	Protocol    string `json:"protocol,omitempty"`
	Effort      string `json:"effort,omitempty"`
	// HasTool is the name of a tool the request offers.
	HasTool string `json:"has_tool,omitempty"`
	// WantsOutput: the request asks for structured output, or does not.
	WantsOutput *bool `json:"wants_output,omitempty"`
	// Stream: the request asks for a stream, or does not.
	Stream *bool `json:"stream,omitempty"`
}

// ToolResult is a condition on a tool result.
type ToolResult struct {
	Name    string `json:"name,omitempty"`
	Matches string `json:"matches,omitempty"`
	IsError *bool  `json:"is_error,omitempty"`
}

// ToolCall is a call the answer asks for. Args is any JSON value whose strings may hold placeholders. ArgsText, instead
// of it, is sent as it is, valid JSON or not. ID is made where it is empty.
type ToolCall struct {
	Name     string          `json:"name"`
	Args     json.RawMessage `json:"args,omitempty"`
	ArgsText string          `json:"args_text,omitempty"`
	ID       string          `json:"id,omitempty"`
}
