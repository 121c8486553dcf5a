package models_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/models"
	"github.com/agentrun/agentrun/run"
)

func has(names ...string) func(string) bool {
	return func(name string) bool { return slices.Contains(names, name) }
}

func load(t *testing.T, file string, env models.Env) *models.Catalogue {
	t.Helper()
	path := filepath.Join(t.TempDir(), "models.json")
	if file != "" {
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	catalogue, err := models.Load(models.LoadOptions{ModelsFile: path, Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return catalogue
}

func resolve(t *testing.T, catalogue *models.Catalogue, id string) run.Model {
	t.Helper()
	model, err := catalogue.Resolve(id)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func usd(t *testing.T, perMillion string) run.USD {
	t.Helper()
	amount, err := run.ParseUSD(perMillion)
	if err != nil {
		t.Fatal(err)
	}
	return run.PerMillion(amount)
}

func TestBuiltInPricesTellCacheReadsFromWrites(t *testing.T) {
	t.Parallel()
	catalogue := load(t, "", models.Env{})
	for id, want := range map[string][4]string{
		"openai/gpt-5.6-luna":       {"1", "0.1", "1.25", "6"}, // both figures: write, then read
		"openai/gpt-5.5":            {"5", "0.5", "5", "30"},   // one figure below the input price: a read
		"openai/gpt-5.5-pro":        {"30", "30", "30", "180"}, // none
		"anthropic/claude-sonnet-5": {"2", "0.2", "2.5", "10"}, // both
	} {
		model := resolve(t, catalogue, id)
		want := run.Price{Input: usd(t, want[0]), CacheRead: usd(t, want[1]), CacheWrite: usd(t, want[2]), Output: usd(t, want[3])}
		if model.Price == nil || *model.Price != want || model.MaxOutput == 0 || model.ContextWindow == 0 {
			t.Errorf("%s: %+v, price %+v, want %+v", id, model, model.Price, want)
		}
	}
	for _, model := range catalogue.List() {
		if p := model.Price; p != nil && (p.CacheRead > p.Input || p.CacheWrite < p.Input) {
			t.Errorf("%s: a price makes no sense: %+v", model.ID, p)
		}
	}
}

func TestTheEnvironmentNamesTheDefaultModelAndItsServer(t *testing.T) {
	t.Parallel()
	t.Run("a gateway keeps the prices of a known model", func(t *testing.T) {
		t.Parallel()
		c := load(t, "", models.Env{BaseURL: "http://gateway/v1/", Model: "gpt-5.6-luna", Has: has("AGENT_MODEL_API_KEY")})
		model, ok := c.Default()
		if !ok || model.ID != "openai/gpt-5.6-luna" || model.Price == nil || c.Source() != "environment" {
			t.Errorf("default %+v, source %s", model, c.Source())
		}
		if e, err := c.EndpointOf(model); err != nil || e.BaseURL != "http://gateway/v1" || e.KeyName != "AGENT_MODEL_API_KEY" {
			t.Errorf("endpoint %+v, %v", e, err)
		}
	})
	t.Run("a server of one's own without a key", func(t *testing.T) {
		t.Parallel()
		c := load(t, "", models.Env{BaseURL: "http://localhost:11434/v1", Model: "qwen3:8b", API: "chat"})
		model, ok := c.Default()
		if !ok || model.API != models.APIChat || model.Price != nil {
			t.Errorf("default %+v", model)
		}
		if available, reason := c.Available(model); !available {
			t.Errorf("not available: %s", reason)
		}
	})
	t.Run("OpenAI itself needs its key", func(t *testing.T) {
		t.Parallel()
		c := load(t, "", models.Env{Model: "gpt-5.6-luna"})
		model, _ := c.Default()
		if available, reason := c.Available(model); available || !strings.Contains(reason, "AGENT_MODEL_API_KEY") {
			t.Errorf("available %v: %s", available, reason)
		}
	})
	t.Run("no default", func(t *testing.T) {
		t.Parallel()
		if _, ok := load(t, "", models.Env{}).Default(); ok {
			t.Error("there is a default model that nobody named")
		}
	})
	if _, err := models.Load(models.LoadOptions{Env: models.Env{API: "soap"}}); run.CodeOf(err) != run.ErrInvalid {
		t.Errorf("an unknown protocol: %v", err)
	}
}

func TestAnUnknownModelIsNamedWithWhatComesNear(t *testing.T) {
	t.Parallel()
	catalogue := load(t, "", models.Env{})
	_, err := catalogue.Resolve("openai/gpt-9")
	if err == nil || !strings.Contains(err.Error(), "gpt-9") || !strings.Contains(err.Error(), "openai/gpt-") {
		t.Errorf("got %v", err)
	}
	if _, err := catalogue.Endpoint("nobody"); run.CodeOf(err) != run.ErrUnavailable {
		t.Errorf("got %v", err)
	}
}

func TestTheOwnersFileIsLaidOverTheRest(t *testing.T) {
	t.Parallel()
	const file = `{
		"default": "local/tiny",
		"providers": [{"name": "local", "api": "chat", "base_url": "http://localhost:8000/v1", "key_env": "LOCAL_KEY"}],
		"models": [
			{"id": "openai/gpt-5.6-luna", "prices": {"input": 0.5, "output": 3}},
			{"id": "local/tiny", "context_window": 8192, "max_output": 1024, "min_output": 64}
		]}`
	c := load(t, file, models.Env{Has: has("LOCAL_KEY")})
	tiny, ok := c.Default()
	if !ok || tiny.ID != "local/tiny" || tiny.API != models.APIChat || tiny.MaxOutput != 1024 || tiny.Price != nil {
		t.Errorf("default %+v", tiny)
	}
	luna := resolve(t, c, "openai/gpt-5.6-luna")
	if luna.Price.Input != usd(t, "0.5") || luna.Price.CacheRead != usd(t, "0.5") || luna.ContextWindow == 0 {
		t.Errorf("luna %+v %+v", luna, luna.Price)
	}
	if unlisted := resolve(t, c, "local/other"); unlisted.Name != "other" || unlisted.API != models.APIChat {
		t.Errorf("unlisted %+v", unlisted)
	}
	path := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if names, err := models.KeyNames(path); err != nil || len(names) != 1 || names[0] != "LOCAL_KEY" {
		t.Errorf("key names %v, %v", names, err)
	}
}

func TestAFaultyFileIsRefusedWhole(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, says string }{
		"no JSON":          {`{`, "models.json"},
		"an unknown field": {`{"modles": []}`, "modles"},
		"two values":       {`{} {}`, "more than one"},
		"a key in it":      {`{"providers": [{"name": "x", "api": "chat", "base_url": "http://x", "key_env": "sk-123"}]}`, "providers[0].key_env"},
		"no such provider": {`{"models": [{"id": "nobody/x"}]}`, "models[0].id"},
		"a negative price": {`{"models": [{"id": "openai/x", "prices": {"input": -1, "output": 1}}]}`, "models[0].prices"},
		"a price in words": {`{"models": [{"id": "openai/x", "prices": {"input": "1", "output": 1}}]}`, "USD"},
		"no protocol":      {`{"providers": [{"name": "x", "api": "soap", "base_url": "http://x"}]}`, "providers[0].api"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "models.json")
			if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := models.Load(models.LoadOptions{ModelsFile: path}); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want it to name %q", err, c.says)
			}
		})
	}
}

func TestTheScriptedGatewayAnswersForEveryModel(t *testing.T) {
	t.Parallel()
	c, err := models.Load(models.LoadOptions{FauxURL: "http://127.0.0.1:1", Faux: []run.Model{
		{ID: "faux/a", Provider: "faux", API: models.APIResponses}, {ID: "faux/m", Provider: "faux", API: models.APIMessages},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"": "faux/a", "faux/m": "faux/m", "openai/gpt-5.6-luna": "faux/a"} {
		if got := resolve(t, c, id); got.ID != want {
			t.Errorf("%q is %s, want %s", id, got.ID, want)
		}
	}
	for id, want := range map[string]string{"faux/a": "http://127.0.0.1:1/v1", "faux/m": "http://127.0.0.1:1"} {
		if e, err := c.EndpointOf(resolve(t, c, id)); err != nil || e.BaseURL != want || e.KeyName != "" {
			t.Errorf("%s is at %+v, %v; want %s", id, e, err, want)
		}
	}
}
