package faux

import (
	"strings"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string; what is not UTF-8 becomes the replacement character.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = appendEscaped(dst, s)
	return append(dst, '"')
}

// appendEscaped appends s as the inside of a JSON string.
func appendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
			dst = append(append(dst, s[start:i]...), `\ufffd`...)
			i += size
			start = i
			continue
		}
		dst = append(dst, s[start:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

// excerpt is the beginning of s, at most limit bytes and an ellipsis, in memory of its own.
func excerpt(s string, limit int) string {
	if len(s) <= limit {
		return strings.Clone(s)
	}
	return head(s, limit) + "…"
}

// head is the beginning of s, at most limit bytes, never ending within a character.
func head(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	limit = max(0, limit)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// pieces splits s into at most n pieces of about the same length, never within a character.
func pieces(s string, n int) []string {
	if n <= 1 || len(s) <= 1 {
		return []string{s}
	}
	size := (len(s) + n - 1) / n
	var parts []string
	for len(s) > 0 {
		part := head(s, size)
		if part == "" { // one character is longer than a piece
			_, width := utf8.DecodeRuneInString(s)
			part = s[:width]
		}
		parts = append(parts, part)
		s = s[len(part):]
	}
	return parts
}
