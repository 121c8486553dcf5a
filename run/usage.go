package run

// Usage counts what a run, or one request of it, consumed. InputTokens is every token sent, those read from and those
// written to the provider's cache included; OutputTokens includes ReasoningTokens.
type Usage struct {
	InputTokens       int64 `json:"input_tokens"`
	CachedInputTokens int64 `json:"cached_input_tokens"`
	CacheWriteTokens  int64 `json:"cache_write_tokens"`
	OutputTokens      int64 `json:"output_tokens"`
	ReasoningTokens   int64 `json:"reasoning_tokens"`
	Requests          int64 `json:"requests"`
	ToolCalls         int64 `json:"tool_calls"`
}

// Add sums another usage into u.
func (u *Usage) Add(v Usage) {
	u.InputTokens += v.InputTokens
	u.CachedInputTokens += v.CachedInputTokens
	u.CacheWriteTokens += v.CacheWriteTokens
	u.OutputTokens += v.OutputTokens
	u.ReasoningTokens += v.ReasoningTokens
	u.Requests += v.Requests
	u.ToolCalls += v.ToolCalls
}

// Price is what a model charges per token (picodollars a token: USD per million tokens times a million).
type Price struct {
	Input      USD `json:"input"`
	CacheRead  USD `json:"cache_read"`
	CacheWrite USD `json:"cache_write"`
	Output     USD `json:"output"`
}

// PerMillion turns a price in USD per million tokens into the price of one token. The price must be a whole number of
// microdollars per million (six decimals); finer prices are rounded up, so that a bound stays a bound.
func PerMillion(usd USD) USD {
	const million = 1_000_000
	return (usd + million - 1) / million
}

// Cost is what a usage costs. Counts a provider reports inconsistently (more cached than sent) are charged, not
// subtracted below zero.
func (p Price) Cost(u Usage) USD {
	fresh := max(0, u.InputTokens-u.CachedInputTokens-u.CacheWriteTokens)
	return p.Input.Times(fresh).
		Plus(p.CacheRead.Times(u.CachedInputTokens)).
		Plus(p.CacheWrite.Times(u.CacheWriteTokens)).
		Plus(p.Output.Times(u.OutputTokens))
}
