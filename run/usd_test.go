package run_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/run"
)

func TestParseUSDIsExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]run.USD{
		"0": 0, "1": run.Dollar, "1.6384": 1_638_400_000_000, "0.0004": 400_000_000, "1e-3": 1_000_000_000,
		"0.000000000001": 1, "-2.5": -2_500_000_000_000, "1E2": 100 * run.Dollar,
	} {
		got, err := run.ParseUSD(text)
		if err != nil || got != want {
			t.Errorf("ParseUSD(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseUSDRefusesWhatItCannotHold(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "x", "0.0000000000001", "1e30", "1/3", "0x10", "1_000", "Inf", "NaN", "1e999999999", "9300000",
		`"1"`, "1e-99999", "11111111111111111111111111111111111111111111111111",
	} {
		if got, err := run.ParseUSD(text); !errors.Is(err, run.ErrUSD) {
			t.Errorf("ParseUSD(%q) = %d, %v; want ErrUSD", text, got, err)
		}
	}
}

func TestUSDShowsAtMostTenDecimals(t *testing.T) {
	t.Parallel()
	for amount, want := range map[run.USD]string{
		0: "0", 1: "0", 50: "0.0000000001", 49: "0", -1: "0", 400_000_000: "0.0004", run.Dollar: "1",
		-1_638_400_000_000: "-1.6384", math.MaxInt64: "9223372.0368547758", math.MinInt64: "-9223372.0368547758",
	} {
		if got := amount.String(); got != want {
			t.Errorf("USD(%d) = %q, want %q", int64(amount), got, want)
		}
	}
}

func TestUSDReadsBackWhatItWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := run.USD(rapid.Int64Range(-1e18, 1e18).Draw(t, "hundreds")) / 100 * 100
		data, err := json.Marshal(amount)
		if err != nil {
			t.Fatal(err)
		}
		var back run.USD
		if err := json.Unmarshal(data, &back); err != nil || back != amount {
			t.Fatalf("%d → %s → %d (%v)", amount, data, back, err)
		}
	})
}

func TestSumsSaturateInsteadOfWrapping(t *testing.T) {
	t.Parallel()
	huge := run.USD(math.MaxInt64)
	if got := huge.Plus(1); got != huge {
		t.Errorf("max + 1 = %d", got)
	}
	if got := run.USD(math.MaxInt64 / 2).Times(3); got != huge {
		t.Errorf("half max × 3 = %d", got)
	}
	if got := run.USD(0).Times(math.MaxInt64); got != 0 {
		t.Errorf("0 × max = %d", got)
	}
}

func TestCostChargesEachKindOfTokenAtItsOwnPrice(t *testing.T) {
	t.Parallel()
	perMillion := func(text string) run.USD {
		usd, err := run.ParseUSD(text)
		if err != nil {
			t.Fatal(err)
		}
		return run.PerMillion(usd)
	}
	price := run.Price{
		Input: perMillion("3"), CacheRead: perMillion("0.3"), CacheWrite: perMillion("3.75"), Output: perMillion("15"),
	}
	usage := run.Usage{InputTokens: 1_000_000, CachedInputTokens: 400_000, CacheWriteTokens: 100_000, OutputTokens: 10_000}
	// 0.5 M fresh × 3 + 0.4 M × 0.3 + 0.1 M × 3.75 + 0.01 M × 15
	if got := price.Cost(usage).String(); got != "2.145" {
		t.Errorf("cost = %s, want 2.145", got)
	}
	inconsistent := run.Usage{InputTokens: 10, CachedInputTokens: 30}
	if got := price.Cost(inconsistent); got != price.CacheRead.Times(30) {
		t.Errorf("more cached than sent costs %d", got)
	}
	if got := perMillion("0.0000005"); got != 1 {
		t.Errorf("a price finer than a picodollar a token is %d, want it rounded up", got)
	}
}
