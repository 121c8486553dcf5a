package faux

import (
	"fmt"

	"github.com/agentrun/agentrun/run"
)

func (c *compiler) models(models []Model) {
	seen := map[string]bool{}
	for i, model := range models {
		path := fmt.Sprintf("models[%d]", i)
		if model.ID == "" {
			c.faultf(path+".id", "required", "is required")
		}
		if seen[model.ID] {
			c.faultf(path+".id", "duplicate", "the model %q is listed twice", model.ID)
		}
		seen[model.ID] = true
		if model.Prices != nil {
			c.price(path+".prices.input", model.Prices.Input)
			c.price(path+".prices.cache_read", model.Prices.CacheRead)
			c.price(path+".prices.cache_write", model.Prices.CacheWrite)
			c.price(path+".prices.output", model.Prices.Output)
		}
	}
}

func (c *compiler) price(path string, price run.USD) {
	const microdollar = run.Dollar / 1_000_000
	if price < 0 || price%microdollar != 0 {
		c.faultf(path, "invalid", "must be an amount of at most six decimals, not below zero")
	}
}

func (c *compiler) usage(path string, usage *Usage) {
	if usage == nil {
		return
	}
	for _, count := range []int64{usage.Input, usage.Cached, usage.CacheWrite, usage.Output, usage.Reasoning} {
		if count < 0 {
			c.faultf(path, "invalid", "holds a count below zero")
			return
		}
	}
}
