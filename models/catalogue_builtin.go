package models

import (
	"strconv"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"

	"github.com/agentrun/agentrun/run"
)

// catwalkSource names where the built-in prices are from.
const catwalkSource = "catwalk v0.52.1"

// standardWindow is how many tokens of input OpenAI takes at its listed price: a request with more is charged double for
// its input and half as much again for its output. Listed windows end here, so that the listed price is a bound; the
// owner's file may say otherwise, with the prices that go with it.
const standardWindow = 272_000

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
			if p.name == providerOpenAI {
				model.ContextWindow = min(model.ContextWindow, standardWindow)
			}
			c.models[model.ID] = model
		}
	}
}

// priceOf reads an entry's prices. Its "in cached" figure is the cache-write price and its "out cached" figure the
// cache-read price in most entries; in others the first, or the larger of both, is the read price, or they have changed
// places. No provider sells a cache write below the input price or a read above it, which tells them apart; what is not
// said costs as much as fresh input.
func priceOf(entry catwalk.Model) *run.Price {
	if entry.CostPer1MIn <= 0 || entry.CostPer1MOut < 0 {
		return nil // nobody knows, which is not the same as free
	}
	input := perToken(entry.CostPer1MIn)
	price := &run.Price{Input: input, CacheWrite: input, Output: perToken(entry.CostPer1MOut)}
	for _, figure := range []run.USD{perToken(entry.CostPer1MInCached), perToken(entry.CostPer1MOutCached)} {
		if figure >= input {
			price.CacheWrite = max(price.CacheWrite, figure)
		} else {
			price.CacheRead = max(price.CacheRead, figure)
		}
	}
	if price.CacheRead == 0 {
		price.CacheRead = input
	}
	return price
}

// perToken is a catalogue's figure, USD per million tokens, as an exact price of one token. The figures are prices with a
// few decimals that went through binary floats (0.39999999999999997): they are read to the microdollar.
func perToken(perMillion float64) run.USD {
	const decimals = 6
	usd, err := run.ParseUSD(strconv.FormatFloat(perMillion, 'f', decimals, 64))
	if err != nil {
		return 0
	}
	return run.PerMillion(usd)
}
