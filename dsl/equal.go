package dsl

// Equal tells whether two values are the same JSON: numbers by value, lists by their items, objects by their keys in
// any order.
func Equal(a, b any) bool {
	switch left := a.(type) {
	case []any:
		right, ok := b.([]any)
		return ok && equalLists(left, right)
	case *Object:
		right, ok := b.(*Object)
		return ok && equalObjects(left, right)
	default:
		switch b.(type) {
		case []any, *Object:
			return false
		}
		return a == b
	}
}

func equalLists(left, right []any) bool {
	if len(left) != len(right) {
		return false
	}
	if len(left) > 0 && &left[0] == &right[0] {
		return true // values are immutable: the same list is equal
	}
	for i := range left {
		if !Equal(left[i], right[i]) {
			return false
		}
	}
	return true
}

func equalObjects(left, right *Object) bool {
	if left == right {
		return true
	}
	if left.Len() != right.Len() {
		return false
	}
	for key, value := range left.All() {
		other, ok := right.Get(key)
		if !ok || !Equal(value, other) {
			return false
		}
	}
	return true
}
