package tools_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/tools"
)

// numbered is a text of n lines.
func numbered(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	return text.String()
}

func TestRead(t *testing.T) {
	t.Parallel()
	wide := strings.Repeat("x", 1023) + "\n"
	cases := []struct {
		name, content string
		args          object
		want          string
	}{
		{"all of it", "a\nb\n", nil, "a\nb\n"},
		{"no newline at the end", "a\nb", nil, "a\nb"},
		{"CRLF as it is", "a\r\nb\r\n", nil, "a\r\nb\r\n"},
		{"unicode", "naïve 日本\n", nil, "naïve 日本\n"},
		{"empty", "", nil, "[f is empty.]"},
		{"only a newline", "\n", nil, "\n"},
		{"as many lines as fit", numbered(2000), nil, numbered(2000)},
		{"a line too many", numbered(2001), nil, numbered(2000) + "\n[Lines 1 to 2000 of 2001 are shown. Use offset=2001 to continue.]"},
		{"as many bytes as fit", strings.Repeat(wide, 50), nil, strings.Repeat(wide, 50)},
		{"a byte too many", strings.Repeat(wide, 50) + "y", nil, strings.Repeat(wide, 50) + "\n[Lines 1 to 50 of 51 are shown. Use offset=51 to continue.]"},
		{"a line that fits no more is not cut", "a\n" + strings.Repeat("x", 50<<10) + "\nb", nil, "a\n\n[Lines 1 to 1 of 3 are shown. Use offset=2 to continue.]"},
		{"from a line", "a\nb\nc\n", object{"offset": 2}, "b\nc\n"},
		{"some lines", "a\nb\nc\nd", object{"offset": 2, "limit": 2}, "b\nc\n\n[Lines 2 to 3 of 4 are shown. Use offset=4 to continue.]"},
		{"to the last line", "a\nb\nc\n", object{"offset": 2, "limit": 2}, "b\nc\n"},
		{"more lines than there are", "a\n", object{"limit": 100}, "a\n"},
		{"more lines than fit", numbered(3000), object{"limit": 2500}, numbered(2000) + "\n[Lines 1 to 2000 of 3000 are shown. Use offset=2001 to continue.]"},
		{"floats that are integers", "a\nb\nc\n", object{"offset": 2.0, "limit": 1.0}, "b\n\n[Lines 2 to 2 of 3 are shown. Use offset=3 to continue.]"},
		{
			"a line longer than a result",
			"a\n" + strings.Repeat("x", 60<<10) + "\nb",
			object{"offset": 2},
			strings.Repeat("x", 50<<10) + "\n\n[Line 2 of 3 is longer than 50.0 KB; only its head is shown. Use offset=3 to continue.]",
		},
		{
			"a long last line is cut between letters",
			"x" + strings.Repeat("日", 20<<10), nil,
			"x" + strings.Repeat("日", (50<<10)/3) + "\n\n[Line 1 of 1 is longer than 50.0 KB; only its head is shown.]",
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := object{"path": "f"}
			for name, value := range c.args {
				args[name] = value
			}
			got := do(t, workspace(t, map[string]string{"f": c.content}), call("read", args))
			if !got.OK || got.Content != c.want {
				t.Errorf("ok %v, %d bytes ending %q\nwant %d bytes ending %q", got.OK,
					len(got.Content), tail(got.Content), len(c.want), tail(c.want))
			}
		})
	}
}

func tail(text string) string { return text[max(0, len(text)-150):] }

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{
		"f": "a\nb\n", "one": "a", "binary": "\x89PNG\x00\x01", "latin1": "caf\xe9\n", "d/f": "x", "empty": "",
		"text-then-binary": numbered(10) + "\xff",
	})
	if err := os.Symlink("f", filepath.Join(ws.Dir(), "link")); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		args object
		says string
	}{
		{object{"path": "none"}, `read failed: there is no file "none".`},
		{object{"path": "d"}, `read failed: "d" cannot be used as a file: it is a directory.`},
		{object{"path": "link"}, "it is a link."},
		{object{"path": "../f"}, `it has a ".." component.`},
		{object{"path": ".env"}, "a component starts with a dot."},
		{object{"path": "binary"}, `"binary" is not UTF-8 text.`},
		{object{"path": "latin1"}, `"latin1" is not UTF-8 text.`},
		{object{"path": "text-then-binary"}, `is not UTF-8 text.`},
		{object{"path": "f", "offset": 3}, `offset 3 is beyond the end of "f", which has 2 lines.`},
		{object{"path": "one", "offset": 2}, `offset 2 is beyond the end of "one", which has 1 line.`},
	}
	for _, c := range cases {
		got := do(t, ws, call("read", c.args))
		if got.OK || !strings.HasSuffix(got.Content, c.says) {
			t.Errorf("%v: result %+v\nwant the words %s", c.args, got, c.says)
		}
	}
	if got := do(t, ws, call("read", object{"path": "text-then-binary", "limit": 10})); !got.OK {
		t.Errorf("the text before the binary part: %s", got.Content)
	}
}

