package journal

import (
	"encoding/json"

	"github.com/agentrun/agentrun/run"
)

// Roles of an Item.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Call is a tool call as the conversation holds it. Index is its place among the calls of its answer.
type Call struct {
	Index int
	ID    string
	Name  string
	Args  json.RawMessage
	Proof *run.ToolProof
	// Started says that an effect that cannot be proved may have begun.
	Started bool
	// Done says that the call has its result.
	Done bool
}

// Item is one message of the conversation, in the order the model is told it.
type Item struct {
	Seq  int64
	Role string
	Text string
	// Calls, Native and API are an assistant's: what it asked for, and its provider's own form of the answer.
	Calls  []Call
	Native json.RawMessage
	API    string
	// ReasoningTokens are those of an assistant's answer, which Native may carry encrypted.
	ReasoningTokens int64
	// CallID and IsError are a tool result's.
	CallID  string
	IsError bool
}

// conversation folds rows into messages. Messages of people wait in queued until the request that carries them begins.
type conversation struct {
	items  []Item
	queued []Item
	// turn is the last answer, whose calls are being answered; results come back in call order.
	calls     []Call
	results   []Item
	answerSeq int64
	// reasoning are the reasoning tokens of the last usage row, which comes right before its answer.
	reasoning int64
}

func (c *conversation) userMessage(seq int64, text string) {
	c.queued = append(c.queued, Item{Seq: seq, Role: RoleUser, Text: text})
}

// began moves the queued messages that the request was built from into the conversation.
func (c *conversation) began(through int64) {
	kept := c.queued[:0:0]
	for _, item := range c.queued {
		if item.Seq <= through {
			c.items = append(c.items, item)
		} else {
			kept = append(kept, item)
		}
	}
	c.queued = kept
}

func (c *conversation) answered(seq int64, answer run.Answer, private run.AnswerPrivate) {
	c.items = append(c.items, Item{
		Seq: seq, Role: RoleAssistant, Text: answer.Text, Native: private.Native, API: private.API,
		ReasoningTokens: c.reasoning,
	})
	c.calls, c.results, c.answerSeq = nil, nil, seq
	if answer.Invalid != "" {
		c.items = append(c.items, Item{Seq: seq, Role: RoleUser, Text: correction(answer.Invalid)})
	}
}

// correction is what the model is told of an answer that is not the typed output.
func correction(why string) string {
	return "Your answer is not the JSON that was asked for: " + why +
		". Answer again with nothing but one JSON value that matches the schema."
}

func (c *conversation) asked(use run.ToolUse, proof *run.ToolProof) {
	call := Call{Index: len(c.calls), ID: use.CallID, Name: use.Name, Args: use.Args, Proof: proof}
	c.calls = append(c.calls, call)
	c.results = append(c.results, Item{})
	last := &c.items[len(c.items)-1]
	last.Calls = append(last.Calls, call)
}

func (c *conversation) started(callID string) {
	if call := c.open(callID); call != nil {
		call.Started = true
	}
}

// resulted takes a result under its answer's seq, so that a compaction never parts the two.
func (c *conversation) resulted(result run.ToolResult) {
	call := c.open(result.CallID)
	if call == nil {
		return
	}
	call.Done = true
	c.results[call.Index] = Item{
		Seq: c.answerSeq, Role: RoleTool, Text: result.Content, CallID: result.CallID, IsError: !result.OK,
	}
	if c.pending() == 0 {
		c.items = append(c.items, c.results...)
		c.results = nil
	}
}

// open is the first call with the id that has no result: providers may repeat an id.
func (c *conversation) open(callID string) *Call {
	for i := range c.calls {
		if c.calls[i].ID == callID && !c.calls[i].Done {
			return &c.calls[i]
		}
	}
	return nil
}

func (c *conversation) pending() int {
	n := 0
	for i := range c.calls {
		if !c.calls[i].Done {
			n++
		}
	}
	return n
}

// compacted replaces everything before keepFrom by the summary.
func (c *conversation) compacted(seq int64, compaction run.Compaction) {
	kept := []Item{{Seq: seq, Role: RoleUser, Text: "Summary of the conversation so far:\n\n" + compaction.Summary}}
	for _, item := range c.items {
		if item.Seq >= compaction.KeepFrom {
			kept = append(kept, item)
		}
	}
	c.items = kept
}
