package faux

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// wantCLI is the path of a real command-line agent, which a variable of the environment names; without one the test is
// skipped. The tests install nothing, and run nothing that happens to be on PATH.
func wantCLI(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s does not say where the program is", variable)
	}
	return path
}

// runCLI runs a program with an environment of its own and returns what it prints.
func runCLI(t *testing.T, dir string, env []string, path string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	command := exec.CommandContext(ctx, path, args...)
	command.Dir = dir
	command.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir}, env...)
	var complaints strings.Builder
	command.Stderr = &complaints
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s\n%s", filepath.Base(path), err, out, complaints.String())
	}
	return string(out)
}

const cliScript = `
rules:
  - name: sum
    when: {user: What is six times seven?}
    reply: {reasoning: Six sevens., text: The answer is 42., chunks: 3}
`

// checkCLIRecords: everything was answered by the rule, once.
func checkCLIRecords(t *testing.T, server *testServer, protocol Protocol) {
	t.Helper()
	records := server.await(t, ended(1))
	for _, record := range records {
		if record.Outcome != Completed || record.Rule != "sum" || record.Protocol != protocol || !record.Stream {
			t.Errorf("the record is %+v", record)
		}
	}
	if got := server.Repeats(); len(got) > 0 {
		t.Errorf("repeated: %+v", got)
	}
}

func TestClaudeCode(t *testing.T) {
	t.Parallel()
	path := wantCLI(t, "FAUX_TEST_CLAUDE")
	server := setup(t, cliScript, Options{})
	dir := t.TempDir()
	out := runCLI(t, dir, []string{
		"CLAUDE_CONFIG_DIR=" + filepath.Join(dir, "config"), "CLAUDE_CODE_TMPDIR=" + dir,
		"ANTHROPIC_BASE_URL=" + server.url, "ANTHROPIC_API_KEY=any", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
	}, path, "-p", "--output-format", "json", "--tools", "", "--setting-sources", "", "--strict-mcp-config",
		"--permission-mode", "dontAsk", "--model", "faux-1-messages", "What is six times seven?")
	var result struct {
		Result  string `json:"result"`
		IsError bool   `json:"is_error"`
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if result.IsError || result.Result != "The answer is 42." {
		t.Errorf("the result is %s", out)
	}
	checkCLIRecords(t, server, Messages)
}

func TestCodex(t *testing.T) {
	t.Parallel()
	path := wantCLI(t, "FAUX_TEST_CODEX")
	server := setup(t, cliScript, Options{})
	dir := t.TempDir()
	config := fmt.Sprintf(`
model = "faux-1"
model_provider = "faux"
[model_providers.faux]
name = "faux"
base_url = "%s/v1"
wire_api = "responses"
env_key = "FAUX_KEY"
request_max_retries = 0
stream_max_retries = 0
[features]
plugins = false
apps = false
`, server.url)
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	out := runCLI(t, dir, []string{"CODEX_HOME=" + dir, "FAUX_KEY=any"}, path,
		"exec", "--skip-git-repo-check", "--sandbox", "read-only", "What is six times seven?")
	if !strings.Contains(out, "The answer is 42.") {
		t.Errorf("codex prints %s", out)
	}
	checkCLIRecords(t, server, Responses)
}
