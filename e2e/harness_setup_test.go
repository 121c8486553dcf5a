package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/agentrun/agentrun/harnesses/clitest"
	"github.com/agentrun/agentrun/run"
)

// commandLine is a real command-line agent and the model that its agents name.
type commandLine struct {
	harness, model, variable string
	program                  func(testing.TB) string
}

var commandLines = []commandLine{
	{"claude-agent", "anthropic/faux-1", "AGENTRUN_CLAUDE", clitest.Claude},
	{"codex", "openai/faux-1", "AGENTRUN_CODEX", clitest.Codex},
}

// onEach runs a test with each real program, and skips it clearly where one is not installed.
func onEach(t *testing.T, test func(t *testing.T, c commandLine)) {
	t.Helper()
	for _, c := range commandLines {
		t.Run(c.harness, func(t *testing.T) {
			c.program(t)
			test(t, c)
		})
	}
}

// startOn starts a server whose models are the gateway's, priced, and whose program for the harness is the real one, or
// another that program names.
func startOn(t *testing.T, c commandLine, g *gateway, s setup, program string) *server {
	t.Helper()
	if program == "" {
		program = c.program(t)
	}
	s.dir = t.TempDir()
	s.env = append(s.env, g.env()...)
	s.env = append(s.env, c.variable+"="+program, "ANTHROPIC_BASE_URL="+g.url, "ANTHROPIC_API_KEY=sk-ant-test-0123456789")
	data := filepath.Join(s.dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	var models []string
	for _, id := range []string{"openai/faux-1", "anthropic/faux-1"} {
		models = append(models, fmt.Sprintf(`{"id": %q, "context_window": 200000, "max_output": 1000,
			"prices": {"input": 1, "cache_read": 1, "cache_write": 1, "output": 2}}`, id))
	}
	file := fmt.Sprintf(`{"providers": [], "models": [%s]}`, strings.Join(models, ","))
	if err := os.WriteFile(filepath.Join(data, "models.json"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	server := start(t, s)
	server.agent("a", map[string]any{"harness": c.harness, "model": c.model})
	return server
}

// processesOf are the processes of a run's sessions: those that bear its mark.
func processesOf(runID string) []int {
	var found []int
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, name := range entries {
		data, err := os.ReadFile(name)
		if err != nil || !strings.Contains("\x00"+string(data), "\x00AGENTRUN_HARNESS="+runID+"/") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name))); err == nil {
			found = append(found, pid)
		}
	}
	return found
}

// noneLeft holds that a run has left no process behind, and no private folder.
func (s *server) noneLeft(runID string) {
	s.t.Helper()
	eventually(s.t, 10*time.Second, func() string { return fmt.Sprint("processes left: ", processesOf(runID)) }, func() bool {
		return len(processesOf(runID)) == 0
	})
	folders := filepath.Join(s.setup.dir, "data", "runs", runID, "harness", "*")
	var left []string
	eventually(s.t, 10*time.Second, func() string { return fmt.Sprint("private folders left: ", left) }, func() bool {
		left, _ = filepath.Glob(folders)
		return len(left) == 0
	})
}

// checkFiles: what the six steps leave.
func (s *server) checkFiles(runID string) {
	s.t.Helper()
	for name, want := range map[string]string{"a.txt": "ALPHA", "b.txt": "beta", "c.txt": "gamma"} {
		if got := s.call("GET", "/v2/runs/"+runID+"/files/"+name, nil).want(s.t, 200).body; string(got) != want {
			s.t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
}

// checkOrder: each call once, before its result, none interrupted, each result ok.
func (s *server) checkOrder(runID string, calls int) {
	s.t.Helper()
	seen := map[any]float64{}
	results := 0
	for _, row := range s.rows(runID, "") {
		switch row["type"] {
		case string(run.RowToolUse):
			if seen[row["call_id"]] != 0 {
				s.t.Errorf("call %v twice", row["call_id"])
			}
			seen[row["call_id"]], _ = row["seq"].(float64)
		case string(run.RowToolResult):
			results++
			if seen[row["call_id"]] == 0 {
				s.t.Errorf("a result before its call: %v", row)
			}
			if row["ok"] != true || row["interrupted"] == true {
				s.t.Errorf("result %v", row)
			}
		}
	}
	if len(seen) != calls || results != calls {
		s.t.Errorf("%d calls and %d results, want %d of each", len(seen), results, calls)
	}
}

// askedOf counts the requests of a run whose words no other run has, by how many answers the conversation had.
func (g *gateway) askedOf(words string) (total, most int) {
	byTurn := map[int64]int{}
	for _, record := range g.Requests() {
		if record.User == words {
			byTurn[record.Turn]++
			total++
			most = max(most, byTurn[record.Turn])
		}
	}
	return total, most
}
