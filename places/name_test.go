package places_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

func TestCheckName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"notes.md", "a/b/c.txt", "with space", "naïve/日本語.txt", "a..b", "a...", "-rf", `back\slash`, "new\nline",
		strings.Repeat("x", 255), strings.Repeat("abc/", 255) + "abc",
	} {
		if err := places.CheckName(name); err != nil {
			t.Errorf("%q is refused: %v", name, err)
		}
	}
	refused := map[string]string{
		"empty":             "",
		"absolute":          "/etc/passwd",
		"parent":            "..",
		"parent first":      "../secret",
		"parent inside":     "a/../../secret",
		"parent last":       "a/..",
		"dotfile":           ".env",
		"dot directory":     "a/.git/config",
		"dot":               "./a",
		"dot inside":        "a/./b",
		"empty component":   "a//b",
		"directory":         "a/",
		"NUL":               "a\x00b",
		"not UTF-8":         "a\xffb",
		"a long component":  strings.Repeat("x", 256),
		"too long in whole": strings.Repeat("abc/", 256) + "abc",
		"huge":              strings.Repeat("../", 1<<20),
	}
	for why, name := range refused {
		err := places.CheckName(name)
		wantCode(t, why, err, run.ErrInvalidPath)
		if err != nil && len(err.Error()) > 1000 {
			t.Errorf("%s: the refusal is %d bytes long", why, len(err.Error()))
		}
	}
}

func TestARefusedNameIsNamed(t *testing.T) {
	t.Parallel()
	err := places.CheckName("../x.txt")
	if err == nil || !strings.Contains(err.Error(), `"../x.txt"`) {
		t.Errorf("the error does not name the path: %v", err)
	}
}

func TestResolveTakesPathsAsModelsWriteThem(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	dir := workspace.Dir()
	cases := []struct{ path, want string }{
		{"notes.md", "notes.md"},
		{"./notes.md", "notes.md"},
		{"././a/b", "a/b"},
		{dir + "/a/b.txt", "a/b.txt"},
		{dir + "/./b.txt", "b.txt"},
	}
	for _, c := range cases {
		got, err := workspace.Resolve(c.path)
		if err != nil || got != c.want {
			t.Errorf("%q: %q, %v; want %q", c.path, got, err, c.want)
		}
	}
	for _, path := range []string{
		"", ".", "./", dir, dir + "/", dir + "x/a", dir + "/../x", "/etc/passwd", "./../x", "./.env", dir + "/.env",
		filepath.Dir(dir), "a/", ".//a",
	} {
		got, err := workspace.Resolve(path)
		if got != "" {
			t.Errorf("%q resolves to %q", path, got)
		}
		wantCode(t, path, err, run.ErrInvalidPath)
	}
}

func FuzzNames(f *testing.F) {
	for _, seed := range []string{"a", "a/b", "../a", "a/../b", "/a", ".a", "a\x00", "a\\b", "./a", "C:a", "a/.", "日本"} {
		f.Add(seed)
	}
	dir := f.TempDir()
	workspace, err := places.OpenWorkspace(filepath.Join(dir, "work"), places.Options{NoSync: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		name, err := workspace.Resolve(path)
		if err != nil {
			wantCode(t, path, err, run.ErrInvalidPath)
			return
		}
		if !filepath.IsLocal(name) || places.CheckName(name) != nil {
			t.Fatalf("%q resolves to %q", path, name)
		}
		if _, err := workspace.Write(name, []byte(path), 0); err != nil {
			wantCode(t, name, err, run.ErrInvalidPath) // an earlier file is in the way
			return
		}
		if got, err := workspace.ReadFile(name, 0); err != nil || string(got) != path {
			t.Fatalf("%q reads %q, %v", name, got, err)
		}
		if around, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(around) != 1 {
			t.Fatalf("outside of the workspace: %q, %v", around, err)
		}
	})
}
