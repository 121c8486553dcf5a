package places_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

func TestManifest(t *testing.T) {
	t.Parallel()
	var twenty strings.Builder
	many := map[string]int{}
	for i := range 23 {
		many[fmt.Sprintf("f%02d", i)] = 1
		if i < 20 {
			fmt.Fprintf(&twenty, `"inputs/f%02d" (1 B), `, i)
		}
	}
	cases := []struct {
		name  string
		files map[string]int
		want  string
	}{
		{"none", nil, ""},
		{"one", map[string]int{"notes.txt": 12}, `Files for this run: "inputs/notes.txt" (12 B).`},
		{
			"two, in order",
			map[string]int{"b/c.csv": 1536, "a.txt": 0},
			`Files for this run: "inputs/a.txt" (0 B), "inputs/b/c.csv" (1.5 KB).`,
		},
		{
			"a name that would end its quotes",
			map[string]int{`a", "b`: 1},
			`Files for this run: "inputs/a\", \"b" (1 B).`,
		},
		{
			"a name that would turn the line round",
			map[string]int{"a\u202etxt.exe": 1},
			`Files for this run: "inputs/a\u202etxt.exe" (1 B).`,
		},
		{
			"isolates, zero widths and controls",
			map[string]int{"a\u2066\u200b\x1b[2J\n\\": 1},
			`Files for this run: "inputs/a\u2066\u200b\x1b[2J\n\\" (1 B).`,
		},
		{"letters of all scripts stay", map[string]int{"naïve 日本.txt": 1}, `Files for this run: "inputs/naïve 日本.txt" (1 B).`},
		{"more than are named", many, "Files for this run: " + strings.TrimSuffix(twenty.String(), ", ") + ", and 3 more."},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			workspace := open(t, places.Options{NoSync: true})
			put(t, workspace, "not-an-input.txt", "x")
			for name, size := range c.files {
				if _, err := workspace.PutInput(name, make([]byte, size)); err != nil {
					t.Fatal(err)
				}
			}
			got, err := workspace.Manifest(t.Context())
			if err != nil || got != c.want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestManifestOfMoreThanAListingHolds(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{MaxFiles: 2, NoSync: true})
	for i := range 4 {
		put(t, workspace, fmt.Sprintf("inputs/%d", i), "x")
	}
	got, err := workspace.Manifest(t.Context())
	const end = ", and others."
	if err != nil || !strings.HasSuffix(got, end) || strings.Count(got, "(1 B)") != 2 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestALinkAtInputsListsNothing(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	put(t, workspace, "real/notes.txt", "x")
	if err := os.Symlink("real", filepath.Join(workspace.Dir(), "inputs")); err != nil {
		t.Fatal(err)
	}
	if got, err := workspace.Manifest(t.Context()); got != "" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	_, err := workspace.PutInput("x", nil)
	wantCode(t, "put through the link", err, run.ErrInvalidPath)
}

func TestPutInputRefusesNames(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	for _, name := range []string{"", "../x", "/x", ".env", "a/../x", "./x"} {
		_, err := workspace.PutInput(name, nil)
		wantCode(t, name, err, run.ErrInvalidPath)
	}
	if left := everything(t, workspace); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestFirstMessage(t *testing.T) {
	t.Parallel()
	const line = `Files for this run: "inputs/a" (1 B).`
	cases := []struct{ content, manifest, want string }{
		{"Summarize the attached file.", line, "Summarize the attached file.\n\n" + line},
		{"Summarize it.\n", "", "Summarize it.\n"},
		{"", line, line},
		{"", "", ""},
	}
	for _, c := range cases {
		if got := places.FirstMessage(c.content, c.manifest); got != c.want {
			t.Errorf("%q and %q: %q", c.content, c.manifest, got)
		}
	}
}

func TestHumanSize(t *testing.T) {
	t.Parallel()
	cases := map[int64]string{
		0: "0 B", 1: "1 B", 1023: "1023 B", 1024: "1.0 KB", 1536: "1.5 KB", 50 << 10: "50.0 KB",
		1<<20 - 1: "1.0 MB", 1 << 20: "1.0 MB", 64 << 20: "64.0 MB", 1<<30 - 1<<19: "1023.5 MB", 1 << 30: "1.0 GB",
		1 << 40: "1.0 TB", 1<<63 - 1: "8.0 EB",
	}
	for bytes, want := range cases {
		if got := places.HumanSize(bytes); got != want {
			t.Errorf("%d: %q, want %q", bytes, got, want)
		}
	}
}
