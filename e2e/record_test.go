package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// TestRecordHistories writes the histories that workflows/replay_test.go replays. It runs where
// AGENTRUN_RECORD_HISTORIES names the folder to write to; see "Changing workflow code" in CONTRIBUTING.md.
func TestRecordHistories(t *testing.T) {
	folder := os.Getenv("AGENTRUN_RECORD_HISTORIES")
	if folder == "" {
		t.Skip("AGENTRUN_RECORD_HISTORIES names no folder to record into")
	}
	s := start(t, setup{flags: []string{"--faux", "output-priced"}})
	s.agent("a", nil)
	browser := s.browser()
	completed := s.ask("a", "Write two files.", "")
	s.completes(completed)
	s.record(browser, completed, folder, "completed")
	capped := s.ask("a", "What is six times seven?", "1")
	s.rests(capped)
	s.record(browser, capped, folder, "spend-cap")
	stopped := s.ask("a", "Take your time.", "")
	s.requestUnderWay(stopped)
	s.call("POST", "/v2/runs/"+stopped+"/stop", nil).want(t, 200)
	s.record(browser, stopped, folder, "stopped")
	cancelled := s.ask("a", "Take your time.", "")
	s.requestUnderWay(cancelled)
	s.call("POST", "/v2/runs/"+cancelled+"/cancel", nil).want(t, 202)
	s.rests(cancelled)
	s.record(browser, cancelled, folder, "cancelled")
	s.stop()
	s.setup.flags = append(s.setup.flags, "--lane", "regular")
	s = s.again()
	regular := s.ask("a", "Write two files.", "")
	s.completes(regular)
	s.record(s.browser(), regular, folder, "regular-lane")
	for _, name := range []string{"review-release-notes", "rank-candidates", "poll-status"} {
		s := withExample(t, name)
		id := s.give(name, example(t, name, "input.json"), nil)
		s.completes(id)
		s.record(s.browser(), id, folder, "document-"+name)
	}
}

// record writes a run's history once its execution has closed.
func (s *server) record(browser *http.Client, id, folder, name string) {
	s.t.Helper()
	s.until(id, "the run rests", func(r run.Run) bool { return r.Status != run.Working })
	var history []byte
	eventually(s.t, 10e9, func() string { return "a closed history of " + name }, func() bool {
		response, err := browser.Get(s.base + "/temporal/api/v1/namespaces/agentrun/workflows/" + id + "/history?maximumPageSize=1000")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		data, err := io.ReadAll(response.Body)
		if err != nil {
			return false
		}
		var body struct {
			History struct {
				Events []json.RawMessage `json:"events"`
			} `json:"history"`
		}
		if json.Unmarshal(data, &body) != nil || len(body.History.Events) == 0 {
			return false
		}
		var last struct {
			EventType string `json:"eventType"`
		}
		_ = json.Unmarshal(body.History.Events[len(body.History.Events)-1], &last)
		history, err = json.MarshalIndent(body.History, "", " ")
		return err == nil && (last.EventType == "EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED" || last.EventType == "WorkflowExecutionCompleted")
	})
	if err := os.WriteFile(filepath.Join(folder, name+".json"), append(history, '\n'), 0o600); err != nil {
		s.t.Fatal(err)
	}
}
