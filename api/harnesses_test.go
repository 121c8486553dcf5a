package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/harnesses"
	"github.com/agentrun/agentrun/run"
)

// priced is a catalogue with a model of each protocol and a scripted one, which is the default.
type priced struct{ catalogue }

func (priced) Model(id string) (run.Model, run.Offer, bool) {
	here := run.Offer{Available: true}
	price := &run.Price{Input: 3_000_000, CacheRead: 300_000, CacheWrite: 3_750_000, Output: 15_000_000}
	switch id {
	case "", "faux/small":
		return run.Model{ID: "faux/small", Name: "small", Provider: "faux", API: "responses"}, here, true
	case "openai/luna":
		return run.Model{ID: id, Name: "luna", Provider: "openai", API: "responses"}, run.Offer{Reason: "OPENAI_API_KEY is not set"}, true
	case "openai/sol":
		return run.Model{ID: id, Name: "sol", Provider: "openai", API: "responses"}, here, true
	case "anthropic/opus":
		return run.Model{
			ID: id, Name: "opus", Provider: "anthropic", API: "messages", Price: price, ContextWindow: 200_000, MaxOutput: 32_000,
			Reasoning: true, Efforts: []string{"low", "high"}, Source: "built in",
		}, here, true
	}
	return run.Model{}, run.Offer{}, false
}

func (p priced) List() []run.Model {
	var list []run.Model
	for _, id := range []string{"anthropic/opus", "faux/small", "openai/luna", "openai/sol"} {
		model, _, _ := p.Model(id)
		list = append(list, model)
	}
	return list
}

// tries notes how harnesses are tried.
type tries struct {
	mu      sync.Mutex
	forgot  []string
	probed  []string
	models  []run.Model
	report  harnesses.Report
	refusal error
}

func (p *tries) Forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forgot = append(p.forgot, id)
}

func (p *tries) Probe(_ context.Context, id string, model run.Model, lacks string, live bool) (harnesses.Report, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	probed := id + " quick " + lacks
	if live {
		probed = id + " live " + lacks
	}
	p.probed, p.models = append(p.probed, probed), append(p.models, model)
	return p.report, p.refusal
}

// withHarnesses is a server with pi, a Claude Code and no Codex.
func withHarnesses(t *testing.T) (*bench, *tries) {
	t.Helper()
	confined, runners := true, []string{run.PlaceRunner}
	tried := &tries{}
	return setup(t, func(o *Options) {
		o.Models, o.Harnesses = priced{}, tried
		o.Capabilities = func() Capabilities {
			c := capabilitiesHere()
			c.Harnesses = []Harness{
				{
					ID: "pi", Available: true, SupportedRunners: runners, DefaultRunner: run.PlaceRunner,
					ModelAPIs: []string{"responses", "messages", "chat"},
				},
				{
					ID: "claude-agent", Available: true, SupportedRunners: runners, DefaultRunner: run.PlaceRunner,
					ModelAPIs: []string{"messages"}, Program: "/opt/claude", Version: "2.1.332", Confined: &confined,
				},
				{
					ID: "codex", Reason: "its program codex is not in PATH", SupportedRunners: runners, DefaultRunner: run.PlaceRunner,
					ModelAPIs: []string{"responses"},
				},
			}
			c.Tools = []Tool{{Name: "read", Available: true, Harnesses: []string{"pi", "claude-agent", "codex"}, Replay: run.ReplaySafe}}
			return c
		}
	}), tried
}

func TestHarnessesAreListed(t *testing.T) {
	t.Parallel()
	b, tried := withHarnesses(t)
	var list struct {
		Data       []map[string]any `json:"data"`
		NextCursor *string          `json:"next_cursor"`
	}
	b.get("/v2/harnesses").want(http.StatusOK, &list)
	want := []map[string]any{
		{
			"id": "pi", "available": true, "supported_runners": []any{"runner"}, "default_runner": "runner",
			"model_apis": []any{"responses", "messages", "chat"},
		},
		{
			"id": "claude-agent", "available": true, "supported_runners": []any{"runner"}, "default_runner": "runner",
			"model_apis": []any{"messages"}, "program": "/opt/claude", "version": "2.1.332", "confined": true,
		},
		{
			"id": "codex", "available": false, "reason": "its program codex is not in PATH", "supported_runners": []any{"runner"},
			"default_runner": "runner", "model_apis": []any{"responses"},
		},
	}
	if diff := cmp.Diff(want, list.Data); diff != "" || list.NextCursor != nil {
		t.Error(diff)
	}
	var one map[string]any
	b.get("/v2/harnesses/claude-agent").want(http.StatusOK, &one)
	if diff := cmp.Diff(want[1], one); diff != "" || len(tried.forgot) > 0 {
		t.Errorf("forgotten: %q, %s", tried.forgot, diff)
	}
	b.get("/v2/harnesses/claude-agent?refresh=true").want(http.StatusOK)
	b.get("/v2/harnesses/claude-agent/models?refresh=true").want(http.StatusOK)
	b.get("/v2/harnesses/claude-agent?refresh=false").want(http.StatusOK)
	if !slices.Equal(tried.forgot, []string{"", ""}) {
		t.Errorf("forgotten: %q", tried.forgot)
	}
	b.get("/v2/harnesses/claude-agent?refresh=maybe").want(http.StatusBadRequest)
}

