package run_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// here is a server with pi, a default model, two file tools, and one of everything that is known but not available.
func here() run.Known {
	return run.Known{
		Harnesses: map[string]run.Offer{
			"pi":    {Available: true},
			"codex": {Reason: "its command is not installed"},
		},
		Tools: map[string]run.ToolOffer{
			"read":      {Offer: run.Offer{Available: true}, Harnesses: []string{"pi"}},
			"write":     {Offer: run.Offer{Available: true}},
			"bash":      {Offer: run.Offer{Available: true}, SandboxOnly: true},
			"web_fetch": {Offer: run.Offer{Reason: "PARALLEL_API_KEY is not set"}},
		},
		Boxes: map[string]run.Offer{"docker": {Reason: "no daemon"}, "bwrap": {Available: true}},
		Model: func(id string) (run.Offer, bool) {
			switch id {
			case "", "faux/small":
				return run.Offer{Available: true}, true
			case "openai/luna":
				return run.Offer{Reason: "no key"}, true
			}
			return run.Offer{}, false
		},
		Schema: func(schema json.RawMessage) error {
			if strings.Contains(string(schema), "bad") {
				return errors.New("no such type")
			}
			return nil
		},
	}
}

func TestCheckTellsFaultsFromWhatIsNotAvailable(t *testing.T) {
	t.Parallel()
	sandbox := func(box string) *run.Place { return &run.Place{Mode: run.PlaceSandbox, Box: box} }
	for name, test := range map[string]struct {
		definition       run.Definition
		issues, warnings []string
	}{
		"all known and here":        {definition: run.Definition{Tools: []string{"read", "write"}, Model: "faux/small"}},
		"unknown harness":           {definition: run.Definition{Harness: "pie"}, issues: []string{"definition.harness unknown_harness"}},
		"harness not available":     {definition: run.Definition{Harness: "codex"}, warnings: []string{"definition.harness harness_unavailable"}},
		"unknown model":             {definition: run.Definition{Model: "x/y"}, issues: []string{"definition.model unknown_model"}},
		"model without a key":       {definition: run.Definition{Model: "openai/luna"}, warnings: []string{"definition.model model_unavailable"}},
		"unknown tool":              {definition: run.Definition{Tools: []string{"read", "fly"}}, issues: []string{"definition.tools[1] unknown_tool"}},
		"bash on a runner":          {definition: run.Definition{Tools: []string{"bash"}}, issues: []string{"definition.tools[0] tool_not_on_place"}},
		"bash in a box":             {definition: run.Definition{Tools: []string{"bash"}, Place: sandbox("bwrap")}},
		"tool of another harness":   {definition: run.Definition{Harness: "codex", Tools: []string{"read"}}, issues: []string{"definition.tools[0] tool_not_on_harness"}, warnings: []string{"definition.harness harness_unavailable"}},
		"tool without its key":      {definition: run.Definition{Tools: []string{"web_fetch"}}, warnings: []string{"definition.tools[0] tool_unavailable"}},
		"unknown box":               {definition: run.Definition{Place: sandbox("moon")}, issues: []string{"definition.place.box unknown_box"}},
		"box not available":         {definition: run.Definition{Place: sandbox("docker")}, warnings: []string{"definition.place place_unavailable"}},
		"schema that does not work": {definition: run.Definition{Output: json.RawMessage(`{"type":"bad"}`)}, issues: []string{"definition.output invalid_schema"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issues, warnings := test.definition.Check(here())
			if diff := cmp.Diff(append([]string{}, test.issues...), faults(issues)); diff != "" {
				t.Errorf("issues: %s", diff)
			}
			if diff := cmp.Diff(append([]string{}, test.warnings...), faults(warnings)); diff != "" {
				t.Errorf("warnings: %s", diff)
			}
		})
	}
}

// TestCheckHoldsAModelAgainstItsHarness: a known model that cannot answer the harness is a fault, whether or not either is
// here; what is not known at all is its own fault.
func TestCheckHoldsAModelAgainstItsHarness(t *testing.T) {
	t.Parallel()
	var asked []string
	known := here()
	known.OnHarness = func(harness, model string) string {
		asked = append(asked, harness+" "+model)
		if harness == "codex" && model != "openai/luna" {
			return "codex speaks to others"
		}
		return ""
	}
	for _, test := range []struct {
		definition       run.Definition
		asked            string
		issues, warnings []string
	}{
		{run.Definition{Model: "faux/small"}, "pi faux/small", nil, nil},
		{run.Definition{}, "pi ", nil, nil},
		{run.Definition{Harness: "codex", Model: "openai/luna"}, "codex openai/luna", nil, []string{
			"definition.harness harness_unavailable", "definition.model model_unavailable",
		}},
		{
			run.Definition{Harness: "codex", Model: "faux/small"},
			"codex faux/small",
			[]string{"definition.model model_not_on_harness"},
			[]string{"definition.harness harness_unavailable"},
		},
		{
			run.Definition{Harness: "codex"},
			"codex ",
			[]string{"definition.model model_not_on_harness"},
			[]string{"definition.harness harness_unavailable"},
		},
		{
			run.Definition{Harness: "codex", Model: "x/y"},
			"",
			[]string{"definition.model unknown_model"},
			[]string{"definition.harness harness_unavailable"},
		},
		{run.Definition{Harness: "pie", Model: "faux/small"}, "", []string{"definition.harness unknown_harness"}, nil},
	} {
		asked = nil
		issues, warnings := test.definition.Check(known)
		if diff := cmp.Diff(append([]string{}, test.issues...), faults(issues)); diff != "" {
			t.Errorf("%+v: issues: %s", test.definition, diff)
		}
		if diff := cmp.Diff(append([]string{}, test.warnings...), faults(warnings)); diff != "" {
			t.Errorf("%+v: warnings: %s", test.definition, diff)
		}
		if got := strings.Join(asked, ", "); got != test.asked {
			t.Errorf("%+v: asked of %q, want %q", test.definition, got, test.asked)
		}
	}
	if issues, _ := (run.Definition{Harness: "codex"}).Check(known); issues[0].Message != "codex speaks to others" {
		t.Errorf("the fault says %q", issues[0].Message)
	}
}

func TestCheckWarnsWhereThereIsNoDefaultModel(t *testing.T) {
	t.Parallel()
	known := here()
	known.Model = func(string) (run.Offer, bool) { return run.Offer{}, false }
	issues, warnings := run.Definition{}.Check(known)
	if diff := cmp.Diff([]string{"definition.model model_unavailable"}, faults(warnings)); diff != "" || len(issues) > 0 {
		t.Errorf("issues %v, warnings %s", issues, diff)
	}
}
