package models

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// body is a JSON document being written. Request bodies are written here and not by the clients' typed parameters,
// because a conversation is sent again on every turn: stored JSON (native items, arguments, schemas) is copied as it is
// instead of being decoded and encoded, and the bytes of what was sent before stay the same.
type body struct{ buf []byte }

// next writes the comma before a value or key that is not the first.
func (b *body) next() {
	if n := len(b.buf); n > 0 {
		switch b.buf[n-1] {
		case '{', '[', ':':
		default:
			b.buf = append(b.buf, ',')
		}
	}
}

func (b *body) open(bracket byte) {
	b.next()
	b.buf = append(b.buf, bracket)
}

func (b *body) close(bracket byte) { b.buf = append(b.buf, bracket) }

func (b *body) key(name string) {
	b.str(name)
	b.buf = append(b.buf, ':')
}

func (b *body) str(s string) {
	b.next()
	b.buf = appendString(b.buf, s)
}

// raw writes stored JSON as it is; nothing is null.
func (b *body) raw(data json.RawMessage) {
	b.next()
	if len(data) == 0 {
		data = json.RawMessage("null")
	}
	b.buf = append(b.buf, data...)
}

func (b *body) field(name, value string) {
	b.key(name)
	b.str(value)
}

func (b *body) rawField(name string, value json.RawMessage) {
	b.key(name)
	b.raw(value)
}

func (b *body) intField(name string, value int64) {
	b.key(name)
	b.buf = strconv.AppendInt(b.buf, value, 10)
}

func (b *body) boolField(name string, value bool) {
	b.key(name)
	b.buf = strconv.AppendBool(b.buf, value)
}

const hexDigits = "0123456789abcdef"

// plainBytes are the bytes that a JSON string has as they are: all but controls, quote, backslash and those of letters
// beyond ASCII, which are checked.
var plainBytes = func() (plain [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		plain[c] = c != '"' && c != '\\'
	}
	return plain
}()

// appendString writes s as a JSON string; bytes that are not UTF-8 become U+FFFD.
func appendString(buf []byte, s string) []byte {
	buf = append(buf, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plainBytes[c] {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				buf = append(append(buf, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		buf = appendEscaped(append(buf, s[start:i]...), c)
		i++
		start = i
	}
	return append(append(buf, s[start:]...), '"')
}

func appendEscaped(buf []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(buf, '\\', c)
	case '\n':
		return append(buf, '\\', 'n')
	case '\r':
		return append(buf, '\\', 'r')
	case '\t':
		return append(buf, '\\', 't')
	default:
		return append(buf, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
	}
}
