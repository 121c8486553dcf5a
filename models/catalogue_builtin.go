package models

import (
	"cmp"
	"strconv"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/agentrun/agentrun/run"
)

// catwalkSource names where the built-in prices are from.
const catwalkSource = "catwalk v0.52.1"

// loadBuiltIn lists the models of the built-in providers with catwalk's embedded prices and limits.
func (c *Catalogue) loadBuiltIn() {
	for _, listed := range embedded.GetAll() {
		p, ok := c.providers[string(listed.ID)]
		if !ok {
			continue
		}
		for _, entry := range listed.Models {
			model := run.Model{
				ID: p.name + "/" + entry.ID, Name: entry.ID, Provider: p.name, API: p.api, Price: priceOf(entry),
				ContextWindow: entry.ContextWindow, MaxOutput: entry.DefaultMaxTokens, Reasoning: entry.CanReason,
				Efforts: entry.ReasoningLevels, Source: catwalkSource,
			}
			c.models[model.ID] = model
		}
	}
}

// priceOf reads an entry's prices. Its "in cached" figure is the cache-write price where it is not below the input
// price, and the cache-read price where it is and "out cached" says nothing: both are in use. What is not said, or
// makes no sense, counts as fresh input.
func priceOf(entry catwalk.Model) *run.Price {
	if entry.CostPer1MIn <= 0 && entry.CostPer1MOut <= 0 {
		return nil // nobody knows, which is not the same as free
	}
	input, first, second := perToken(entry.CostPer1MIn), perToken(entry.CostPer1MInCached), perToken(entry.CostPer1MOutCached)
	price := &run.Price{Input: input, CacheRead: input, CacheWrite: input, Output: perToken(entry.CostPer1MOut)}
	switch {
	case first >= input:
		price.CacheWrite = first
		if second > 0 && second <= input {
			price.CacheRead = second
		}
	case first > 0 && second == 0:
		price.CacheRead = first
	case first > 0 || second > 0:
		price.CacheRead = min(input, cmp.Or(max(first, second), input))
	}
	return price
}

// perToken is a catalogue's figure, USD per million tokens, as an exact price of one token.
func perToken(perMillion float64) run.USD {
	usd, err := run.ParseUSD(strconv.FormatFloat(perMillion, 'f', -1, 64))
	if err != nil {
		return 0
	}
	return run.PerMillion(usd)
}
