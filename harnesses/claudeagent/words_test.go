package claudeagent

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestGuardedWordsAreUndone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, words, guarded string }{
		{"plain words", "hello", "hello"},
		{"a command", "/compact now", "\n/compact now"},
		{"a line end before a command", "\n/compact", "\n\n/compact"},
		{"a slash inside", "see /tmp", "see /tmp"},
		{"a space before a slash", " /tmp", " /tmp"},
		{"a reminder of a person's", "<system-reminder>x</system-reminder>", "\n<system-reminder>x</system-reminder>"},
		{"line ends around", "\n\nhello\n", "\n\nhello\n"},
	} {
		got := guarded(c.words)
		if got != c.guarded {
			t.Errorf("%s: guarded as %q, want %q", c.name, got, c.guarded)
		}
		if back := unguarded(got); back != c.words {
			t.Errorf("%s: undone to %q, want %q", c.name, back, c.words)
		}
	}
	if got := guarded(" \n"); got != "(empty)" {
		t.Errorf("words that nobody can see are put as %q", got)
	}
}

func FuzzGuardedWordsAreUndone(f *testing.F) {
	for _, words := range []string{"", "/", "\n/", "\n\n<system-reminder>", "\n<system-reminder", "x"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		shown := guarded(words)
		if strings.HasPrefix(shown, "/") || reminder(shown) {
			t.Errorf("%q is put to the program as %q", words, shown)
		}
		if back := unguarded(shown); back != words && strings.TrimSpace(words) != "" {
			t.Errorf("%q came back as %q", words, back)
		}
	})
}

func TestBoundedTextsStayText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "short", "ééééé", "a\xff\xfeb", "🚀🚀"} {
		for size := range 8 {
			got := bounded(text, size)
			if !utf8.ValidString(got) || len(got) > size+len("…") && len(got) > len(text) {
				t.Errorf("%q within %d is %q", text, size, got)
			}
		}
	}
}
