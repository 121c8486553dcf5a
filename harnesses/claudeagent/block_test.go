package claudeagent

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTextsOfABlock(t *testing.T) {
	t.Parallel()
	b, err := readBlocks(json.RawMessage(`[{"plain":"a b","escaped":"a\n\"b\" \u00e9\\","empty":"","number":7,"null":null,` +
		`"object":{"a":"b"},"bad":"` + "\xff" + `","twice":"one","twice":"two","\u0061\"b":"named"}]`))
	if err != nil || len(b) != 1 {
		t.Fatal(b, err)
	}
	for name, want := range map[string]string{
		"plain": "a b", "escaped": "a\n\"b\" é\\", "empty": "", "number": "", "null": "", "object": "", "bad": "�",
		"twice": "two", "a\"b": "named", "none": "",
	} {
		if got := b[0].text(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestContentThatIsNone(t *testing.T) {
	t.Parallel()
	for _, content := range []string{`7`, `{}`, `[null]`, `["text"]`, `[{}`, `true`, "\"a\nb\""} {
		if blocks, err := readBlocks(json.RawMessage(content)); err == nil {
			t.Errorf("%s is %v", content, blocks)
		}
	}
	for _, content := range []string{``, `null`, `[]`} {
		if blocks, err := readBlocks(json.RawMessage(content)); err != nil || len(blocks) != 0 {
			t.Errorf("%s is %v, %v", content, blocks, err)
		}
	}
}

// TestBlocksAreWrittenAsTheyWereRead: what is written says the same to any reader of JSON, and a line is one line.
func TestBlocksAreWrittenAsTheyWereRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOf(rapid.MapOf(rapid.String(), rapid.String())).Draw(t, "blocks")
		data, err := json.MarshalIndent(blocks, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		read, err := readBlocks(data)
		if err != nil {
			t.Fatal(err)
		}
		for name, written := range map[string][]byte{"blocks": encoded(read), "line": lined(read)} {
			var again []map[string]string
			if err := json.Unmarshal(written, &again); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if diff := cmp.Diff(blocks, again); len(blocks) > 0 && diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if name == "line" && bytes.Count(written, []byte("\n")) != 1 {
				t.Errorf("more than one line: %q", written)
			}
		}
		for _, b := range read {
			for name := range b {
				if got, want := b.text(name), b.field(name).String(); got != want {
					t.Errorf("%q: %q is not %q", name, got, want)
				}
			}
		}
	})
}
