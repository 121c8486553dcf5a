package models

import "github.com/agentrun/agentrun/run"

// responsesUsage is a Responses usage: its input includes what was read from and written to the cache.
type responsesUsage struct {
	InputTokens  int64 `json:"input_tokens"`
	InputDetails struct {
		CachedTokens     int64 `json:"cached_tokens"`
		CacheWriteTokens int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputTokens  int64 `json:"output_tokens"`
	OutputDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

func (u *responsesUsage) neutral() (usage run.Usage, unknown bool) {
	if u == nil {
		return counted(run.Usage{}, true)
	}
	return counted(run.Usage{
		InputTokens:       u.InputTokens,
		CachedInputTokens: u.InputDetails.CachedTokens,
		CacheWriteTokens:  u.InputDetails.CacheWriteTokens,
		OutputTokens:      u.OutputTokens,
		ReasoningTokens:   u.OutputDetails.ReasoningTokens,
	}, false)
}

// chatUsage is a Chat Completions usage. HitTokens is what some servers call the tokens read from the cache.
type chatUsage struct {
	PromptTokens  int64 `json:"prompt_tokens"`
	HitTokens     int64 `json:"prompt_cache_hit_tokens"`
	PromptDetails struct {
		CachedTokens     int64 `json:"cached_tokens"`
		CacheWriteTokens int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokens  int64 `json:"completion_tokens"`
	CompletionDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *chatUsage) neutral() (usage run.Usage, unknown bool) {
	if u == nil {
		return counted(run.Usage{}, true)
	}
	cached := u.PromptDetails.CachedTokens
	if cached == 0 {
		cached = u.HitTokens
	}
	return counted(run.Usage{
		InputTokens:       u.PromptTokens,
		CachedInputTokens: cached,
		CacheWriteTokens:  u.PromptDetails.CacheWriteTokens,
		OutputTokens:      u.CompletionTokens,
		ReasoningTokens:   u.CompletionDetails.ReasoningTokens,
	}, false)
}

// messagesUsage is a Messages usage: its input leaves out what was read from and written to the cache. It comes in two
// parts, of which the later counts where it has a figure.
type messagesUsage struct {
	InputTokens   *int64 `json:"input_tokens"`
	CacheRead     *int64 `json:"cache_read_input_tokens"`
	CacheCreation *int64 `json:"cache_creation_input_tokens"`
	OutputTokens  *int64 `json:"output_tokens"`
	OutputDetails *struct {
		ThinkingTokens int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u *messagesUsage) update(later messagesUsage) {
	u.InputTokens = latest(u.InputTokens, later.InputTokens)
	u.CacheRead = latest(u.CacheRead, later.CacheRead)
	u.CacheCreation = latest(u.CacheCreation, later.CacheCreation)
	u.OutputTokens = latest(u.OutputTokens, later.OutputTokens)
	u.OutputDetails = latest(u.OutputDetails, later.OutputDetails)
}

func (u *messagesUsage) neutral() (usage run.Usage, unknown bool) {
	usage = run.Usage{
		CachedInputTokens: number(u.CacheRead),
		CacheWriteTokens:  number(u.CacheCreation),
		OutputTokens:      number(u.OutputTokens),
	}
	usage.InputTokens = number(u.InputTokens) + usage.CachedInputTokens + usage.CacheWriteTokens
	if u.OutputDetails != nil {
		usage.ReasoningTokens = u.OutputDetails.ThinkingTokens
	}
	return counted(usage, u.InputTokens == nil || u.OutputTokens == nil)
}

func latest[T any](before, later *T) *T {
	if later != nil {
		return later
	}
	return before
}

func number(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// counted completes a usage. Counts that cannot be (negative ones) make it unknown.
func counted(usage run.Usage, unknown bool) (run.Usage, bool) {
	lowest := min(usage.InputTokens, usage.CachedInputTokens, usage.CacheWriteTokens, usage.OutputTokens, usage.ReasoningTokens)
	if unknown || lowest < 0 {
		return run.Usage{Requests: 1}, true
	}
	usage.Requests = 1
	return usage, false
}
