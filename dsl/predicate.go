package dsl

import "math"

// holds decides a predicate over a state. It is total: what does not fit is false. A judge decides `ask`, and an
// expression `expr`: not this.
func (p *Predicate) holds(state any) bool {
	value, found := lookup(state, p.Path)
	switch p.Name {
	case "field_equals":
		return found && Equal(value, p.Value)
	case "field_true":
		return value == true
	case "in":
		return found && isMember(value, p.Values)
	case "count_gte":
		return count(value) >= p.N
	case "gte":
		number, ok := finite(value)
		return ok && number >= p.N
	case "lt":
		number, ok := finite(value)
		return ok && number < p.N
	case "empty":
		return isEmpty(value)
	case "no_new_items":
		value, _ = lookup(state, p.Key)
		return isFalsy(value)
	default:
		return false
	}
}

// isMember compares as JavaScript's includes does with scalars: an object or list is never one of them.
func isMember(value any, values []any) bool {
	switch value.(type) {
	case []any, *Object:
		return false
	}
	for _, other := range values {
		if Equal(value, other) {
			return true
		}
	}
	return false
}

func count(value any) float64 {
	switch v := value.(type) {
	case []any:
		return float64(len(v))
	case float64:
		return v
	default:
		return 0
	}
}

func finite(value any) (float64, bool) {
	number, ok := value.(float64)
	return number, ok && !math.IsInf(number, 0) && !math.IsNaN(number)
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	default:
		return false
	}
}

// isFalsy is an empty list, or what JavaScript takes as false.
func isFalsy(value any) bool {
	switch v := value.(type) {
	case bool:
		return !v
	case float64:
		return v == 0 || math.IsNaN(v)
	default:
		return isEmpty(value)
	}
}
