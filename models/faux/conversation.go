package faux

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tidwall/gjson"
)

// Protocol is one of the three the gateway speaks.
type Protocol string

// The protocols.
const (
	Responses Protocol = "responses"
	Chat      Protocol = "chat"
	Messages  Protocol = "messages"
)

// conversation is a request as rules see it, whatever its protocol.
type conversation struct {
	protocol Protocol
	model    string
	body     string

	system    string
	firstUser string
	lastUser  string
	// turn counts the assistant's messages, step those since the last user message.
	turn, step int64
	// results are the tool results that nothing of the assistant follows.
	results []toolResult
	// fromUser: the last message is the user's.
	fromUser bool

	tools       []offeredTool
	wantsOutput bool
	effort      string
	// outputLimit is the most output tokens asked for (0: not said).
	outputLimit int64

	stream bool
	// includeUsage: a chat stream reports its usage. encrypted: reasoning items carry encrypted content. thinking: the
	// client takes thinking blocks.
	includeUsage, encrypted, thinking bool

	// key names the conversation; digest is the SHA-256 (hex) of what is asked: model, system text, messages and tools.
	key, digest string

	// open are the calls that no result has answered yet, in the order they were asked for.
	open []toolResult
	// names are the names of all calls by their ids.
	names map[string]string
	// assistant: the last item read is the assistant's.
	assistant bool
}

type toolResult struct {
	id, name, text string
	failed         bool
}

// badRequest is a fault of a request, told in the protocol's own shape.
type badRequest struct {
	message, param string
}

func (b *badRequest) Error() string { return b.message }

// addUser notes a text of the user. What a program puts beside the user's words (notes.go) is left out.
func (c *conversation) addUser(text string) {
	text = strings.TrimSpace(text)
	if text == "" || isNote(text) {
		return
	}
	c.assistant = false
	if c.firstUser == "" {
		c.firstUser = text
	}
	c.lastUser, c.fromUser = text, true
	c.step = 0
}

// addSystem notes a text of the system or the developer.
func (c *conversation) addSystem(text string) {
	if c.system != "" && text != "" {
		c.system += "\n"
	}
	c.system += text
}

// addAssistant notes an item of the assistant; items next to each other are one message.
func (c *conversation) addAssistant() {
	if !c.assistant {
		c.turn++
		c.step++
	}
	c.assistant, c.fromUser = true, false
	c.results = nil
}

// addCall notes a tool call of the assistant.
func (c *conversation) addCall(id, name string) {
	if c.names == nil {
		c.names = map[string]string{}
	}
	c.names[id] = name
	c.open = append(c.open, toolResult{id: id, name: name})
}

// addResult notes the result of a call; it must answer an open one.
func (c *conversation) addResult(id, text string, failed bool) *badRequest {
	for i, call := range c.open {
		if call.id == id {
			c.open = append(c.open[:i:i], c.open[i+1:]...)
			c.results = append(c.results, toolResult{id: id, name: call.name, text: text, failed: failed})
			c.assistant, c.fromUser = false, false
			return nil
		}
	}
	if _, known := c.names[id]; known {
		return &badRequest{message: "the tool call " + quoted(id) + " has more than one result"}
	}
	return &badRequest{message: "there is a result for the tool call " + quoted(id) + ", which the conversation does not have"}
}

// allAnswered is nil unless a call still waits for its result.
func (c *conversation) allAnswered() *badRequest {
	if len(c.open) == 0 {
		return nil
	}
	return &badRequest{message: "the tool call " + quoted(c.open[0].id) + " (" + c.open[0].name + ") has no result"}
}

// identify sets the conversation's digest and key. Asked are the parts of the request that say what is asked; given is a
// key the client gave.
func (c *conversation) identify(given string, asked ...gjson.Result) {
	hash := sha256.New()
	hash.Write([]byte(string(c.protocol) + "\n" + c.model + "\n"))
	for _, one := range asked {
		hash.Write([]byte(one.Raw))
		hash.Write([]byte{'\n'})
	}
	var sum [sha256.Size]byte
	c.digest = hex.EncodeToString(hash.Sum(sum[:0]))
	if given != "" {
		c.key = excerpt(given, 200)
		return
	}
	first := sha256.Sum256([]byte(c.system + "\x00" + c.firstUser))
	c.key = "first:" + hex.EncodeToString(first[:8])
}

func quoted(s string) string { return `"` + excerpt(s, 80) + `"` }
