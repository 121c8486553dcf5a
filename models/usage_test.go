package models

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

// luna is a price with a figure for each kind of token: $1, $0.1, $1.25 and $6 a million.
var luna = run.Price{
	Input:      run.PerMillion(run.Dollar),
	CacheRead:  run.PerMillion(run.Dollar / 10),
	CacheWrite: run.PerMillion(run.Dollar * 5 / 4),
	Output:     run.PerMillion(run.Dollar * 6),
}

// TestUsageAndCost reads what a provider says it used and prices it, to the last decimal.
func TestUsageAndCost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		neutral func(t *testing.T) (run.Usage, bool)
		want    run.Usage
		cost    string
	}{
		"responses: fresh, read, written and thought": {
			// 32,000 × $1 + 60,000 × $0.1 + 8,000 × $1.25 + 3,000 × $6, per million.
			usageOf[responsesUsage](`{"input_tokens":100000,"input_tokens_details":{"cached_tokens":60000,"cache_write_tokens":8000},"output_tokens":3000,"output_tokens_details":{"reasoning_tokens":2500},"total_tokens":103000}`),
			run.Usage{InputTokens: 100000, CachedInputTokens: 60000, CacheWriteTokens: 8000, OutputTokens: 3000, ReasoningTokens: 2500, Requests: 1},
			"0.066",
		},
		"responses: nothing cached": {
			usageOf[responsesUsage](`{"input_tokens":7,"output_tokens":1,"input_tokens_details":null}`),
			run.Usage{InputTokens: 7, OutputTokens: 1, Requests: 1},
			"0.000013",
		},
		"messages: its input leaves the cache out": {
			// 25 × $1 + 1,024 × $0.1 + 188 × $1.25 + 89 × $6, per million.
			messagesUsageOf(
				`{"input_tokens":25,"cache_creation_input_tokens":188,"cache_read_input_tokens":1024,"output_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":188}}`,
				`{"output_tokens":89,"output_tokens_details":{"thinking_tokens":40}}`),
			run.Usage{InputTokens: 1237, CachedInputTokens: 1024, CacheWriteTokens: 188, OutputTokens: 89, ReasoningTokens: 40, Requests: 1},
			"0.0008964",
		},
		"messages: the end corrects the beginning": {
			messagesUsageOf(`{"input_tokens":1,"output_tokens":1}`, `{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":2}`),
			run.Usage{InputTokens: 15, CachedInputTokens: 5, OutputTokens: 2, Requests: 1},
			"0.0000225",
		},
		"chat": {
			usageOf[chatUsage](`{"prompt_tokens":2006,"completion_tokens":300,"prompt_tokens_details":{"cached_tokens":1920},"completion_tokens_details":{"reasoning_tokens":64}}`),
			run.Usage{InputTokens: 2006, CachedInputTokens: 1920, OutputTokens: 300, ReasoningTokens: 64, Requests: 1},
			"0.002078",
		},
		"chat: a server with words of its own": {
			usageOf[chatUsage](`{"prompt_tokens":100,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36,"completion_tokens":1}`),
			run.Usage{InputTokens: 100, CachedInputTokens: 64, OutputTokens: 1, Requests: 1},
			"0.0000484",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, unknown := test.neutral(t)
			if unknown {
				t.Fatal("the usage is unknown")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("usage (-want +got):\n%s", diff)
			}
			if cost := luna.Cost(got).String(); cost != test.cost {
				t.Errorf("cost %s, want %s", cost, test.cost)
			}
		})
	}
}

func TestUsageThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, neutral := range map[string]func(t *testing.T) (run.Usage, bool){
		"responses: none":          func(*testing.T) (run.Usage, bool) { return (*responsesUsage)(nil).neutral() },
		"responses: below nothing": usageOf[responsesUsage](`{"input_tokens":-1,"output_tokens":1}`),
		"messages: none":           messagesUsageOf(`{}`),
		"messages: half":           messagesUsageOf(`{"input_tokens":3}`),
		"chat: none":               func(*testing.T) (run.Usage, bool) { return (*chatUsage)(nil).neutral() },
		"chat: below nothing":      usageOf[chatUsage](`{"prompt_tokens":1,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":-9}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, unknown := neutral(t)
			if want := (run.Usage{Requests: 1}); !unknown || got != want {
				t.Errorf("got %+v, unknown: %v", got, unknown)
			}
		})
	}
}

func usageOf[U any, P interface {
	*U
	neutral() (run.Usage, bool)
}](text string) func(t *testing.T) (run.Usage, bool) {
	return func(t *testing.T) (run.Usage, bool) {
		t.Helper()
		var usage U
		if err := json.Unmarshal([]byte(text), &usage); err != nil {
			t.Fatal(err)
		}
		return P(&usage).neutral()
	}
}

func messagesUsageOf(texts ...string) func(t *testing.T) (run.Usage, bool) {
	return func(t *testing.T) (run.Usage, bool) {
		t.Helper()
		var usage messagesUsage
		for _, text := range texts {
			var part messagesUsage
			if err := json.Unmarshal([]byte(text), &part); err != nil {
				t.Fatal(err)
			}
			usage.update(part)
		}
		return usage.neutral()
	}
}
