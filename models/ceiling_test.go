package models

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestOutputCeiling(t *testing.T) {
	t.Parallel()
	const openAI = "https://api.openai.com/v1"
	for name, test := range map[string]struct {
		model  run.Model
		base   string
		asked  int64
		fields map[string]any
	}{
		"responses: the model's own":        {model: run.Model{API: APIResponses, MaxOutput: 128000}, fields: map[string]any{"max_output_tokens": 128000.0}},
		"responses: lowered":                {model: run.Model{API: APIResponses, MaxOutput: 128000}, asked: 2048, fields: map[string]any{"max_output_tokens": 2048.0}},
		"responses: unknown":                {model: run.Model{API: APIResponses}, fields: map[string]any{}},
		"responses: takes no limit":         {model: run.Model{API: APIResponses, MaxOutput: 16384, NoOutputLimit: true}, asked: 2048, fields: map[string]any{}},
		"chat: OpenAI":                      {model: run.Model{API: APIChat, MaxOutput: 9000}, base: openAI, fields: map[string]any{"max_completion_tokens": 9000.0}},
		"chat: OpenAI's model at a gateway": {model: run.Model{API: APIChat, Provider: "openai", Reasoning: true, MaxOutput: 9000}, fields: map[string]any{"max_completion_tokens": 9000.0}},
		"chat: a server that knows the old": {model: run.Model{API: APIChat, Provider: "ollama", MaxOutput: 9000}, fields: map[string]any{"max_tokens": 9000.0}},
		"chat: takes no limit":              {model: run.Model{API: APIChat, MaxOutput: 9000, NoOutputLimit: true}, fields: map[string]any{}},
		"messages: lowered":                 {model: run.Model{API: APIMessages, MaxOutput: 64000}, asked: 1024, fields: map[string]any{"max_tokens": 1024.0}},
		"messages: unknown, but required":   {model: run.Model{API: APIMessages}, fields: map[string]any{"max_tokens": 4096.0}},
		"messages: no limit, the model's own": {
			model: run.Model{API: APIMessages, MaxOutput: 64000, NoOutputLimit: true}, asked: 1024, fields: map[string]any{"max_tokens": 64000.0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Request{Model: test.model, BaseURL: test.base, MaxOutput: test.asked}
			body := decoded(t, encoders[test.model.API](r))
			got := map[string]any{}
			for _, field := range []string{"max_output_tokens", "max_completion_tokens", "max_tokens"} {
				if value, there := body[field]; there {
					got[field] = value
				}
			}
			if diff := cmp.Diff(test.fields, got); diff != "" {
				t.Errorf("ceiling (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEffortFitsTheModel(t *testing.T) {
	t.Parallel()
	openAI := []string{"none", "low", "medium", "high", "xhigh", "max"}
	for name, test := range map[string]struct {
		known []string
		want  string
		fits  string
		still bool
	}{
		"as it is":                  {known: openAI, want: "xhigh", fits: "xhigh"},
		"none, where it is known":   {known: openAI, want: "none", fits: "none"},
		"minimal comes to none":     {known: openAI, want: "minimal", fits: "none"},
		"none comes to the least":   {known: []string{"low", "medium"}, want: "none", fits: "low"},
		"max comes to the most":     {known: []string{"low", "medium", "high"}, want: "max", fits: "high"},
		"efforts not known":         {want: "xhigh", fits: "high"},
		"nothing wanted":            {known: openAI},
		"not an effort":             {known: openAI, want: "enormous"},
		"a model that reasons not":  {known: openAI, want: "high", still: true},
		"a model of foreign levels": {known: []string{"deep"}, want: "high"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := run.Model{Reasoning: !test.still, Efforts: test.known}
			if got := FitEffort(m, test.want); got != test.fits {
				t.Errorf("got %q, want %q", got, test.fits)
			}
		})
	}
}

func TestMessagesThinking(t *testing.T) {
	t.Parallel()
	adapts := []string{"low", "medium", "high", "xhigh", "max"}
	for name, test := range map[string]struct {
		efforts  []string
		effort   string
		ceiling  int64
		thinking string
		config   string
	}{
		"the model's own":                       {efforts: adapts, ceiling: 64000},
		"adaptive":                              {efforts: adapts, effort: "xhigh", ceiling: 64000, thinking: `{"type":"adaptive"}`, config: `{"effort":"xhigh"}`},
		"adaptive, at a small ceiling":          {efforts: adapts, effort: "low", ceiling: 1024, thinking: `{"type":"adaptive"}`, config: `{"effort":"low"}`},
		"adaptive, off":                         {efforts: adapts, effort: "none", ceiling: 64000, thinking: `{"type":"disabled"}`},
		"a budget":                              {effort: "high", ceiling: 64000, thinking: `{"type":"enabled","budget_tokens":16384}`},
		"a budget under a lowered ceiling":      {effort: "high", ceiling: 6000, thinking: `{"type":"enabled","budget_tokens":3000}`},
		"a budget that the ceiling leaves none": {effort: "high", ceiling: 2000},
		"a budget, off":                         {effort: "none", ceiling: 64000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Request{Effort: test.effort, MaxOutput: test.ceiling}
			r.Model = run.Model{API: APIMessages, Reasoning: true, Efforts: test.efforts}
			body := decoded(t, encodeMessages(r))
			for field, want := range map[string]string{"thinking": test.thinking, "output_config": test.config} {
				var expected any
				if want != "" {
					expected = object(t, want)
				}
				if diff := cmp.Diff(expected, body[field]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", field, diff)
				}
			}
		})
	}
}

func TestStructuredOutput(t *testing.T) {
	t.Parallel()
	loose := `{"type":"object","properties":{"total":{"type":"integer","minimum":0}}}`
	for name, test := range map[string]struct {
		api, model, schema string
		field, want        string
		system             string
	}{
		"responses, strict": {
			api: APIResponses, schema: answerSchema, field: "text",
			want: `{"format":{"type":"json_schema","name":"answer","strict":true,"schema":` + answerSchema + `}}`,
		},
		"responses, loose": {
			api: APIResponses, schema: loose, field: "text",
			want: `{"format":{"type":"json_schema","name":"answer","strict":false,"schema":` + loose + `}}`,
		},
		"chat": {
			api: APIChat, schema: answerSchema, field: "response_format",
			want: `{"type":"json_schema","json_schema":{"name":"answer","strict":true,"schema":` + answerSchema + `}}`,
		},
		"messages": {
			api: APIMessages, schema: answerSchema, field: "output_config",
			want: `{"format":{"type":"json_schema","schema":` + answerSchema + `}}`, system: "Be brief.",
		},
		"messages, a schema it does not take": {
			api: APIMessages, schema: loose, field: "output_config",
			system: "Be brief.\n\nAnswer with one JSON value that matches this JSON Schema, and with nothing else:\n" + loose,
		},
		"messages, a model that takes none": {
			api: APIMessages, model: "claude-sonnet-4-20250514", schema: answerSchema, field: "output_config",
			system: "Be brief.\n\nAnswer with one JSON value that matches this JSON Schema, and with nothing else:\n" + answerSchema,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Request{Instructions: "Be brief.", Output: json.RawMessage(test.schema)}
			r.Model.API, r.Model.Name = test.api, test.model
			body := decoded(t, encoders[test.api](r))
			var want any
			if test.want != "" {
				want = object(t, test.want)
			}
			if diff := cmp.Diff(want, body[test.field]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.field, diff)
			}
			if test.system == "" {
				return
			}
			system := body["system"].([]any)[0].(map[string]any)["text"]
			if diff := cmp.Diff(any(test.system), system); diff != "" {
				t.Errorf("system (-want +got):\n%s", diff)
			}
		})
	}
}
