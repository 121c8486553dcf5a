package faux

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Range is a condition on a count, written as a number or as {min, max}; a nil end is open.
type Range struct {
	Min *int64 `json:"min,omitempty"`
	Max *int64 `json:"max,omitempty"`
}

// Exactly is the Range of one number.
func Exactly(n int64) *Range { return &Range{Min: &n, Max: &n} }

// UnmarshalJSON reads 3 or {"min": 1, "max": 3}.
func (r *Range) UnmarshalJSON(data []byte) error {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var n int64
		if err := json.Unmarshal(data, &n); err != nil {
			return fmt.Errorf("a range is a number or {min, max}: %w", err)
		}
		*r = *Exactly(n)
		return nil
	}
	type plain Range
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return fmt.Errorf("a range is a number or {min, max}: %w", err)
	}
	return nil
}

// allows tells whether n fulfils the condition; a nil Range allows all.
func (r *Range) allows(n int64) bool {
	return r == nil || (r.Min == nil || n >= *r.Min) && (r.Max == nil || n <= *r.Max)
}
