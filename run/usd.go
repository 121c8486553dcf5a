package run

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// USD is an amount of money in picodollars (1e-12 USD). A price of 0.075 USD per million tokens is exactly 75,000 of
// them per token, so sums of token costs are exact integers. The range is about ±9.2 million USD.
type USD int64

// Dollar is one US dollar.
const Dollar USD = 1_000_000_000_000

// jsonDecimals is how many decimals the contract allows a USD figure (contract §1).
const jsonDecimals = 10

// finest is the last of those decimals, in picodollars.
const finest = 100

// ErrUSD reports text that is not an amount USD can hold exactly.
var ErrUSD = errors.New("not an amount in USD with at most 12 decimals")

// ParseUSD reads a decimal such as "0.0004" or "1e-3" exactly. Text with more than 12 decimals, out of range, or not a
// number is ErrUSD.
func ParseUSD(text string) (USD, error) {
	// A huge exponent would make the exact rational huge: a figure longer than this is no amount of money.
	if len(text) > 40 || strings.ContainsAny(text, "/_xXpP") {
		return 0, fmt.Errorf("%w: %q", ErrUSD, text)
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		if exp, err := strconv.Atoi(text[i+1:]); err != nil || exp < -30 || exp > 30 {
			return 0, fmt.Errorf("%w: %q", ErrUSD, text)
		}
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, fmt.Errorf("%w: %q", ErrUSD, text)
	}
	value.Mul(value, new(big.Rat).SetInt64(int64(Dollar)))
	if !value.IsInt() || !value.Num().IsInt64() {
		return 0, fmt.Errorf("%w: %q", ErrUSD, text)
	}
	return USD(value.Num().Int64()), nil
}

// String is the amount as a plain decimal with at most 10 decimals, rounded half away from zero: "1.6384".
func (u USD) String() string {
	n := int64(u)
	sign := ""
	magnitude := uint64(n)
	if n < 0 {
		sign, magnitude = "-", -uint64(n)
	}
	magnitude = (magnitude + finest/2) / finest
	const scale = 10_000_000_000
	whole, frac := magnitude/scale, magnitude%scale
	if magnitude == 0 {
		sign = ""
	}
	text := sign + strconv.FormatUint(whole, 10)
	if frac == 0 {
		return text
	}
	return text + "." + strings.TrimRight(fmt.Sprintf("%0*d", jsonDecimals, frac), "0")
}

// MarshalJSON writes the amount as a JSON number.
func (u USD) MarshalJSON() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalJSON reads a JSON number exactly; a string, or a number USD cannot hold, is ErrUSD.
func (u *USD) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, []byte("null")) {
		return nil
	}
	value, err := ParseUSD(string(data))
	if err != nil {
		return err
	}
	*u = value
	return nil
}

// Times is u multiplied by n, saturating at the largest amount instead of wrapping round.
func (u USD) Times(n int64) USD {
	if u == 0 || n == 0 {
		return 0
	}
	product := int64(u) * n
	if product/n != int64(u) || (n == -1 && int64(u) == math.MinInt64) {
		return USD(math.MaxInt64)
	}
	return USD(product)
}

// Plus is u + v for amounts that are not negative, saturating instead of wrapping round.
func (u USD) Plus(v USD) USD {
	if sum := u + v; sum >= u {
		return sum
	}
	return USD(math.MaxInt64)
}
