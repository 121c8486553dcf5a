package codex

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// provider is our proxy's name in the program's configuration.
const provider = "agentrun"

// compactPrompt marks a request for a summary. None should come, since boundless keeps the program from asking.
const compactPrompt = "agentrun: write a summary of this conversation"

// boundless is told to the program as the model's context window (tokens): it shortens conversations by itself at nine
// tenths of it whatever other limit is set, and how a conversation is shortened is the host's to decide.
const boundless = 1_000_000_000_000_000

// defaultEffort is what Codex asks of a model where nobody says otherwise.
const defaultEffort = "medium"

// home are the places inside a session's folder.
type home struct{ dir string }

func (h home) config() string    { return filepath.Join(h.dir, "config.toml") }
func (h home) catalogue() string { return filepath.Join(h.dir, "models.json") }
func (h home) work() string      { return filepath.Join(h.dir, "work") }
func (h home) temporary() string { return filepath.Join(h.dir, "tmp") }

// write makes the folders and files that the program starts with. baseURL is where it asks for answers; it holds the
// session's secret, so nobody else may read the file.
func (h home) write(spec cli.Spec, baseURL string) error {
	for _, dir := range []string{h.work(), h.temporary()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return fmt.Errorf("make a folder of codex's: %w", err)
		}
	}
	catalogue, err := catalogueOf(spec)
	if err != nil {
		return err
	}
	if err := os.WriteFile(h.catalogue(), catalogue, 0o600); err != nil {
		return fmt.Errorf("write codex's model catalogue: %w", err)
	}
	if err := os.WriteFile(h.config(), []byte(h.settings(spec.Model.Name, baseURL)), 0o600); err != nil {
		return fmt.Errorf("write codex's configuration: %w", err)
	}
	return nil
}

// environment is the program's whole environment. PATH has nothing: the program would look for what tells it about the
// machine, and start a score of programs for that.
func (h home) environment() []string {
	return []string{
		"PATH=" + filepath.Join(h.dir, "bin"),
		"HOME=" + h.dir,
		"CODEX_HOME=" + h.dir,
		"TMPDIR=" + h.temporary(),
		"XDG_CONFIG_HOME=" + filepath.Join(h.dir, "xdg", "config"),
		"XDG_CACHE_HOME=" + filepath.Join(h.dir, "xdg", "cache"),
		"XDG_DATA_HOME=" + filepath.Join(h.dir, "xdg", "data"),
		"XDG_STATE_HOME=" + filepath.Join(h.dir, "xdg", "state"),
		"XDG_RUNTIME_DIR=" + h.temporary(),
		"RUST_LOG=error",
	}
}

// disabled are the features that would give the program tools, prompts or addresses of its own.
var disabled = []string{
	"apps", "browser_use", "code_mode_host", "computer_use", "enable_request_compression", "goals", "hooks",
	"image_generation", "in_app_browser", "item_ids", "memories", "plugins", "realtime_conversation", "remote_plugin",
	"shell_snapshot", "shell_tool", "skill_mcp_dependency_install", "skill_search", "sleep_tool", "tool_suggest",
	"unbounded_connection_retries", "unified_exec", "view_image", "workspace_dependencies",
}

// settings is config.toml. A request is made once and may wait for a day: trying again is the host's.
func (h home) settings(model, baseURL string) string {
	var b strings.Builder
	text := func(key, value string) { fmt.Fprintf(&b, "%s = %s\n", key, quoted(value)) }
	plain := func(key, value string) { fmt.Fprintf(&b, "%s = %s\n", key, value) }
	table := func(name string) { fmt.Fprintf(&b, "\n[%s]\n", name) }

	text("model", model)
	text("model_provider", provider)
	text("model_catalog_json", h.catalogue())
	text("model_reasoning_summary", "none")
	text("approval_policy", "never")
	text("sandbox_mode", "read-only")
	text("web_search", "disabled")
	text("cli_auth_credentials_store", "file")
	text("compact_prompt", compactPrompt)
	plain("check_for_update_on_startup", "false")
	plain("project_doc_max_bytes", "0")
	for _, part := range []string{"permissions_instructions", "environment_context", "apps_instructions", "collaboration_mode_instructions"} {
		plain("include_"+part, "false")
	}
	table("model_providers." + provider)
	text("name", provider)
	text("base_url", baseURL)
	text("wire_api", "responses")
	plain("request_max_retries", "0")
	plain("stream_max_retries", "0")
	plain("stream_idle_timeout_ms", "86400000")
	for _, off := range []string{"agents", "analytics", "feedback", "skills.bundled"} {
		table(off)
		plain("enabled", "false")
	}
	table("history")
	text("persistence", "none")
	table("features")
	for _, feature := range disabled {
		plain(feature, "false")
	}
	return b.String()
}

// quoted is a TOML string. JSON escapes what TOML does and in the same way, but for DEL, which TOML wants escaped.
func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return strconv.QuoteToASCII(s)
	}
	return strings.ReplaceAll(string(data), "\x7f", `\u007f`)
}

// effortLevel is an effort as the program's catalogue lists it.
type effortLevel struct {
	Effort      string `json:"effort"`
	Description string `json:"description"`
}

// catalogueOf is the program's model catalogue: the session's one model, with plain function calls and no limits that
// would make the program shorten what is said.
func catalogueOf(spec cli.Spec) ([]byte, error) {
	levels := []effortLevel{}
	for _, effort := range spec.Model.Efforts {
		levels = append(levels, effortLevel{effort, effort})
	}
	var standard any
	if effort := models.FitEffort(spec.Model, defaultEffort); effort != "" {
		standard = effort
	}
	entry := map[string]any{
		"slug":                              spec.Model.Name,
		"display_name":                      spec.Model.Name,
		"description":                       "",
		"default_reasoning_level":           standard,
		"supported_reasoning_levels":        levels,
		"shell_type":                        "disabled",
		"visibility":                        "list",
		"supported_in_api":                  true,
		"priority":                          1,
		"base_instructions":                 "",
		"include_skills_usage_instructions": false,
		"include_plugin_usage_instructions": false,
		"include_apps_usage_instructions":   false,
		"supports_reasoning_summaries":      false,
		"support_verbosity":                 false,
		"default_verbosity":                 nil,
		"apply_patch_tool_type":             nil,
		"truncation_policy":                 map[string]any{"mode": "bytes", "limit": boundless},
		"supports_parallel_tool_calls":      true,
		"context_window":                    boundless,
		"experimental_supported_tools":      []string{},
	}
	data, err := json.Marshal(map[string]any{"models": []any{entry}})
	if err != nil {
		return nil, fmt.Errorf("write codex's model catalogue: %w", err)
	}
	return data, nil
}
