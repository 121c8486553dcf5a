package claudeagent

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses/cli"
	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

// thinker is a spec whose model thinks.
func thinker() cli.Spec {
	return cli.Spec{
		Model:        run.Model{Name: "big", API: models.APIMessages, Reasoning: true, Efforts: []string{"low", "high"}},
		Instructions: "Be good.",
		Tools:        []models.Tool{{Name: "read", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}},
	}
}

func TestCeilingsOfRequests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, thinking string
		ceiling        int64
		want           map[string]any // what the request asks for
	}{
		{"none of ours", `{"type":"enabled","budget_tokens":31999}`, 0, map[string]any{
			"max_tokens": 32000.0, "thinking": map[string]any{"type": "enabled", "budget_tokens": 31999.0},
		}},
		{"above what is asked", `{"type":"adaptive"}`, 64000, map[string]any{
			"max_tokens": 32000.0, "thinking": map[string]any{"type": "adaptive"},
		}},
		{"below the budget", `{"type":"enabled","budget_tokens":31999,"display":"updates"}`, 5000, map[string]any{
			"max_tokens": 5000.0, "thinking": map[string]any{"type": "enabled", "budget_tokens": 2500.0, "display": "updates"},
		}},
		{"above the budget", `{"type":"enabled","budget_tokens":2000}`, 5000, map[string]any{
			"max_tokens": 5000.0, "thinking": map[string]any{"type": "enabled", "budget_tokens": 2000.0},
		}},
		{"too low to think", `{"type":"enabled","budget_tokens":31999}`, 2047, map[string]any{"max_tokens": 2047.0}},
		{"low where the model decides", `{"type":"adaptive"}`, 100, map[string]any{
			"max_tokens": 100.0, "thinking": map[string]any{"type": "adaptive"},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := readRequest([]byte(`{"model":"haiku","max_tokens":32000,"thinking":` + c.thinking +
				`,"messages":[{"role":"user","content":"a"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			wire, err := rewrite(thinker(), r, true).wire(nil, "d")
			if err != nil {
				t.Fatal(err)
			}
			data, err := wire.Body(c.ceiling)
			if err != nil || int64(len(data)) > wire.Size {
				t.Fatalf("a body of %d bytes, said to be %d at most: %v", len(data), wire.Size, err)
			}
			var got map[string]any
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatal(err)
			}
			if got["model"] != "big" || got["stream"] != true {
				t.Errorf("model %v, stream %v", got["model"], got["stream"])
			}
			asked := map[string]any{"max_tokens": got["max_tokens"]}
			if thinking, ok := got["thinking"]; ok {
				asked["thinking"] = thinking
			}
			if diff := cmp.Diff(c.want, asked); diff != "" {
				t.Errorf("it asks for (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsSentOn(t *testing.T) {
	t.Parallel()
	const body = `{"model":"haiku","max_tokens":10,"stream":false,"metadata":{"user_id":"u"},"tool_choice":{"type":"auto"},` +
		`"thinking":{"type":"adaptive"},"context_management":{"edits":[{"type":"clear_thinking_20251015"},{"type":"x"}]},` +
		`"output_config":{"effort":"high"},"unknown":[1.50],"system":"Be good.",` +
		`"tools":[{"name":"DeferredToolPlaceholder"},{"name":"mcp__host__read","input_schema":{},"cache_control":{"type":"ephemeral"}},` +
		`{"name":"mcp__host__unlisted"}],"messages":[{"role":"user","content":"<a>"}]}`
	strict := json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	for _, c := range []struct {
		name   string
		main   bool
		change func(*cli.Spec)
	}{
		{"sent_main.json", true, func(*cli.Spec) {}},
		{"sent_other.json", false, func(s *cli.Spec) { s.Output = strict }},
		{"sent_unthinking.json", true, func(s *cli.Spec) { s.Effort = "none" }},
		{"sent_schema.json", true, func(s *cli.Spec) { s.Output = strict }},
		{"sent_without_tools.json", true, func(s *cli.Spec) { s.Tools = nil }},
	} {
		r, err := readRequest([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		spec := thinker()
		c.change(&spec)
		data, err := rewrite(spec, r, c.main).body(0)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, c.name, append(data, '\n'))
	}
}

func TestHeadersThatArePassedOn(t *testing.T) {
	t.Parallel()
	r, err := readRequest([]byte(`{"messages":[{"role":"user","content":"a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	header := http.Header{"Anthropic-Beta": {"a,b"}, "X-Api-Key": {"secret"}, "Authorization": {"secret"}, "User-Agent": {"x"}}
	wire, err := rewrite(thinker(), r, true).wire(header, "d")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(http.Header{"Anthropic-Beta": {"a,b"}}, wire.Header); diff != "" {
		t.Errorf("it passes on (-want +got):\n%s", diff)
	}
	if wire.Digest != "d" || wire.Tools != 1 {
		t.Errorf("digest %q, %d tools", wire.Digest, wire.Tools)
	}
}
