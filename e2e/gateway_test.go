package e2e

import (
	"net/http/httptest"
	"testing"

	"github.com/agentrun/agentrun/models/faux"
)

// gateway is the scripted model inside the test's process: what it was asked survives any crash of the server.
type gateway struct {
	*faux.Gateway
	url string
}

func newGateway(t *testing.T, script string) *gateway {
	t.Helper()
	parsed, err := faux.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	g, err := faux.New(parsed, faux.Options{})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(g)
	t.Cleanup(listener.Close)
	return &gateway{g, listener.URL}
}

// env points a server at the gateway.
func (g *gateway) env() []string {
	return []string{
		"AGENT_MODEL_BASE_URL=" + g.url + "/v1", "AGENT_MODEL_API_KEY=sk-test-0123456789abcdef", "AGENT_MODEL=faux-1",
	}
}

// asked counts the requests of a run by turn: a run's id is its conversation's key.
func (g *gateway) asked(runID string) map[int64]int {
	counts := map[int64]int{}
	for _, record := range g.Requests() {
		if record.Conversation == runID {
			counts[record.Turn]++
		}
	}
	return counts
}

// sixSteps is a script of a run with two writes in one turn, then a write and a read, then an edit, then its answer.
const sixSteps = `
models:
  - {id: faux-1, context_window: 200000, max_output: 1000, prices: {input: 1, output: 2}}
rules:
  - name: six-steps
    when: {user: Go.}
    replies:
      - delay: 30ms
        tool_calls:
          - {name: write, args: {path: a.txt, content: alpha}}
          - {name: write, args: {path: b.txt, content: beta}}
      - delay: 30ms
        tool_calls:
          - {name: write, args: {path: c.txt, content: gamma}}
          - {name: read, args: {path: a.txt}}
      - delay: 30ms
        tool_calls:
          - {name: edit, args: {path: a.txt, edits: [{oldText: alpha, newText: ALPHA}]}}
      - {delay: 30ms, text: Done.}
`
