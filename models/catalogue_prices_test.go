package models

import (
	"testing"

	"charm.land/catwalk/pkg/catwalk"
	"charm.land/catwalk/pkg/embedded"
	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

func TestPriceOf(t *testing.T) {
	t.Parallel()
	price := func(input, read, write, output run.USD) *run.Price {
		return &run.Price{Input: input, CacheRead: read, CacheWrite: write, Output: output}
	}
	for name, test := range map[string]struct {
		in, out, inCached, outCached float64
		want                         *run.Price
	}{
		"a write and a read":       {1, 6, 1.25, 0.1, price(1e6, 1e5, 1.25e6, 6e6)},
		"a read as the first":      {5, 30, 0.5, 0, price(5e6, 5e5, 5e6, 30e6)},
		"a read as the second":     {2, 8, 0, 0.5, price(2e6, 5e5, 2e6, 8e6)},
		"a read, twice":            {1.25, 10, 0.125, 0.125, price(1.25e6, 1.25e5, 1.25e6, 10e6)},
		"two reads that differ":    {1, 10, 0.2, 0.1, price(1e6, 2e5, 1e6, 10e6)},
		"changed places":           {0.3, 1.2, 0.03, 0.375, price(3e5, 3e4, 3.75e5, 1.2e6)},
		"a write alone":            {1, 6, 1.25, 0, price(1e6, 1e6, 1.25e6, 6e6)},
		"nothing of a cache":       {30, 180, 0, 0, price(30e6, 30e6, 30e6, 180e6)},
		"as dear as fresh":         {1, 2, 0, 1, price(1e6, 1e6, 1e6, 2e6)},
		"a float that is not even": {0.39999999999999997, 1.5999999999999999, 0, 0.09999999999999999, price(4e5, 1e5, 4e5, 1.6e6)},
		"free of charge":           {0, 0, 0, 0, nil},
		"decided elsewhere":        {-1, -1, 0, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := priceOf(catwalk.Model{
				CostPer1MIn: test.in, CostPer1MOut: test.out, CostPer1MInCached: test.inCached, CostPer1MOutCached: test.outCached,
			})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestEveryEmbeddedPriceMakesSense reads the whole embedded catalogue, also the providers that are not built in.
func TestEveryEmbeddedPriceMakesSense(t *testing.T) {
	t.Parallel()
	for _, listed := range embedded.GetAll() {
		for _, entry := range listed.Models {
			p := priceOf(entry)
			if p == nil {
				continue
			}
			if p.Input <= 0 || p.CacheRead <= 0 || p.CacheRead > p.Input || p.CacheWrite < p.Input || p.Output < 0 {
				t.Errorf("%s/%s: %+v of %+v", listed.ID, entry.ID, p, entry)
			}
		}
	}
}
