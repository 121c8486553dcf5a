package models

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestGuardMeasuresEvents holds the guard's measure against the plain way to say it: the longest run of lines between
// two empty ones.
func TestGuardMeasuresEvents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.StringOfN(rapid.RuneFrom([]rune("a:\r")), 0, 4, -1)
		ends := rapid.SampledFrom([]string{"\n", "\r\n"})
		var stream strings.Builder
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			stream.WriteString(line.Draw(t, "line") + ends.Draw(t, "end"))
		}
		var g guard
		largest := int64(0)
		for rest := []byte(stream.String()); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "read")
			largest = max(largest, g.measure(rest[:n]))
			rest = rest[n:]
		}
		if want := longestEvent(stream.String()); largest != want {
			t.Fatalf("measured %d, want %d, of %q", largest, want, stream.String())
		}
	})
}

// longestEvent is the size of the longest event with all its line ends.
func longestEvent(stream string) int64 {
	longest, event := 0, 0
	for line := range strings.SplitAfterSeq(stream, "\n") {
		event += len(line)
		longest = max(longest, event)
		if line == "\n" || line == "\r\n" {
			event = 0
		}
	}
	return int64(longest)
}

func TestForeignWordsAreMadeFit(t *testing.T) {
	t.Parallel()
	f := failure{key: testKey}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringN(400, 1200, -1)).Draw(t, "text")
		at := rapid.IntRange(0, len(text)).Draw(t, "at")
		words := f.clean(text[:at] + testKey + text[at:])
		switch {
		case strings.Contains(words, testKey):
			t.Fatalf("the key shows: %q", words)
		case !utf8.ValidString(words):
			t.Fatalf("not UTF-8: %q", words)
		case utf8.RuneCountInString(words) > maxErrorText+2:
			t.Fatalf("%d letters", utf8.RuneCountInString(words))
		case strings.ContainsAny(words, "\n\r\t\x00\x1b"):
			t.Fatalf("more than one line: %q", words)
		}
	})
}

// TestErrorBodyIsBounded: a server may say as much as it likes with an error, and little of it is read.
func TestErrorBodyIsBounded(t *testing.T) {
	t.Parallel()
	endless := &counting{}
	x := newExchange(t.Context(), nil, DefaultIdleTimeout, DefaultMaxAnswer, false)
	defer x.close()
	data, err := io.ReadAll(io.LimitReader(&guard{x: x, body: io.NopCloser(endless)}, maxErrorBody))
	if err != nil || len(data) != maxErrorBody || endless.read > 2*maxErrorBody {
		t.Errorf("kept %d bytes of %d read, %v", len(data), endless.read, err)
	}
}

// counting is an endless text that counts what is read of it.
type counting struct{ read int }

func (c *counting) Read(p []byte) (int, error) {
	copy(p, bytes.Repeat([]byte("no\n"), len(p)/3+1))
	c.read += len(p)
	return len(p), nil
}