func TestReadLimitsAreSettings(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{"f": numbered(9), "long": strings.Repeat("日", 100)})
	cases := []struct {
		name    string
		args    object
		options tools.Options
		want    string
	}{
		{"lines", object{"path": "f"}, tools.Options{ResultLines: 1}, "line 1\n\n[Lines 1 to 1 of 9 are shown. Use offset=2 to continue.]"},
		{"bytes", object{"path": "f"}, tools.Options{ResultBytes: 14}, "line 1\nline 2\n\n[Lines 1 to 2 of 9 are shown. Use offset=3 to continue.]"},
		{"bytes within a letter", object{"path": "long"}, tools.Options{ResultBytes: 5}, "日\n\n[Line 1 of 1 is longer than 5 B; only its head is shown.]"},
		{"less than a letter", object{"path": "long"}, tools.Options{ResultBytes: 2}, "\n\n[Line 1 of 1 is longer than 2 B; only its head is shown.]"},
		{"a scan that ends early", object{"path": "f"}, tools.Options{ScanBytes: 14, ResultLines: 1}, "line 1\n\n[Lines 1 to 1 of more than 2 are shown. Use offset=2 to continue.]"},
		{"a scan that ends at the end", object{"path": "f"}, tools.Options{ScanBytes: 63}, numbered(9)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := tools.Run(t.Context(), ws, call("read", c.args), c.options)
			if !got.OK || got.Content != c.want {
				t.Errorf("%v %q\nwant %q", got.OK, got.Content, c.want)
			}
		})
	}
	got := tools.Run(t.Context(), ws, call("read", object{"path": "f", "offset": 5}), tools.Options{ScanBytes: 7})
	if got.OK || !strings.Contains(got.Content, "beyond the part of a file that can be read") {
		t.Errorf("result %+v", got)
	}
}

// TestReadOfAHugeFile reads a file far over every limit: its head answers at once.
func TestReadOfAHugeFile(t *testing.T) {
	t.Parallel()
	ws := workspace(t, map[string]string{"f": "head\n"})
	if err := os.Truncate(filepath.Join(ws.Dir(), "f"), 1<<40); err != nil {
		t.Skipf("a sparse file of 1 TB: %v", err)
	}
	got := tools.Run(t.Context(), ws, call("read", object{"path": "f", "limit": 1}), tools.Options{ScanBytes: 1 << 20})
	want := "head\n\n[Lines 1 to 1 of more than 2 are shown. Use offset=2 to continue.]"
	if !got.OK || got.Content != want {
		t.Errorf("%v %q\nwant %q", got.OK, tail(got.Content), want)
	}
	got = tools.Run(t.Context(), ws, call("read", object{"path": "f", "offset": 2}), tools.Options{ScanBytes: 1 << 20})
	if got.OK || !strings.Contains(got.Content, "is not UTF-8 text") {
		t.Errorf("the rest of it: %v %q", got.OK, tail(got.Content))
	}
}

// FuzzRead pages through any text and must give every byte of it back.
func FuzzRead(f *testing.F) {
	f.Add("a\nb\nc", uint8(2), uint8(20))
	f.Add("日本\r\n\n\n\xff", uint8(1), uint8(3))
	f.Add("", uint8(0), uint8(0))
	ws := workspace(f, nil)
	f.Fuzz(func(t *testing.T, text string, resultLines, resultBytes uint8) {
		options := tools.Options{ResultLines: int(resultLines), ResultBytes: int(resultBytes)}
		put(t, ws, "f", text)
		var pages strings.Builder
		for offset := 1; ; {
			got := tools.Run(t.Context(), ws, call("read", object{"path": "f", "offset": offset}), options)
			if !got.OK || text == "" {
				return // not text, or nothing
			}
			at := strings.LastIndex(got.Content, "\n\n[Line")
			if at < 0 {
				pages.WriteString(got.Content)
				break
			}
			if strings.Contains(got.Content[at:], "only its head is shown") {
				return
			}
			pages.WriteString(got.Content[:at] + "\n")
			next := 0
			if _, err := fmt.Sscanf(got.Content[strings.LastIndex(got.Content, "offset="):], "offset=%d", &next); err != nil {
				t.Fatal(err)
			}
			if next <= offset {
				t.Fatalf("offset %d leads to %d", offset, next)
			}
			offset = next
		}
		if !bytes.Equal([]byte(pages.String()), []byte(text)) {
			t.Fatalf("the pages are %q, the file %q", pages.String(), text)
		}
	})
}
