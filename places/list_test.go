package places_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/places"
)

func list(t *testing.T, view *places.View) (names []string, more bool) {
	t.Helper()
	files, more, err := view.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		names = append(names, file.Path)
	}
	return names, more
}

func TestListIsWholeAndInOrder(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	if names, more := list(t, workspace.View); len(names) != 0 || more {
		t.Errorf("an empty workspace lists %q, %v", names, more)
	}
	want := []string{"a", "a.txt", "b/c/d/e", "b/x", "z"}
	for _, name := range []string{"z", "b/x", "a.txt", "b/c/d/e", "a"} {
		put(t, workspace, name, name)
	}
	put(t, workspace, "b/.hidden/x", "")
	put(t, workspace, "b/.hidden.txt", "")
	names, more := list(t, workspace.View)
	if diff := cmp.Diff(want, names); diff != "" || more {
		t.Errorf("listed, more %v (-want +got):\n%s", more, diff)
	}
	files, _, err := workspace.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if file.Digest != places.DigestOf([]byte(file.Path)) || file.Size != int64(len(file.Path)) {
			t.Errorf("%+v is not the file", file)
		}
	}
}

func TestListIsBounded(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name         string
		files, links int
		want         int
		more         bool
	}{
		{name: "just fits", files: 5, want: 5},
		{name: "one more", files: 6, want: 5, more: true},
		{name: "many links", files: 0, links: 51, more: true},
		{name: "some links", files: 1, links: 40, want: 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			workspace := open(t, places.Options{MaxFiles: 5})
			for i := range c.files {
				put(t, workspace, fmt.Sprintf("dir%d/file", i), "x")
			}
			for i := range c.links {
				if err := os.Symlink("x", filepath.Join(workspace.Dir(), fmt.Sprint("link", i))); err != nil {
					t.Fatal(err)
				}
			}
			names, more := list(t, workspace.View)
			if len(names) != c.want || more != c.more {
				t.Errorf("%d files, more %v; want %d, %v", len(names), more, c.want, c.more)
			}
		})
	}
}

func TestListLeavesOutWhatCannotBeNamed(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	put(t, workspace, "not-utf8-\xff", "x")
	deep := workspace.Dir()
	// Deeper than a path may be long: made step by step, as a box's shell could.
	root, err := os.OpenRoot(deep)
	if err != nil {
		t.Fatal(err)
	}
	for range 6 {
		name := strings.Repeat("d", 200)
		if err := root.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		below, err := root.OpenRoot(name)
		root.Close()
		if err != nil {
			t.Fatal(err)
		}
		root = below
	}
	if err := root.WriteFile("x", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root.Close()
	if names, more := list(t, workspace.View); len(names) != 0 || more {
		t.Errorf("listed %q, %v", names, more)
	}
}

func TestListStopsWhenItsCallerLeaves(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	put(t, workspace, "x", "x")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := workspace.List(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestListBesideAWriter lists while files come, change and move about: every answer is one the workspace could give.
func TestListBesideAWriter(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{NoSync: true})
	view, err := places.OpenView(workspace.Dir(), places.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	contents := []string{"one", "two two", ""}
	done := make(chan error, 1)
	go func() {
		for i := range 300 {
			if _, err := workspace.Write(fmt.Sprintf("d%d/x", i%7), []byte(contents[i%3]), 0); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for writing := true; writing; {
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			writing = false
		default:
		}
		files, _, err := view.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			whole := slices.ContainsFunc(contents, func(content string) bool {
				return file.Digest == places.DigestOf([]byte(content)) && file.Size == int64(len(content))
			})
			if !whole {
				t.Fatalf("half a file: %+v", file)
			}
		}
	}
}

// BenchmarkList1000 lists files that were just written, whose digests cannot be trusted yet, and files at rest.
func BenchmarkList1000(b *testing.B) {
	for name, age := range map[string]time.Duration{"fresh": -time.Hour, "at rest": time.Hour} {
		b.Run(name, func(b *testing.B) {
			workspace, err := places.OpenWorkspace(filepath.Join(b.TempDir(), "work"), places.Options{NoSync: true})
			if err != nil {
				b.Fatal(err)
			}
			changed := time.Now().Add(-age)
			for i := range 1000 {
				name := fmt.Sprintf("d%d/f%d", i%10, i)
				if _, err := workspace.Write(name, make([]byte, 4096), 0); err != nil {
					b.Fatal(err)
				}
				if err := os.Chtimes(filepath.Join(workspace.Dir(), name), changed, changed); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if _, _, err := workspace.List(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
