package dsl

import (
	"slices"
	"strings"
)

// lookup reads a dot-separated path: objects by own key, lists by canonical decimal index, and nothing inside of a
// text. The empty path is the whole value.
func lookup(value any, path string) (any, bool) {
	for path != "" {
		var segment string
		segment, path, _ = cutSegment(path)
		var ok bool
		if value, ok = step(value, segment); !ok {
			return nil, false
		}
	}
	return value, true
}

// cutSegment takes the first segment off a path. A path that ends with a dot ends with an empty segment.
func cutSegment(path string) (first, rest string, more bool) {
	first, rest, more = strings.Cut(path, ".")
	if more && rest == "" {
		rest = emptySegment
	}
	if first == emptySegment {
		first = ""
	}
	return first, rest, more
}

// emptySegment stands for a last segment that is empty: no key of a document holds NUL.
const emptySegment = "\x00"

func step(value any, segment string) (any, bool) {
	switch v := value.(type) {
	case *Object:
		return v.Get(segment)
	case []any:
		i, ok := listIndex(segment)
		if !ok || i >= len(v) {
			return nil, false
		}
		return v[i], true
	default:
		return nil, false
	}
}

// listIndex reads a decimal index without sign or leading zeros.
func listIndex(segment string) (int, bool) {
	if segment == "" || len(segment) > 9 || (len(segment) > 1 && segment[0] == '0') {
		return 0, false
	}
	index := 0
	for i := range len(segment) {
		digit := segment[i]
		if digit < '0' || digit > '9' {
			return 0, false
		}
		index = index*10 + int(digit-'0')
	}
	return index, true
}

// concrete tells whether a value says something: a text that is not blank, a number, a boolean, or a list or object
// that holds one of these.
func concrete(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case string:
		return !blank(v)
	case []any:
		return slices.ContainsFunc(v, concrete)
	case *Object:
		for _, item := range v.All() {
			if concrete(item) {
				return true
			}
		}
		return false
	default:
		return true
	}
}

func blank(s string) bool { return trimSpace(s) == "" }

// trimSpace trims what JavaScript's trim does: Unicode space, line ends and the byte order mark.
func trimSpace(s string) string { return strings.TrimFunc(s, isSpace) }

func isSpace(r rune) bool {
	switch r {
	case '\t', '\n', '\v', '\f', '\r', ' ', '\u00a0', '\u1680', '\u2028', '\u2029', '\u202f', '\u205f', '\u3000', '\ufeff':
		return true
	default:
		return r >= '\u2000' && r <= '\u200a'
	}
}
