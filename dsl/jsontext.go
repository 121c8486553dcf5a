package dsl

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// JSON is the JSON text of a value: keys in order, no spaces, the shortest numbers, nothing escaped that need not be.
func JSON(value any) string { return string(appendJSON(nil, value, inOrder)) }

// Canonical is the JSON text of a value with the keys of every object sorted: those that are array indexes first by
// number, the others by their UTF-16 code units.
func Canonical(value any) string { return string(appendJSON(nil, value, canonicalKeys)) }

func inOrder(o *Object) []string { return o.Keys() }

func canonicalKeys(o *Object) []string {
	keys := slices.Clone(o.Keys())
	slices.SortFunc(keys, compareKeys)
	return keys
}

func appendJSON(to []byte, value any, keys func(*Object) []string) []byte {
	switch v := value.(type) {
	case nil:
		return append(to, "null"...)
	case bool:
		return strconv.AppendBool(to, v)
	case float64:
		return appendNumber(to, v)
	case string:
		return appendText(to, v)
	case []any:
		to = append(to, '[')
		for i, item := range v {
			if i > 0 {
				to = append(to, ',')
			}
			to = appendJSON(to, item, keys)
		}
		return append(to, ']')
	case *Object:
		to = append(to, '{')
		for i, key := range keys(v) {
			if i > 0 {
				to = append(to, ',')
			}
			to = append(appendText(to, key), ':')
			item, _ := v.Get(key)
			to = appendJSON(to, item, keys)
		}
		return append(to, '}')
	default:
		return append(to, "null"...)
	}
}

// appendNumber writes a double as JavaScript does; what JSON cannot say is null.
func appendNumber(to []byte, number float64) []byte {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return append(to, "null"...)
	}
	if number == 0 {
		return append(to, '0') // minus zero too
	}
	size := math.Abs(number)
	if size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(to, number, 'f', -1, 64)
	}
	start := len(to)
	to = strconv.AppendFloat(to, number, 'e', -1, 64)
	// Go writes at least two digits of an exponent, JavaScript as many as there are.
	if n := len(to); n-start >= 4 && to[n-2] == '0' && (to[n-3] == '-' || to[n-3] == '+') {
		to[n-2] = to[n-1]
		to = to[:n-1]
	}
	return to
}

const hexDigits = "0123456789abcdef"

func appendText(to []byte, text string) []byte {
	to = append(to, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError {
				to = append(to, "\ufffd"...)
			} else {
				to = append(to, text[i:i+size]...)
			}
			i += size
			continue
		}
		to = appendASCII(to, c)
		i++
	}
	return append(to, '"')
}

func appendASCII(to []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(to, '\\', c)
	case '\b':
		return append(to, `\b`...)
	case '\f':
		return append(to, `\f`...)
	case '\n':
		return append(to, `\n`...)
	case '\r':
		return append(to, `\r`...)
	case '\t':
		return append(to, `\t`...)
	default:
		if c < ' ' {
			return append(to, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		return append(to, c)
	}
}
