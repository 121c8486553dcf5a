package faux

import (
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"

	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/run/budget"
)

func TestModelsForTheCatalogue(t *testing.T) {
	t.Parallel()
	server := setup(t, `
models:
  - {id: plain}
  - id: full
    api: messages
    context_window: 1000
    max_output: 100
    min_output: 10
    no_output_limit: true
    reasoning: true
    efforts: [low, high]
    prices: {input: 0.25, cache_read: 0.025, cache_write: 0.3125, output: 2}
`, Options{})
	want := []run.Model{
		{ID: "faux/plain", Name: "plain", Provider: "faux", API: "responses", Source: "script"},
		{
			ID: "faux/full", Name: "full", Provider: "faux", API: "messages", ContextWindow: 1000, MaxOutput: 100, MinOutput: 10,
			NoOutputLimit: true, Reasoning: true, Efforts: []string{"low", "high"}, Source: "script",
			Price: &run.Price{Input: 250_000, CacheRead: 25_000, CacheWrite: 312_500, Output: 2_000_000},
		},
	}
	if diff := cmp.Diff(want, server.Models()); diff != "" {
		t.Errorf("models (-want +got):\n%s", diff)
	}
}

func TestOfficialClientsListModels(t *testing.T) {
	t.Parallel()
	server := setupScript(t, Default(), Options{})
	want := []string{"faux-1", "faux-1-chat", "faux-1-messages"}

	first := server.openAI()
	listed, err := first.Models.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, 0, len(want))
	for _, model := range listed.Data {
		got = append(got, model.ID)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("OpenAI's client (-want +got):\n%s", diff)
	}
	if _, err := first.Models.Get(t.Context(), "none"); err == nil {
		t.Error("a model that is not listed was found")
	}

	second := server.anthropic()
	got = nil
	pages := second.Models.ListAutoPaging(t.Context(), anthropic.ModelListParams{})
	for pages.Next() {
		got = append(got, pages.Current().ID)
	}
	if diff := cmp.Diff(want, got); diff != "" || pages.Err() != nil {
		t.Errorf("Anthropic's client: %v (-want +got):\n%s", pages.Err(), diff)
	}
}

// costOf is what an answer costs at a model's price.
func costOf(model run.Model, usage openai.CompletionUsage) run.USD {
	return model.Price.Cost(run.Usage{
		InputTokens: usage.PromptTokens, CachedInputTokens: usage.PromptTokensDetails.CachedTokens,
		CacheWriteTokens: usage.PromptTokensDetails.CacheWriteTokens, OutputTokens: usage.CompletionTokens,
	})
}

func TestPricedScripts(t *testing.T) {
	t.Parallel()
	const fourTenThousandths = 4 * run.Dollar / 10_000
	for _, name := range []string{"priced", "output-priced"} {
		script, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		server := setupScript(t, script, Options{})
		client := server.openAI()
		answer, err := client.Chat.Completions.New(t.Context(), chatOf(openai.UserMessage("What is six times seven?")))
		if err != nil {
			t.Fatal(err)
		}
		if got := costOf(server.Models()[0], answer.Usage); got != fourTenThousandths {
			t.Errorf("%s: an answer costs %s, want 0.0004", name, got)
		}
	}
}

// TestCapsOnPricedScripts: what the catalogue's spend-cap rows rest on.
func TestCapsOnPricedScripts(t *testing.T) {
	t.Parallel()
	model := func(name string) run.Model {
		script, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		gateway, err := New(script, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return gateway.Models()[0]
	}
	const inputBound = 3000 // bytes of a first request with three tools
	whole := budget.QuoteFor(model("output-priced"), inputBound, 0)
	if want := run.Dollar * 16384 / 10_000; whole.Worst() != want || whole.Least() != want {
		t.Errorf("output-priced: worst %s, least %s, want 1.6384", whole.Worst(), whole.Least())
	}
	priced := budget.QuoteFor(model("priced"), inputBound, 0)
	for limit, want := range map[run.USD]budget.Decision{
		run.Dollar / 10_000: budget.Refuse, run.Dollar / 100: budget.Limit, run.Dollar: budget.Send,
	} {
		if got := budget.Gate(&limit, budget.Ledger{}, priced).Decision; got != want {
			t.Errorf("priced: a cap of %s says %s, want %s", limit, got, want)
		}
	}
}
