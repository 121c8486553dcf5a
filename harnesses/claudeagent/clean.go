package claudeagent

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// What the program itself puts into a conversation.
const (
	// standInAnswer is what it makes the model say where a conversation that ends with results goes on with a prompt.
	standInAnswer = "No response requested."
	// emptyAnswer is what it makes of an answer without content, and what it is given in place of one (protocol.Answer).
	emptyAnswer = "(no content)"
)

// cleaner takes out of a request's conversation what the program put there, and puts back what the journal has.
type cleaner struct {
	box  toolbox
	book *ledger
	// marker is the prompt that stands for none: it makes the program go on in the middle of a turn.
	marker string
	// gap is how many answers come before the program's stand-in answer; -1: there is none.
	gap int
}

// clean is the conversation as the journal knows it.
func (c cleaner) clean(messages []message) []message {
	var out []message
	for _, m := range messages {
		breakpoint := takeBreakpoint(m.Content)
		switch m.Role {
		case user:
			m.Content = c.people(m.Content)
		case assistant:
			m.Content = c.answer(m.Content, out)
		}
		switch last := len(out) - 1; {
		case len(m.Content) == 0:
		case last >= 0 && out[last].Role == m.Role:
			out[last].Content = slices.Concat(out[last].Content, m.Content)
		default:
			out = append(out, m)
		}
		if breakpoint != nil && len(out) > 0 {
			putBreakpoint(out[len(out)-1].Content, breakpoint)
		}
	}
	for i := 1; i < len(out); i++ {
		if out[i].Role == user && out[i-1].Role == assistant {
			c.settle(out[i].Content, out[i-1].Content)
		}
	}
	return out
}

// people are the blocks of a user's message without the marker.
func (c cleaner) people(blocks []block) []block {
	var out []block
	for _, b := range blocks {
		if b.text("type") == "text" {
			text := b.text("text")
			if c.marker != "" && strings.TrimSpace(text) == c.marker {
				continue
			}
			if plain := unguarded(text); plain != text {
				b.set("text", plain)
			}
		}
		out = append(out, b)
	}
	return out
}

// answer are the blocks of an answer of the model's, nil for one that is the program's own or says nothing.
func (c cleaner) answer(blocks []block, before []message) []block {
	says := false
	for _, b := range blocks {
		switch b.text("type") {
		case "text":
			text := b.text("text")
			standIn := text == standInAnswer && len(blocks) == 1 && answers(before) == c.gap
			says = says || strings.TrimSpace(text) != "" && text != emptyAnswer && !standIn
		case "tool_use":
			says = true
			if b.text("name") != toolPrefix+c.box.unlisted {
				continue
			}
			if name := c.book.name(b.text("id")); name != "" {
				b.set("name", name)
			}
		}
	}
	if !says {
		return nil
	}
	return blocks
}

// settle puts results into the order of their calls and gives them the words of the host. What is no result of these
// calls stays behind them.
func (c cleaner) settle(results, calls []block) {
	order := map[string]int{}
	for _, b := range calls {
		if b.text("type") == "tool_use" {
			order[b.text("id")] = len(order) - len(calls)
		}
	}
	breakpoint := takeBreakpoint(results)
	for _, b := range results {
		if b.text("type") != "tool_result" {
			continue
		}
		if result, ok := c.book.result(b.text("tool_use_id")); ok {
			setResult(b, result.Text, result.IsError)
		}
	}
	slices.SortStableFunc(results, func(x, y block) int {
		return cmp.Compare(order[x.text("tool_use_id")], order[y.text("tool_use_id")])
	})
	putBreakpoint(results, breakpoint)
}

// takeBreakpoint removes the cache breakpoint of a message's blocks, nil for none.
func takeBreakpoint(blocks []block) json.RawMessage {
	var found json.RawMessage
	for _, b := range blocks {
		if mark, ok := b["cache_control"]; ok {
			found = mark
			delete(b, "cache_control")
		}
	}
	return found
}

// putBreakpoint sets the cache breakpoint at the end of a message.
func putBreakpoint(blocks []block, mark json.RawMessage) {
	if mark == nil || len(blocks) == 0 {
		return
	}
	if last := blocks[len(blocks)-1]; !strings.Contains(last.text("type"), "thinking") {
		last["cache_control"] = mark
	}
}
