package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEdit(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, before string
		pairs        []string
		after        string
	}{
		{"one", "a b c", []string{"b", "B"}, "a B c"},
		{"the whole file", "abc", []string{"abc", ""}, ""},
		{"several, in any order", "one\ntwo\nthree\n", []string{"three", "3", "one", "1"}, "1\ntwo\n3\n"},
		{"all against the original", "a\nb\n", []string{"a", "b", "b", "a"}, "b\na\n"},
		{"new text may repeat old text", "x y", []string{"x", "x x x"}, "x x x y"},
		{"neighbours", "abcd", []string{"ab", "1", "cd", "2"}, "12"},
		{"lines deleted", "a\nb\nc\n", []string{"b\n", ""}, "a\nc\n"},
		{"no newline at the end", "a\nb", []string{"b", "c"}, "a\nc"},
		{"a newline added at the end", "a\nb", []string{"b", "b\n"}, "a\nb\n"},
		{"unicode", "naïve 日本 café", []string{"日本", "nihon", "café", "thé"}, "naïve nihon thé"},
		{"composed and decomposed letters differ", "e\u0301 \u00e9", []string{"\u00e9", "e"}, "e\u0301 e"},
		{"spaces count", "a  b", []string{"a  b", "a b"}, "a b"},
		{"a regular expression is text", "a.*b axxb", []string{"a.*b", "$1"}, "$1 axxb"},
		{"not all bytes are text", "\xff\xfe keep \x00 this", []string{"keep", "kept"}, "\xff\xfe kept \x00 this"},
		{"a byte-order mark stays", "\ufeffone", []string{"one", "two"}, "\ufefftwo"},

		{"CRLF kept within a line", "a\r\nb\r\n", []string{"b", "c"}, "a\r\nc\r\n"},
		{"LF matches CRLF", "a\r\nb\r\nc", []string{"a\nb", "x\ny"}, "x\r\ny\r\nc"},
		{"CRLF matches CRLF", "a\r\nb\r\nc", []string{"a\r\nb", "x\r\ny"}, "x\r\ny\r\nc"},
		{"CRLF matches LF", "a\nb\nc", []string{"a\r\nb", "x\r\ny"}, "x\ny\nc"},
		{"lines put into a CRLF file", "a\r\nb\r\n", []string{"b", "b\nc"}, "a\r\nb\r\nc\r\n"},
		{"a line end put in where one was", "a\r\nb", []string{"a\n", "a\n\n"}, "a\r\n\r\nb"},
		{"lines joined", "a\r\nb\r\nc", []string{"a\nb", "ab"}, "ab\r\nc"},
		{"mixed breaks stay where nothing is edited", "a\r\nb\nc\r\nd", []string{"c", "C", "a", "A"}, "A\r\nb\nC\r\nd"},
		{"mixed breaks follow what is replaced", "a\r\nb\nc\n", []string{"b\nc", "b\nx\nc"}, "a\r\nb\nx\nc\n"},
		{"a bare carriage return is a byte like any", "a\rb\r\r\nc", []string{"b\r", "x"}, "a\rx\r\nc"},
		{"one line takes the breaks as given", "ab", []string{"b", "b\r\nc\n"}, "ab\r\nc\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ws := workspace(t, map[string]string{"f": c.before})
			got := do(t, ws, edit("f", c.pairs...))
			if !got.OK {
				t.Fatal(got.Content)
			}
			if diff := cmp.Diff(c.after, content(t, ws, "f")); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			says := "Made 1 replacement in f."
			if len(c.pairs) == 4 {
				says = "Made 2 replacements in f."
			}
			if got.Content != says {
				t.Errorf("says %q", got.Content)
			}
		})
	}
}

func TestEditRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, path, before string
		pairs              []string
		says               string
	}{
		{"no such text", "f", "abc", []string{"x", "y"}, "edits[0].oldText is not in f: it must match the file exactly"},
		{"an empty file", "f", "", []string{"x", "y"}, "edits[0].oldText is not in f"},
		{"text twice", "f", "x\ny\nx\n", []string{"y", "", "x", "z"}, "edits[1].oldText is in f more than once (lines 1 and 3)"},
		{"text that overlaps itself", "f", "aaa", []string{"aa", "b"}, "more than once (lines 1 and 1)"},
		{"the same text in both breaks", "f", "a\nb a\r\nb", []string{"a\nb", "x"}, "more than once (lines 1 and 2)"},
		{"overlapping edits", "f", "abcd", []string{"cd", "2", "bc", "1"}, "edits[0] and edits[1] overlap in f"},
		{"one edit within another", "f", "abcd", []string{"abcd", "1", "b", "2"}, "edits[0] and edits[1] overlap in f"},
		{"one edit twice", "f", "abcd", []string{"b", "1", "b", "1"}, "edits[0] and edits[1] overlap in f"},
		{"text another edit puts in", "f", "a", []string{"a", "b", "b", "c"}, "edits[1].oldText is not in f"},
		{"nothing changed", "f", "a\r\nb", []string{"a\nb", "a\nb"}, "the edits leave f as it is"},
		{"no file", "none", "a", []string{"a", "b"}, `there is no file "none".`},
		{"no directory", "none/f", "a", []string{"a", "b"}, `there is no file "none/f".`},
		{"a directory", "d", "a", []string{"a", "b"}, "it is a directory."},
		{"a large file", "large", "a", []string{"a", "b"}, `"large" is 1.0 MB, over the limit of 1.0 MB.`},
		{"made too large", "f", "a", []string{"a", strings.Repeat("a", 1<<20+1)}, "over the limit of 1.0 MB."},
		{"outside", "../f", "a", []string{"a", "b"}, `it has a ".." component.`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ws := workspace(t, map[string]string{
				"f": c.before, "d/f": "x", "large": "a" + strings.Repeat("b", 1<<20),
			})
			got := do(t, ws, edit(c.path, c.pairs...))
			if got.OK || !strings.HasPrefix(got.Content, "edit failed: ") || !strings.Contains(got.Content, c.says) {
				t.Errorf("result %+v\nwant the words %s", got, c.says)
			}
			if got := content(t, ws, "f"); got != c.before {
				t.Errorf("the file holds %q now", got)
			}
		})
	}
}
