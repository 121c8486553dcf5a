package claudeagent

import (
	"path/filepath"
	"strconv"

	"github.com/google/uuid"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// folders are the parts of a session's private folder.
type folders struct{ root string }

func (f folders) home() string         { return filepath.Join(f.root, "home") }
func (f folders) config() string       { return filepath.Join(f.root, "config") }
func (f folders) temporary() string    { return filepath.Join(f.root, "tmp") }
func (f folders) work() string         { return filepath.Join(f.root, "work") }
func (f folders) instructions() string { return filepath.Join(f.root, "instructions.txt") }

// arguments start the program as a session's brain: it speaks JSON lines, has no tool but the host's, reads no settings and
// asks nobody for permission.
func arguments(spec cli.Spec, f folders, session uuid.UUID, resumed bool) []string {
	args := []string{
		"--print", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose",
		"--bare", "--tools", "", "--disable-slash-commands", "--setting-sources", "",
		"--mcp-config", `{"mcpServers":{"host":{"type":"sdk","name":"host","disableAutoBackground":true}}}`,
		"--strict-mcp-config", "--permission-mode", "dontAsk", "--allowedTools", "mcp__" + serverName,
		"--model", spec.Model.Name, "--system-prompt-file", f.instructions(),
	}
	if effort := flagEffort(spec); effort != "" {
		args = append(args, "--effort", effort)
	}
	if resumed {
		return append(args, "--resume", session.String())
	}
	return append(args, "--session-id", session.String())
}

// flagEffort is the effort as the program's flag takes it: it knows nothing below low.
func flagEffort(spec cli.Spec) string {
	switch effort := models.FitEffort(spec.Model, spec.Effort); effort {
	case "none":
		return ""
	case "minimal":
		return "low"
	default:
		return effort
	}
}

// patience is longer than any answer or call of a tool may take (milliseconds); the program takes no more than half an hour
// for some of these.
const patience = "1800000"

// defaultMaxOutput is what the program asks for of a model it does not know (tokens).
const defaultMaxOutput = 32_000

// environment is all of the program's environment: its folders, its one address, and the switches that keep it from every
// other one, from waiting too short and from being helpful.
func environment(spec cli.Spec, f folders, address, secret string) []string {
	model := spec.Model.Name
	env := []string{
		"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + f.home(), "TMPDIR=" + f.temporary(),
		"XDG_CONFIG_HOME=" + filepath.Join(f.home(), ".config"), "XDG_CACHE_HOME=" + filepath.Join(f.home(), ".cache"),
		"XDG_DATA_HOME=" + filepath.Join(f.home(), ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(f.home(), ".local", "state"),
		"CLAUDE_CONFIG_DIR=" + f.config(), "CLAUDE_CODE_TMPDIR=" + f.temporary(),

		"ANTHROPIC_BASE_URL=" + address, "ANTHROPIC_API_KEY=" + secret,
		"ANTHROPIC_DEFAULT_HAIKU_MODEL=" + model, "ANTHROPIC_DEFAULT_SONNET_MODEL=" + model,
		"ANTHROPIC_DEFAULT_OPUS_MODEL=" + model, "ANTHROPIC_SMALL_FAST_MODEL=" + model, "CLAUDE_CODE_SUBAGENT_MODEL=" + model,

		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1",
		"DISABLE_ERROR_REPORTING=1", "DISABLE_GROWTHBOOK=1",

		// The server shortens conversations and decides what is too long.
		"DISABLE_COMPACT=1", "DISABLE_AUTO_COMPACT=1", "CLAUDE_CODE_DISABLE_UNKNOWN_MODEL_WINDOW_ENFORCEMENT=1",
		// One request, one answer: no other attempt, no other model, no other way to ask.
		"CLAUDE_CODE_MAX_RETRIES=0", "CLAUDE_CODE_NO_MODEL_FALLBACK=1", "CLAUDE_CODE_DISABLE_REFUSAL_FALLBACK=1",
		"CLAUDE_CODE_DISABLE_REFUSAL_RETRY=1", "CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1",
		// An answer that is held, and a tool that a person has to confirm, take their time.
		"API_TIMEOUT_MS=" + patience, "CLAUDE_STREAM_FIRST_BYTE_TIMEOUT_MS=" + patience,
		"CLAUDE_STREAM_IDLE_TIMEOUT_MS=" + patience, "CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS=" + patience,
		"MCP_TIMEOUT=60000", "MCP_TOOL_TIMEOUT=100000000", "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0",
		"CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1", "CLAUDE_CODE_DISABLE_MCP_TASKS=1",
		// A tool's result is not cut, all tools are listed, and what people write names no files.
		"MAX_MCP_OUTPUT_TOKENS=100000000", "ENABLE_TOOL_SEARCH=false", "CLAUDE_CODE_DISABLE_FILE_MENTIONS=1",
		"CLAUDE_CODE_DISABLE_ATTACHMENTS=1", "CLAUDE_CODE_SKIP_MCP_DEBUG_LOG_FILES=1",
	}
	if window := spec.Model.ContextWindow; window > 0 {
		env = append(env, "CLAUDE_CODE_MAX_CONTEXT_TOKENS="+strconv.FormatInt(window, 10))
	}
	if most := spec.Model.MaxOutput; most > 0 && most < defaultMaxOutput {
		env = append(env, "CLAUDE_CODE_MAX_OUTPUT_TOKENS="+strconv.FormatInt(most, 10))
	}
	if !thinks(spec) {
		env = append(env, "MAX_THINKING_TOKENS=0")
	}
	return env
}
