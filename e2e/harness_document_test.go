package e2e

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// TestADocumentRunsOnAHarness: each conversation of a document's nodes is a session of the program's own, and what comes
// out is what the server's own loop gives.
func TestADocumentRunsOnAHarness(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("testdata/every-kind.json")
	if err != nil {
		t.Fatal(err)
	}
	onEach(t, func(t *testing.T, c commandLine) {
		script := strings.NewReplacer("^Count", "(?m)^Count", "^Draft", "(?m)^Draft").Replace(everyScript)
		g := newGateway(t, script)
		s := startOn(t, c, g, setup{}, "")
		input := []byte(`{"notes":["one","two","three"]}`)
		s.workflow("own", document)
		calm := s.completes(s.give("own", input, nil))
		if _, err := s.client.CreateAgent(t.Context(), map[string]any{
			"id": "every", "name": "every", "tools": []string{"read", "write"}, "harness": c.harness, "model": c.model,
			"workflow": json.RawMessage(document), "max_steps": 10_000,
		}); err != nil {
			t.Fatal(err)
		}
		r := s.completes(s.give("every", input, nil))
		if string(r.Result.Output) != string(calm.Result.Output) || r.Usage.Requests != calm.Usage.Requests {
			t.Errorf("output %s, usage %+v; the server's own loop gives %s, %+v", r.Result.Output, r.Usage, calm.Result.Output, calm.Usage)
		}
		if len(s.rows(r.ID, run.RowHarnessStarted)) == 0 {
			t.Error("no session was started")
		}
		s.noneLeft(r.ID)
	})
}
