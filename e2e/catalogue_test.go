package e2e

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/client"
	"github.com/agentrun/agentrun/run"
)

// TestCatalogue is the core check catalogue on one server with the ready script.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "default"}})
	t.Run("1 boot and health", func(t *testing.T) {
		health := s.call("GET", "/v2/health", nil, "Authorization", "").want(t, 200).object(t)
		checks := health["checks"].(map[string]any)
		if health["status"] != "ok" || checks["store"] != "ok" || checks["disk"] != "ok" || checks["engine"] != "ok" {
			t.Errorf("health: %v", health)
		}
	})
	t.Run("2 capabilities", func(t *testing.T) {
		c := s.call("GET", "/v2/capabilities", nil, "Authorization", "").want(t, 200).object(t)
		available := map[string]any{}
		for _, h := range c["harnesses"].([]any) {
			harness := h.(map[string]any)
			available[harness["id"].(string)] = harness["available"]
		}
		if available["pi"] != true || available["claude-agent"] != false || available["codex"] != false {
			t.Errorf("harnesses: %v", available)
		}
		if c["models"].(map[string]any)["source"] == "" || c["limits"].(map[string]any)["max_concurrent_runs"] != 1000.0 {
			t.Errorf("capabilities: %v", c)
		}
		if tools := c["tools"].([]any); len(tools) < 3 {
			t.Errorf("tools: %v", tools)
		}
	})
	t.Run("3 openapi", func(t *testing.T) {
		document := s.call("GET", "/v2/openapi.json", nil, "Authorization", "").want(t, 200).object(t)
		if version, _ := document["openapi"].(string); !strings.HasPrefix(version, "3.1") {
			t.Errorf("openapi: %v", document["openapi"])
		}
	})
	t.Run("4 auth", func(t *testing.T) { checkAuth(t, s) })
	t.Run("5 and 6 agents", func(t *testing.T) { checkAgents(t, s) })
	t.Run("7 archive of agents", func(t *testing.T) { checkAgentArchive(t, s) })
	t.Run("8 a run with two files", func(t *testing.T) { checkTwoFiles(t, s) })
	t.Run("11 follow-up", func(t *testing.T) { checkFollowUp(t, s) })
	t.Run("17 archive of runs", func(t *testing.T) { checkRunArchive(t, s) })
	t.Run("files told and read", func(t *testing.T) { checkInputs(t, s) })
}

func checkAuth(t *testing.T, s *server) {
	s.call("GET", "/v2/agents", nil, "Authorization", "").want(t, 401)
	answer := s.call("GET", "/v2/agents", nil, "Authorization", "Bearer ar_local_wrong").want(t, 401)
	if code := answer.object(t)["code"]; code != "unauthenticated" {
		t.Errorf("code %v", code)
	}
	eventually(t, 10*time.Second, s.log.String, func() bool {
		log := s.log.String()
		return strings.Contains(log, "auth_failed") && strings.Contains(log, "reason=wrong")
	})
	log := s.log.String()
	if strings.Contains(log, "ar_local_wrong") || strings.Contains(log, s.token) {
		t.Error("the log holds a token")
	}
	s.call("GET", "/v2/health", nil, "Host", "evil.example").want(t, 403)
	s.call("GET", "/v2/health", nil, "Host", "localhost:99").want(t, 200)
}