func TestAHarnessListsTheModelsThatAnswerIt(t *testing.T) {
	t.Parallel()
	b, _ := withHarnesses(t)
	for harness, want := range map[string][]string{
		"pi":           {"anthropic/opus messages", "faux/small responses", "openai/luna responses", "openai/sol responses"},
		"claude-agent": {"anthropic/opus messages", "faux/small messages"},
		"codex":        {"faux/small responses", "openai/luna responses", "openai/sol responses"},
	} {
		var list modelList
		b.get("/v2/harnesses/"+harness+"/models").want(http.StatusOK, &list)
		got := []string{}
		for _, model := range list.Data {
			got = append(got, model.ID+" "+model.API)
			if model.Available == (model.ID == "openai/luna") || model.Available == (model.Reason != "") {
				t.Errorf("%+v", model)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", harness, diff)
		}
	}
	var list struct {
		Data []map[string]any `json:"data"`
	}
	b.get("/v2/harnesses/claude-agent/models").want(http.StatusOK, &list)
	want := []map[string]any{
		{
			"id": "anthropic/opus", "available": true, "api": "messages", "context_window": 200000.0, "max_output": 32000.0,
			"reasoning": true, "efforts": []any{"low", "high"}, "source": "built in", "price_per_million_usd": map[string]any{
				"input": 3.0, "cache_read": 0.3, "cache_write": 3.75, "output": 15.0,
			},
		},
		{
			"id": "faux/small", "available": true, "api": "messages", "context_window": 0.0, "max_output": 0.0, "reasoning": false,
			"efforts": []any{}, "price_per_million_usd": nil,
		},
	}
	if diff := cmp.Diff(want, list.Data); diff != "" {
		t.Error(diff)
	}
}

func TestAHarnessThatIsNotKnown(t *testing.T) {
	t.Parallel()
	b, tried := withHarnesses(t)
	for _, reply := range []reply{
		b.get("/v2/harnesses/opus"), b.get("/v2/harnesses/opus/models"),
		b.send(http.MethodPost, "/v2/harnesses/opus/test", `{"probe":"quick"}`),
	} {
		if p := reply.problem(http.StatusNotFound, run.ErrNotFound); p.Details["harness"] != "opus" {
			t.Errorf("details %v", p.Details)
		}
	}
	if len(tried.probed) > 0 {
		t.Errorf("tried: %v", tried.probed)
	}
}

func TestAHarnessIsTried(t *testing.T) {
	t.Parallel()
	b, tried := withHarnesses(t)
	cost := run.Dollar / 100
	tried.report = harnesses.Report{
		Status: harnesses.Warn, TestedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), CostUSD: &cost,
		Checks: []harnesses.Check{
			{Code: "program", Status: harnesses.Pass, Message: "found"},
			{Code: "version", Status: harnesses.Warn, Message: "not tried", Hint: "try it"},
		},
	}
	var got map[string]any
	b.send(http.MethodPost, "/v2/harnesses/claude-agent/test", `{"probe":"live","model":"anthropic/opus"}`).want(http.StatusOK, &got)
	want := map[string]any{
		"status": "warn", "tested_at": "2026-01-02T03:04:05Z", "cost_usd": 0.01, "checks": []any{
			map[string]any{"code": "program", "status": "pass", "message": "found"},
			map[string]any{"code": "version", "status": "warn", "message": "not tried", "hint": "try it"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(tried.forgot) > 0 {
		t.Errorf("forgotten: %q, %s", tried.forgot, diff)
	}
	tried.report = harnesses.Report{Status: harnesses.Pass}
	b.send(http.MethodPost, "/v2/harnesses/codex/test", `{"probe":"quick"}`).want(http.StatusOK)
	if !slices.Equal(tried.forgot, []string{"codex"}) {
		t.Errorf("one that is better than what is remembered of it is not looked at anew: %q", tried.forgot)
	}
	tried.report = harnesses.Report{Status: harnesses.Fail}
	got = nil
	b.send(http.MethodPost, "/v2/harnesses/codex/test", `{"probe":"quick"}`).want(http.StatusOK, &got)
	if checks, are := got["checks"].([]any); !are || len(checks) != 0 || got["cost_usd"] != nil {
		t.Errorf("%v", got)
	}
	for _, body := range []string{`{"probe":"quick","model":"openai/sol"}`, `{"probe":"quick","model":"openai/luna"}`, `{"probe":"live"}`} {
		b.send(http.MethodPost, "/v2/harnesses/claude-agent/test", body).want(http.StatusOK)
	}
	b.send(http.MethodPost, "/v2/harnesses/codex/test", `{"probe":"live","model":"openai/luna"}`).want(http.StatusOK)
	const other = `harness "claude-agent" asks for its models in the protocol messages, and model "openai/`
	const name = `is reached by responses: name one of its own provider's`
	if diff := cmp.Diff([]string{
		"claude-agent live ", "codex quick ", "codex quick ", "claude-agent quick " + other + `sol" ` + name,
		"claude-agent quick " + other + `luna" ` + name, "claude-agent live ", "codex live OPENAI_API_KEY is not set",
	}, tried.probed); diff != "" {
		t.Error(diff)
	}
	if small := tried.models[5]; small.ID != "faux/small" || small.API != "messages" {
		t.Errorf("the scripted model was tried as %+v", small)
	}
}

func TestATestOfAHarnessThatIsNotRightIsRefused(t *testing.T) {
	t.Parallel()
	b, tried := withHarnesses(t)
	for body, want := range map[string]string{
		`{"probe":"quick","model":"openai/x"}`:    "model unknown_model",
		`{"probe":"quick","account":"work"}`:      "account unknown_account",
		`{"probe":"quick","place":"runner"}`:      "place unknown_field",
		`{"probe":"long"}`:                        "probe not_one_of",
		`{}`:                                      "probe required",
		`{"probe":7}`:                             "probe wrong_type",
		`{"probe":"live","model":["a"]}`:          "model wrong_type",
		`{"probe":"live","account":"","a":"b"}`:   "a unknown_field",
		`{"probe":"quick","model":" faux/small"}`: "model unknown_model",
	} {
		p := b.send(http.MethodPost, "/v2/harnesses/claude-agent/test", body).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
		if faults := p.faults(); len(faults) == 0 || faults[0] != want {
			t.Errorf("%s: %v, want %s", body, faults, want)
		}
	}
	if len(tried.probed) > 0 {
		t.Errorf("tried: %v", tried.probed)
	}
	tried.refusal = run.Errorf(run.ErrUnavailable, "the keys cannot be read")
	b.send(http.MethodPost, "/v2/harnesses/pi/test", `{"probe":"quick"}`).problem(http.StatusServiceUnavailable, run.ErrUnavailable)
	without := setup(t)
	without.get("/v2/harnesses/pi?refresh=true").want(http.StatusOK)
	without.send(http.MethodPost, "/v2/harnesses/pi/test", `{"probe":"quick"}`).
		problem(http.StatusServiceUnavailable, run.ErrUnavailable)
}

// TestAModelIsOneThatAnswersTheHarness: a definition that names another is refused at its path; a scripted model is reached
// in the protocol that the harness takes.
func TestAModelIsOneThatAnswersTheHarness(t *testing.T) {
	t.Parallel()
	b, _ := withHarnesses(t)
	definition := func(harness, model string) string {
		data, _ := json.Marshal(map[string]any{"id": "x", "name": "X", "instructions": "Help.", "harness": harness, "model": model})
		return `{"definition":` + string(data) + `}`
	}
	p := b.send(http.MethodPost, "/v2/agents", definition("claude-agent", "openai/sol")).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
	if diff := cmp.Diff([]string{"definition.model model_not_on_harness"}, p.faults()); diff != "" {
		t.Error(diff)
	}
	p = b.send(http.MethodPost, "/v2/agents", definition("codex", "anthropic/opus")).problem(http.StatusUnprocessableEntity, run.ErrInvalid)
	if diff := cmp.Diff([]string{"definition.model model_not_on_harness"}, p.faults()); diff != "" {
		t.Error(diff)
	}
	for harness, want := range map[string]map[string]string{
		"claude-agent": {"faux/small": "messages", "": "messages", "anthropic/opus": "messages"},
		"codex":        {"faux/small": "responses", "": "responses", "openai/sol": "responses"},
		"pi":           {"faux/small": "responses", "openai/sol": "responses", "anthropic/opus": "messages"},
	} {
		for model, api := range want {
			def := run.Definition{ID: "x", Harness: harness, Model: model}
			if got, why := b.server.modelOn(b.server.offers().Harnesses, harness, model); got.API != api || why != "" {
				t.Errorf("%s on %s is reached by %q: %s", model, harness, got.API, why)
			}
			if harness == "codex" {
				continue // it is not there
			}
			config, err := b.server.resolve(run.Agent{ID: "x"}, def)
			if err != nil || config.Model.API != api || config.Harness != harness {
				t.Errorf("%s on %s resolves to %+v, %v", model, harness, config, err)
			}
		}
	}
	_, err := b.server.resolve(run.Agent{ID: "x"}, run.Definition{ID: "x", Harness: "claude-agent", Model: "openai/sol"})
	if run.CodeOf(err) != run.ErrAgentNotRunnable {
		t.Errorf("resolved: %v", err)
	}
}
