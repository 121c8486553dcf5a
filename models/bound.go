package models

import (
	"encoding/json"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// Tokens that a provider adds to what it is sent: a hidden prompt of its own, the marks around a message, a call and a
// tool, and the prompts with which it teaches a model to use tools or to keep to a schema. They are at least twice what
// was seen in recorded requests to ten providers; testdata/usage.json has the worst of them.
const (
	requestTokens    = 128
	messageTokens    = 12
	callTokens       = 16
	toolTokens       = 32
	toolPrompt       = 320
	claudeToolPrompt = 1024
	outputPrompt     = 512
)

// What a judge adds: a prompt of its own, and marks around every question, option and level. They are at least twice what
// a published measurement of 3,455 billed requests found: 261 tokens, and 8 at each.
const (
	judgePrompt = 512
	judgeMark   = 16
)

// InputBound is an upper bound of the tokens a provider counts for a request. Tokenizers in use split text into pieces
// of at least one byte, so a text has at most as many tokens as bytes; JSON that the provider may write anew counts what
// the writing may add; and the marks around each part count as above. It costs one walk over the JSON parts and reads
// none of the text.
func InputBound(r Request) int64 {
	if r.Wire != nil {
		return wireBound(r)
	}
	tokens := requestTokens + len(r.Instructions) + jsonTokens(r.Output)
	for _, tool := range r.Tools {
		tokens += toolTokens + len(tool.Name) + len(tool.Description) + jsonTokens(tool.Schema)
	}
	tokens += toolsPrompt(r.Model, len(r.Tools))
	if len(r.Output) > 0 {
		tokens += outputPrompt
	}
	total := int64(tokens)
	for i := range r.Messages {
		total += messageBound(&r.Messages[i], r.Model.API)
		if r.Model.API == APIJev {
			total += judgmentBound(r.Messages[i].Text)
		}
	}
	return total
}

// toolsPrompt bounds the prompt that teaches a model to use so many tools.
func toolsPrompt(m run.Model, tools int) int {
	switch {
	case tools == 0:
		return 0
	case m.API == APIMessages || strings.Contains(strings.ToLower(m.Name), "claude"):
		return claudeToolPrompt
	default:
		return toolPrompt
	}
}

// wireBound is the bound of a request that is known by its size. The names and brackets that JSON puts around a message
// and a call are longer than the marks a provider counts there; writing all of it anew with a space after each comma and
// colon adds half at most.
func wireBound(r Request) int64 {
	tools := r.Wire.Tools
	return requestTokens + outputPrompt + int64(toolsPrompt(r.Model, tools)+toolTokens*tools) + r.Wire.Size + r.Wire.Size/2
}

// judgmentBound is what a judge's message may count beyond its bytes: it is JSON, and each of its brackets and commas
// may stand before a question, an option or a level.
func judgmentBound(text string) int64 {
	marks := strings.Count(text, ",") + strings.Count(text, "{") + strings.Count(text, "[")
	return int64(judgePrompt + judgeMark*marks + jsonTokens(json.RawMessage(text)) - len(text))
}

// messageBound is the bound of one message. A native message counts what it visibly says and the reasoning the provider
// counted in it; where that is not known, its whole size.
func messageBound(m *Message, api string) int64 {
	tokens := messageTokens + len(m.Text) + len(m.CallID)
	for _, call := range m.Calls {
		tokens += callTokens + len(call.ID) + len(call.Name) + jsonTokens(call.Args)
	}
	if m.NativeAPI != api || len(m.Native) == 0 {
		return int64(tokens)
	}
	if m.ReasoningTokens > 0 {
		return int64(tokens) + messageTokens + m.ReasoningTokens
	}
	return int64(max(tokens, messageTokens+len(m.Native)))
}

// jsonTokens bounds the tokens of JSON, which a provider may write anew with a space after each comma and colon and with
// \u escapes (six bytes, at most three for each of two).
func jsonTokens(data json.RawMessage) int {
	tokens := len(data)
	for _, c := range data {
		switch {
		case c >= 0x80:
			tokens += 2
		case c == ',' || c == ':':
			tokens++
		}
	}
	return tokens
}