func checkAgents(t *testing.T, s *server) {
	definition := map[string]any{"id": "writer", "name": "Writer", "instructions": "Write.", "tools": []string{"write"}}
	created := s.call("POST", "/v2/agents", map[string]any{"definition": definition}).want(t, 201).object(t)
	if warnings := created["warnings"].([]any); len(warnings) != 0 || created["revision"] != 1.0 {
		t.Errorf("created: %v", created)
	}
	s.call("POST", "/v2/agents", map[string]any{"definition": definition}).want(t, 409)
	etag := created["home_etag"].(string)
	definition["instructions"] = "Write well."
	edited := s.call("PUT", "/v2/agents/writer/definition", map[string]any{"definition": definition}, "If-Match", etag)
	if edited.want(t, 200).object(t)["revision"] != 2.0 {
		t.Errorf("edited: %s", edited.body)
	}
	s.call("PUT", "/v2/agents/writer/definition", map[string]any{"definition": definition}, "If-Match", etag).want(t, 412)
	s.call("PUT", "/v2/agents/writer/definition", map[string]any{"definition": definition}).want(t, 428)
	definition["tools"] = []string{"bash"}
	now := s.call("GET", "/v2/agents/writer", nil).want(t, 200).object(t)["home_etag"].(string)
	refused := s.call("PUT", "/v2/agents/writer/definition", map[string]any{"definition": definition}, "If-Match", now)
	if !strings.Contains(string(refused.want(t, 422).body), "definition.tools") {
		t.Errorf("bash on a runner: %s", refused.body)
	}
	var revisions struct {
		Data []struct{ Revision int64 } `json:"data"`
	}
	body := s.call("GET", "/v2/agents/writer/revisions", nil).want(t, 200).body
	if err := json.Unmarshal(body, &revisions); err != nil || len(revisions.Data) != 2 {
		t.Errorf("revisions: %s", body)
	}
}

func checkAgentArchive(t *testing.T, s *server) {
	s.agent("old", nil)
	s.call("POST", "/v2/agents/old/archive", nil).want(t, 200)
	if listed := string(s.call("GET", "/v2/agents", nil).want(t, 200).body); strings.Contains(listed, `"old"`) {
		t.Errorf("an archived agent is listed: %s", listed)
	}
	if listed := string(s.call("GET", "/v2/agents?archived=true", nil).want(t, 200).body); !strings.Contains(listed, `"old"`) {
		t.Errorf("the archived agents: %s", listed)
	}
	refused := s.call("POST", "/v2/agents/old/runs", map[string]any{"input": map[string]any{"content": "hi"}}).want(t, 409)
	if refused.object(t)["code"] != "agent_not_runnable" {
		t.Errorf("refused with %s", refused.body)
	}
	s.call("POST", "/v2/agents/old/unarchive", nil).want(t, 200)
	s.completes(s.ask("old", "What is six times seven?", ""))
}

func checkTwoFiles(t *testing.T, s *server) {
	s.agent("two", nil)
	for _, effort := range []string{"low", "medium"} {
		created, err := s.client.CreateRun(t.Context(), "two", client.NewRun{Content: "Write two files.", Effort: effort})
		if err != nil {
			t.Fatal(err)
		}
		r := s.completes(created.ID)
		if r.Cost.USD == nil || r.Effort != effort || r.Usage.Requests != 2 || r.Usage.ToolCalls != 2 {
			t.Errorf("effort %s: cost %+v, usage %+v", effort, r.Cost, r.Usage)
		}
		page := s.call("GET", "/v2/runs/"+r.ID+"/timeline", nil).want(t, 200).object(t)
		if page["final"] != true {
			t.Errorf("final: %v", page["final"])
		}
		checkOrder(t, s.rows(r.ID, ""))
		for name, want := range map[string]string{"one.txt": "This is the first file.\n", "two.txt": "This is the second file.\n"} {
			got := s.call("GET", "/v2/runs/"+r.ID+"/files/"+name, nil).want(t, 200)
			if string(got.body) != want || got.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s: %q %v", name, got.body, got.header)
			}
			part := s.call("GET", "/v2/runs/"+r.ID+"/files/"+name, nil, "Range", "bytes=5-6").want(t, 206)
			if string(part.body) != "is" {
				t.Errorf("range: %q", part.body)
			}
			etag := got.header.Get("ETag")
			s.call("GET", "/v2/runs/"+r.ID+"/files/"+name, nil, "If-None-Match", etag).want(t, 304)
		}
		for _, bad := range []string{"..%2f..%2f.token", ".hidden", "nope.txt", "%2e%2e/.token"} {
			if a := s.call("GET", "/v2/runs/"+r.ID+"/files/"+bad, nil); a.status < 400 || a.status >= 500 {
				t.Errorf("%s: %d %s", bad, a.status, a.body)
			}
		}
	}
}

