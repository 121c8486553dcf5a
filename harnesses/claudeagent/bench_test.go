package claudeagent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// longBody is a request on a conversation of so many turns, each a thought, a call and its result.
func longBody(turns int) []byte {
	text := strings.Repeat("A line of a file, with \"quotes\" and a tab\t.\n", 40)
	messages := []message{{Role: user, Content: []block{textBlock("Do it.")}}}
	for i := range turns {
		id := fmt.Sprintf("toolu_%d", i)
		call := block{"type": encoded("tool_use"), "id": encoded(id), "name": encoded(toolPrefix + "read"), "input": encoded(map[string]string{"path": id})}
		result := block{"type": encoded("tool_result"), "tool_use_id": encoded(id), "content": encoded([]block{textBlock(text)})}
		messages = append(messages,
			message{Role: assistant, Content: []block{textBlock("I read on."), call}}, message{Role: user, Content: []block{result}})
	}
	return encoded(map[string]any{
		"model": "m", "max_tokens": 32000, "stream": true, "messages": messages,
		"system": []block{textBlock("Be good.")}, "tools": []block{{"name": json.RawMessage(`"mcp__host__read"`)}},
	})
}

// BenchmarkRead reads a request and writes what is sent on, as for each turn of a session.
func BenchmarkRead(b *testing.B) {
	for _, turns := range []int{6, 60, 240} {
		body := longBody(turns)
		b.Run(fmt.Sprintf("%d_KB", len(body)>>10), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			p := testProtocol()
			for b.Loop() {
				ask, _, err := p.Read(body, http.Header{})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := ask.Wire.Body(1000); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
