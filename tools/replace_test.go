package tools

import (
	"strings"
	"testing"

	"github.com/agentrun/agentrun/run"
)

// reference makes two edits of a text whose breaks are all LF, the plain way; ok is false where it must be refused.
func reference(text string, edits []replacement) (edited string, ok bool) {
	type cut struct{ from, to int }
	var cuts []cut
	for _, edit := range edits {
		from := strings.Index(text, edit.old)
		if from < 0 || from != strings.LastIndex(text, edit.old) {
			return "", false
		}
		cuts = append(cuts, cut{from, from + len(edit.old)})
	}
	first, second := 0, 1
	if cuts[0].from > cuts[1].from {
		first, second = 1, 0
	}
	if cuts[first].to > cuts[second].from {
		return "", false
	}
	return text[:cuts[first].from] + edits[first].with + text[cuts[first].to:cuts[second].from] + edits[second].with +
		text[cuts[second].to:], true
}

func lf(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// bare leaves carriage returns out: those put in may join a line feed that stays.
func bare(text string) string { return strings.ReplaceAll(text, "\r", "") }

// FuzzEdit makes two edits and compares with the plain way on a text of LF only.
func FuzzEdit(f *testing.F) {
	f.Add("one two", "one", "1", "two", "2")
	f.Add("a\r\nb\nc\r\n", "a\nb", "x\ny", "c", "z\r\n")
	f.Add("aaa", "aa", "", "a", "b")
	f.Add("\r\r\n\n", "\r", "\n", "\n\n", "\r")
	f.Add("日本\xff", "本", "\r\n", "日", "\r")
	f.Fuzz(func(t *testing.T, content, old1, new1, old2, new2 string) {
		if old1 == "" || old2 == "" {
			return // the schema refuses them
		}
		edits := []replacement{{old1, new1}, {old2, new2}}
		flat := []replacement{{lf(old1), lf(new1)}, {lf(old2), lf(new2)}}
		want, ok := reference(lf(content), flat)
		got, err := replace("f", content, edits)
		switch {
		case err != nil && run.CodeOf(err) != run.ErrConflict:
			t.Fatalf("error %v", err)
		case err != nil && ok && bare(want) != bare(content):
			t.Fatalf("refused (%v), want %q", err, want)
		case err == nil && !ok:
			t.Fatalf("edited to %q, want a refusal", got)
		case err == nil && bare(got) != bare(want):
			t.Fatalf("edited to %q, want %q but for its breaks", got, want)
		case err == nil && !strings.Contains(content, "\r\n") && strings.Contains(content, "\n") && got != want:
			t.Fatalf("edited to %q, want exactly %q", got, want)
		}
	})
}

func TestOffsetsOfATextWithFoldedBreaks(t *testing.T) {
	t.Parallel()
	for _, content := range []string{"", "a", "\r\n", "a\r\nb\nc\r\n\r\nd", "\r\r\n\n\r", "\n\r\n"} {
		text := unfold(content)
		if got := text.offset(len(text.flat)); got != len(content) {
			t.Errorf("%q: its end is at %d", content, got)
		}
		for i := range len(text.flat) {
			at := text.offset(i)
			crlf := strings.HasPrefix(content[at:], "\r\n") && text.flat[i] == '\n'
			if content[at] != text.flat[i] && !crlf {
				t.Errorf("%q: offset %d (%q) is at %d (%q)", content, i, text.flat[i], at, content[at])
			}
		}
	}
}
