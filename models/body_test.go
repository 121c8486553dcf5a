package models

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestAppendStringIsTheSameText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.StringOf(rapid.RuneFrom([]rune("a\"\\\n\r\t\x00\x1f\x7f<>&é\u2028😀"))),
		).Draw(t, "text")
		var got string
		quoted := appendString(nil, text)
		if err := json.Unmarshal(quoted, &got); err != nil {
			t.Fatalf("%q is not JSON: %v", quoted, err)
		}
		if want := eachInvalidByte(text); got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// eachInvalidByte replaces every byte that is not UTF-8 by U+FFFD.
func eachInvalidByte(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		b.WriteRune(r)
		i += size
	}
	return b.String()
}

func TestBodyPutsCommas(t *testing.T) {
	t.Parallel()
	var b body
	b.open('{')
	b.field("colon", "ends with :")
	b.intField("n", -3)
	b.key("list")
	b.open('[')
	b.str("[")
	b.raw(json.RawMessage(`{"a":[]}`))
	b.raw(nil)
	b.close(']')
	b.boolField("last", true)
	b.close('}')
	want := `{"colon":"ends with :","n":-3,"list":["[",{"a":[]},null],"last":true}`
	if got := string(b.buf); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
