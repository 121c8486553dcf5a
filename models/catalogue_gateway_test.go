package models_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

// TestNamesOfAGateway: a server of one's own is sent AGENT_MODEL as it is written, and keeps the figures of a model
// that the catalogue knows.
func TestNamesOfAGateway(t *testing.T) {
	t.Parallel()
	type chosen struct {
		ID, Name, API string
		Priced        bool
	}
	const gateway = "https://gateway.example/v1"
	for name, test := range map[string]struct {
		env  models.Env
		want chosen
	}{
		"OpenAI itself":              {models.Env{Model: "gpt-5.6-luna"}, chosen{"openai/gpt-5.6-luna", "gpt-5.6-luna", "responses", true}},
		"OpenAI itself, whole":       {models.Env{Model: "openai/gpt-5.6-luna"}, chosen{"openai/gpt-5.6-luna", "gpt-5.6-luna", "responses", true}},
		"Anthropic itself":           {models.Env{Model: "anthropic/claude-sonnet-5"}, chosen{"anthropic/claude-sonnet-5", "claude-sonnet-5", "messages", true}},
		"not listed yet":             {models.Env{Model: "gpt-99"}, chosen{"openai/gpt-99", "gpt-99", "responses", false}},
		"gateway, OpenAI's name":     {models.Env{BaseURL: gateway, Model: "gpt-5.6-luna"}, chosen{"openai/gpt-5.6-luna", "gpt-5.6-luna", "responses", true}},
		"gateway, provider and name": {models.Env{BaseURL: gateway, Model: "openai/gpt-5.6-luna"}, chosen{"openai/gpt-5.6-luna", "openai/gpt-5.6-luna", "responses", true}},
		"gateway to Anthropic":       {models.Env{BaseURL: gateway, API: "chat", Model: "anthropic/claude-sonnet-5"}, chosen{"openai/anthropic/claude-sonnet-5", "anthropic/claude-sonnet-5", "chat", true}},
		"gateway, Anthropic's name":  {models.Env{BaseURL: gateway, Model: "claude-sonnet-5"}, chosen{"openai/claude-sonnet-5", "claude-sonnet-5", "responses", true}},
		"a model of one's own":       {models.Env{BaseURL: gateway, API: "chat", Model: "openai/gpt-oss-20b"}, chosen{"openai/gpt-oss-20b", "openai/gpt-oss-20b", "chat", false}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := load(t, "", test.env)
			got, ok := c.Default()
			if !ok {
				t.Fatal("no default model")
			}
			if diff := cmp.Diff(test.want, chosen{got.ID, got.Name, got.API, got.Price != nil}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(got, resolve(t, c, got.ID)); diff != "" {
				t.Errorf("by its id it is another (-default +by id):\n%s", diff)
			}
		})
	}
}

func TestAddressesAreChecked(t *testing.T) {
	t.Parallel()
	for _, env := range []models.Env{{BaseURL: "localhost:11434"}, {AnthropicBaseURL: "claude.example"}} {
		if _, err := models.Load(models.LoadOptions{Env: env}); run.CodeOf(err) != run.ErrInvalid {
			t.Errorf("%+v: %v", env, err)
		}
	}
}

// TestWindowEndsWhereThePriceDoes: beyond 272,000 tokens OpenAI charges more than is listed.
func TestWindowEndsWhereThePriceDoes(t *testing.T) {
	t.Parallel()
	c := load(t, `{"models": [{"id": "openai/gpt-5.6-sol", "context_window": 1050000, "prices": {"input": 10, "output": 45}}]}`, models.Env{})
	for id, want := range map[string]int64{
		"openai/gpt-5.6-luna": 272_000, "openai/gpt-4o": 128_000, "openai/gpt-5.6-sol": 1_050_000, "anthropic/claude-sonnet-5": 1_000_000,
	} {
		if got := resolve(t, c, id).ContextWindow; got != want {
			t.Errorf("%s reads %d tokens, want %d", id, got, want)
		}
	}
}

func TestWhatIsListed(t *testing.T) {
	t.Parallel()
	c := load(t, `{"models": [{"id": "openai/mine", "no_output_limit": true, "reasoning": true, "efforts": ["low"], "api": "chat"}]}`, models.Env{})
	list := c.List()
	if len(list) != c.Count() || !slices.IsSortedFunc(list, func(a, b run.Model) int { return strings.Compare(a.ID, b.ID) }) {
		t.Errorf("%d listed, %d counted", len(list), c.Count())
	}
	want := run.Model{
		ID: "openai/mine", Name: "mine", Provider: "openai", API: "chat", NoOutputLimit: true, Reasoning: true,
		Efforts: []string{"low"}, Source: "models.json",
	}
	if diff := cmp.Diff(want, resolve(t, c, "openai/mine")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, model := range list {
		if diff := cmp.Diff(model, resolve(t, c, model.ID)); diff != "" {
			t.Errorf("%s, by its id (-listed +resolved):\n%s", model.ID, diff)
		}
		if _, err := c.EndpointOf(model); err != nil {
			t.Errorf("%s is nowhere: %v", model.ID, err)
		}
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	c := load(t, "", models.Env{})
	for id, says := range map[string]string{
		"":                     "names no model",
		"gpt-5.6-luna":         "openai/gpt-5.6-luna",
		"openai/":              "provider/name",
		"nobody/zzz":           "provider/name",
		"anthropic/claude-99x": "anthropic/claude-",
	} {
		_, err := c.Resolve(id)
		if run.CodeOf(err) != run.ErrNotFound || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v does not say %q", id, err, says)
		}
	}
	gone := run.Model{ID: "gone/x", Provider: "gone"}
	if available, reason := c.Available(gone); available || !strings.Contains(reason, `"gone"`) {
		t.Errorf("available %v: %s", available, reason)
	}
	if _, err := models.Load(models.LoadOptions{ModelsFile: t.TempDir()}); err == nil {
		t.Error("a folder was read as a file")
	}
	if _, err := models.KeyNames(t.TempDir()); err == nil {
		t.Error("a folder was read as a file")
	}
	empty, err := models.Load(models.LoadOptions{FauxURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := empty.Resolve("openai/gpt-4o"); run.CodeOf(err) != run.ErrNotFound {
		t.Errorf("a script without models: %v", err)
	}
}
