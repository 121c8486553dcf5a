package claudeagent

import (
	"encoding/json"
	"maps"
	"net/http"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
)

// minThinking is the smallest thinking budget that the Messages protocol takes (tokens).
const minThinking = 1024

// digitsRoom is more than the ceilings of one request can differ by in its body (bytes).
const digitsRoom = 64

// rewriting is a request as it is sent on: the program's own but for the model, the tools, the conversation and what the
// ceiling asks for.
type rewriting struct {
	fields block
	asked  int64
}

// rewrite makes the request that is sent on. main says that it is about the session's conversation.
func rewrite(spec cli.Spec, r *request, main bool) rewriting {
	fields := maps.Clone(r.fields)
	delete(fields, "metadata") // it names this installation and session
	fields.set("model", spec.Model.Name)
	fields.set("stream", true)
	fields.set("messages", r.messages)
	if len(r.system) > 0 {
		fields.set("system", r.system)
	}
	if tools := toolsOf(spec, r, main); len(tools) > 0 {
		fields.set("tools", tools)
	} else {
		delete(fields, "tool_choice")
	}
	if !thinks(spec) {
		unthinking(fields)
	}
	if main && len(spec.Output) > 0 && models.Constrains(spec.Model, spec.Output) {
		config := block{}
		_ = json.Unmarshal(fields["output_config"], &config)
		config.set("format", block{"type": json.RawMessage(`"json_schema"`), "schema": spec.Output})
		fields.set("output_config", config)
	}
	return rewriting{fields: fields, asked: r.fields.number("max_tokens")}
}

// thinks tells whether the model is to think at all.
func thinks(spec cli.Spec) bool { return spec.Model.Reasoning && spec.Effort != "none" }

// toolsOf are the tools the model is told of: for the conversation the host's, whatever the program lists.
func toolsOf(spec cli.Spec, r *request, main bool) []block {
	listed := map[string]bool{}
	for _, tool := range r.tools {
		listed[tool.text("name")] = true
	}
	var tools []block
	for _, tool := range spec.Tools {
		if main || listed[toolPrefix+tool.Name] {
			tools = append(tools, block{
				"name": encoded(toolPrefix + tool.Name), "description": encoded(tool.Description), "input_schema": tool.Schema,
			})
		}
	}
	if mark := takeBreakpoint(r.tools); len(tools) > 0 && mark != nil {
		tools[len(tools)-1]["cache_control"] = mark
	}
	return tools
}

// unthinking takes thinking out of a request, and the edits that are allowed with it only.
func unthinking(fields block) {
	delete(fields, "thinking")
	if management := (block{}); json.Unmarshal(fields["context_management"], &management) == nil {
		var edits, kept []block
		_ = json.Unmarshal(management["edits"], &edits)
		for _, edit := range edits {
			if kind := edit.text("type"); len(kind) < len("clear_thinking") || kind[:len("clear_thinking")] != "clear_thinking" {
				kept = append(kept, edit)
			}
		}
		management.set("edits", kept)
		fields.set("context_management", management)
		if len(kept) == 0 {
			delete(fields, "context_management")
		}
	}
	if config := (block{}); json.Unmarshal(fields["output_config"], &config) == nil {
		delete(config, "effort")
		fields.set("output_config", config)
		if len(config) == 0 {
			delete(fields, "output_config")
		}
	}
}

// body writes the request under an output ceiling (tokens; 0: none but the program's own). Thinking counts against it, so
// that a budget which would fill it is cut to its half.
func (w rewriting) body(ceiling int64) ([]byte, error) {
	limit := w.asked
	if ceiling > 0 && (limit == 0 || ceiling < limit) {
		limit = ceiling
	}
	fields := maps.Clone(w.fields)
	if limit > 0 {
		fields.set("max_tokens", limit)
	}
	thinking := block{}
	_ = json.Unmarshal(fields["thinking"], &thinking)
	if budget := thinking.number("budget_tokens"); limit > 0 && budget >= limit {
		if budget = limit / 2; budget < minThinking {
			unthinking(fields)
		} else {
			thinking.set("budget_tokens", budget)
			fields.set("thinking", thinking)
		}
	}
	return encoded(fields), nil
}

// wire is the request for models.Client.
func (w rewriting) wire(header http.Header, digest string) (models.Wire, error) {
	whole, err := w.body(0)
	if err != nil {
		return models.Wire{}, err
	}
	tools := []block{}
	_ = json.Unmarshal(w.fields["tools"], &tools)
	passed := http.Header{}
	for _, name := range []string{"Anthropic-Beta", "Anthropic-Version"} {
		if values := header.Values(name); len(values) > 0 {
			passed[name] = values
		}
	}
	return models.Wire{
		Body: w.body, Size: int64(len(whole)) + digitsRoom, Header: passed, Digest: digest, Tools: len(tools),
	}, nil
}
