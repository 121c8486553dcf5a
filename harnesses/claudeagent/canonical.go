package claudeagent

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strings"

	"github.com/agentrun/agentrun/models"
)

// canonical hashes what a request asks, texts with their lengths, so that no two lists of texts are one.
type canonical struct{ hash.Hash }

// digestOf is the digest of a request about a cleaned conversation. What differs between two sessions that ask the same is
// left out: the model's thinking, the program's reminders, cache breakpoints and everything it says of itself.
func digestOf(instructions string, tools []models.Tool, conversation []message) string {
	c := canonical{sha256.New()}
	c.add("claude-agent/1", instructions)
	c.count(len(tools))
	for _, tool := range tools {
		c.add(tool.Name, tool.Description, normal(tool.Schema))
	}
	role := ""
	for _, m := range conversation {
		if m.Role != user && m.Role != assistant {
			continue
		}
		for _, b := range m.Content {
			parts := meaning(m.Role, b)
			if parts == nil {
				continue
			}
			if m.Role != role {
				role = m.Role
				c.add(role)
			}
			c.count(len(parts))
			c.add(parts...)
		}
	}
	return hex.EncodeToString(c.Sum(nil))
}

// meaning is what a block says, nil for what is left out.
func meaning(role string, b block) []string {
	switch kind := b.text("type"); kind {
	case "text":
		// The program ends texts that follow one another with a line end.
		text := strings.TrimRight(b.text("text"), "\n")
		if strings.TrimSpace(text) == "" || role == user && reminder(text) {
			return nil
		}
		return []string{kind, text}
	case "tool_use":
		return []string{kind, b.text("id"), plain(b.text("name")), normal(b["input"])}
	case "tool_result":
		failed := ""
		if string(b["is_error"]) == "true" {
			failed = "error"
		}
		return append([]string{kind, b.text("tool_use_id"), failed}, resultTexts(b)...)
	case "thinking", "redacted_thinking":
		return nil
	default:
		whole := block{}
		for name, value := range b {
			if name != "cache_control" {
				whole[name] = value
			}
		}
		return []string{kind, normal(encoded(whole))}
	}
}

// resultTexts are the texts of a result, and other blocks of it whole.
func resultTexts(b block) []string {
	blocks, err := contentOf(b.field("content"))
	if err != nil {
		return []string{string(b["content"])}
	}
	var texts []string
	for _, part := range blocks {
		if part.text("type") != "text" {
			texts = append(texts, normal(encoded(part)))
		} else if text := part.text("text"); strings.TrimSpace(text) != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// normal is JSON with its keys sorted and without spaces; what is no JSON stays as it is.
func normal(data json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return string(data)
	}
	return string(encoded(value))
}

func (c canonical) count(n int) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(n))
	_, _ = c.Write(length[:])
}

func (c canonical) add(texts ...string) {
	for _, text := range texts {
		c.count(len(text))
		_, _ = c.Write([]byte(text))
	}
}
