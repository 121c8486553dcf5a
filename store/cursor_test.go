package store

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/run"
)

func TestMalformedPages(t *testing.T) {
	t.Parallel()
	encoded := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	cases := map[string]struct {
		page Page
		path string
	}{
		"a limit of -1":              {Page{Limit: -1}, "limit"},
		"a limit of 201":             {Page{Limit: 201}, "limit"},
		"a cursor of another kind":   {Page{Cursor: "17"}, "cursor"},
		"a cursor that is no base64": {Page{Cursor: "a b"}, "cursor"},
		"a cursor without an id":     {Page{Cursor: encoded("17:")}, "cursor"},
		"a cursor of an agent":       {Page{Cursor: encoded("17:writer")}, "cursor"},
		"a cursor spelled otherwise": {Page{Cursor: encoded("+17:4")}, "cursor"},
		"a cursor with a tail":       {Page{Cursor: encoded("17:4") + "="}, "cursor"},
		"a cursor with a line break": {Page{Cursor: encoded("17:4") + "\n"}, "cursor"},
		"a cursor past all bounds":   {Page{Cursor: encoded("99999999999999999999:4")}, "cursor"},
		"a cursor of a megabyte":     {Page{Cursor: strings.Repeat("A", mib)}, "cursor"},
	}
	b := setup(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := b.Runs(b.ctx, RunFilter{}, c.page)
			code(t, err, run.ErrInvalid)
			var refused *run.Error
			if !errors.As(err, &refused) || refused.Issues[0].Path != c.path {
				t.Errorf("the error names another path: %v", err)
			}
		})
	}
}

// FuzzCursor: a cursor is read back as it was written, and nothing else is a cursor.
func FuzzCursor(f *testing.F) {
	f.Add(cursor[int64]{1_700_000_000_000, 42}.String())
	f.Add(cursor[string]{-1, "writer"}.String())
	f.Add("")
	f.Add("MTc6NA")
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := parseCursor[int64](text); ok && c.String() != text {
			t.Errorf("%q is read as %q", text, c)
		}
		if c, ok := parseCursor[string](text); ok && (c.String() != text || c.id == "") {
			t.Errorf("%q is read as %q", text, c)
		}
	})
}