// checkOrder: each call is shown after the answer that asked for it and before its result; seqs are dense.
func checkOrder(t *testing.T, rows []map[string]any) {
	t.Helper()
	asked, answered := map[any]bool{}, false
	for i, row := range rows {
		if row["seq"] != float64(i+1) {
			t.Errorf("row %d has seq %v", i+1, row["seq"])
		}
		switch row["type"] {
		case "answer":
			answered = true
		case "tool_use":
			if asked[row["call_id"]] = true; !answered {
				t.Error("a call before its answer")
			}
		case "tool_result":
			if !asked[row["call_id"]] || row["ok"] != true || row["interrupted"] == true {
				t.Errorf("result %v", row)
			}
		}
	}
}

func checkFollowUp(t *testing.T, s *server) {
	s.agent("talker", nil)
	id := s.ask("talker", "What is six times seven?", "")
	if r := s.completes(id); r.Result.FinalAnswer != "The answer is 42." {
		t.Errorf("the answer: %+v", r.Result)
	}
	before := s.rows(id, "")
	s.call("POST", "/v2/runs/"+id+"/messages", map[string]any{"content": "What is six times seven?", "x": 1}).want(t, 422)
	s.call("POST", "/v2/runs/"+id+"/messages", map[string]any{"content": "What is six times seven?"}).want(t, 202)
	s.until(id, "two answers", func(r run.Run) bool { return r.Status == run.Completed && r.Usage.Requests == 2 })
	after := s.rows(id, "")
	for i := range before {
		if was, is := mustJSON(t, before[i]), mustJSON(t, after[i]); !bytes.Equal(was, is) {
			t.Errorf("row %d was %s and is %s", i, was, is)
		}
	}
	if n := len(s.rows(id, run.RowUserMessage)); n != 2 {
		t.Errorf("%d user messages", n)
	}
}

func checkRunArchive(t *testing.T, s *server) {
	s.agent("filer", nil)
	id := s.ask("filer", "What is six times seven?", "")
	s.completes(id)
	s.call("POST", "/v2/runs/"+id+"/archive", nil).want(t, 200)
	if listed := string(s.call("GET", "/v2/runs?agent=filer", nil).want(t, 200).body); strings.Contains(listed, id) {
		t.Errorf("an archived run is listed: %s", listed)
	}
	if listed := string(s.call("GET", "/v2/runs?archived=true", nil).want(t, 200).body); !strings.Contains(listed, id) {
		t.Errorf("the archived runs: %s", listed)
	}
	s.call("GET", "/v2/runs/"+id, nil).want(t, 200)
	s.call("POST", "/v2/runs/"+id+"/unarchive", nil).want(t, 200)
}

func checkInputs(t *testing.T, s *server) {
	s.agent("reader", nil)
	created, err := s.client.CreateRun(t.Context(), "reader", client.NewRun{
		Content: "Summarize the attached file.", Files: []client.File{{Path: "notes.txt", Content: []byte("remember the milk")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if r := s.completes(created.ID); !strings.Contains(r.Result.FinalAnswer, "remember the milk") {
		t.Errorf("the answer: %+v", r.Result)
	}
	said := s.rows(created.ID, run.RowUserMessage)[0]["content"].(string)
	if !strings.Contains(said, `Files for this run: "inputs/notes.txt" (17 B)`) {
		t.Errorf("the model was told %q", said)
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestTheTokenIsTheOwnersAlone(t *testing.T) {
	t.Parallel()
	s := start(t, setup{flags: []string{"--faux", "default"}})
	info, err := os.Stat(filepath.Join(s.setup.dir, "data", ".token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's mode is %v, %v", info.Mode(), err)
	}
	if !strings.HasPrefix(s.token, "ar_local_") {
		t.Error("the token has another prefix")
	}
	second := launchRefused(t, s.setup)
	if !strings.Contains(second, "pid") || !strings.Contains(second, pidOf(s)) {
		t.Errorf("a second server was refused with %q, without the pid %s", second, pidOf(s))
	}
	s.call("GET", "/v2/nothing", nil).want(t, http.StatusNotFound)
}
