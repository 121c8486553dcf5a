package faux

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// failer is what *testing.T and *rapid.T have in common for a check that may be made by either.
type failer interface {
	Fatalf(format string, args ...any)
}

// TestAppendStringIsJSON: whatever the bytes, the result is JSON of the same text, what is not UTF-8 replaced.
func TestAppendStringIsJSON(t *testing.T) {
	t.Parallel()
	check := func(t failer, text string) {
		encoded := appendString([]byte("x"), text)
		var got string
		if err := json.Unmarshal(encoded[1:], &got); err != nil {
			t.Fatalf("%q gives %s: %v", text, encoded, err)
		}
		want, err := json.Marshal(text)
		if err != nil {
			t.Fatalf("%v", err)
		}
		var back string
		if err := json.Unmarshal(want, &back); err != nil || got != back {
			t.Fatalf("%q gives %q, want %q", text, got, back)
		}
	}
	for _, text := range []string{"", "plain", "\"\\\n\r\t\x00\x1f\x7f", "é😀", "a\xffb\xc3", "\u2028", "\ufffd"} {
		check(t, text)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))) })
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		n    int
		want []string
	}{
		{"", 3, []string{""}},
		{"abc", 0, []string{"abc"}},
		{"abcdef", 3, []string{"ab", "cd", "ef"}},
		{"abcdefg", 3, []string{"abc", "def", "g"}},
		{"ab", 5, []string{"a", "b"}},
		{"éé", 4, []string{"é", "é"}},
	} {
		if diff := cmp.Diff(test.want, pieces(test.text, test.n)); diff != "" {
			t.Errorf("pieces(%q, %d) (-want +got):\n%s", test.text, test.n, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text, n := rapid.String().Draw(t, "text"), rapid.IntRange(0, 20).Draw(t, "n")
		parts := pieces(text, n)
		if strings.Join(parts, "") != text {
			t.Fatalf("the pieces are %q", parts)
		}
		for _, part := range parts {
			if !utf8.ValidString(part) {
				t.Fatalf("a piece is %q", part)
			}
		}
	})
}

func TestHeadAndExcerpt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		limit int
		head  string
	}{
		{"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"abc", -1, ""}, {"aé", 2, "a"}, {"é", 1, ""},
	} {
		if got := head(test.text, test.limit); got != test.head {
			t.Errorf("head(%q, %d) = %q, want %q", test.text, test.limit, got, test.head)
		}
	}
	if got := excerpt("abcdef", 3); got != "abc…" {
		t.Errorf("excerpt is %q", got)
	}
}

func TestRangeAndDurationReadWhatTheyWrite(t *testing.T) {
	t.Parallel()
	one, five := int64(1), int64(5)
	for text, want := range map[string]Range{
		`3`: *Exactly(3), `{"min":1}`: {Min: &one}, `{"min":1,"max":5}`: {Min: &one, Max: &five},
	} {
		var got Range
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{`"3"`, `{"min":"a"}`, `1.5`} {
		if err := json.Unmarshal([]byte(text), &Range{}); err == nil {
			t.Errorf("the range %s was read", text)
		}
	}
	none := (*Range)(nil)
	between := &Range{Min: &one, Max: &five}
	if !none.allows(9) || between.allows(0) || !between.allows(1) || !between.allows(5) || between.allows(6) {
		t.Error("a range allows the wrong numbers")
	}
	var pause Duration
	if err := json.Unmarshal([]byte(`"1m30s"`), &pause); err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(pause); err != nil || string(text) != `"1m30s"` {
		t.Errorf("the duration is %s, %v", text, err)
	}
	for _, text := range []string{`5`, `"5"`, `"soon"`} {
		if err := json.Unmarshal([]byte(text), &pause); err == nil {
			t.Errorf("the duration %s was read", text)
		}
	}
}
