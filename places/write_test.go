package places_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// everything is all there is in a workspace, dotfiles too.
func everything(t *testing.T, workspace *places.Workspace) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(workspace.Dir(), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || file == workspace.Dir() {
			return err
		}
		name := strings.TrimPrefix(file, workspace.Dir()+"/")
		if entry.IsDir() {
			found[name] = "(directory)"
			return nil
		}
		content, err := os.ReadFile(file)
		found[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestWriteMakesWhatIsMissing(t *testing.T) {
	t.Parallel()
	for _, options := range []places.Options{{}, {NoSync: true}} {
		workspace := open(t, options)
		got, err := workspace.Write("a/b/hello.txt", []byte("hello"), 0)
		if err != nil {
			t.Fatal(err)
		}
		want := run.FileChange{Path: "a/b/hello.txt", Digest: helloDigest, Size: 5, Mode: 0o644}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("change (-want +got):\n%s", diff)
		}
		left := map[string]string{"a": "(directory)", "a/b": "(directory)", "a/b/hello.txt": "hello"}
		if diff := cmp.Diff(left, everything(t, workspace)); diff != "" {
			t.Errorf("in the workspace (-want +got):\n%s", diff)
		}
	}
}

func TestWriteKeepsOrSetsTheMode(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	steps := []struct {
		name  string
		asked fs.FileMode
		want  fs.FileMode
	}{
		{"a new file", 0, 0o644},
		{"asked for", 0o755, 0o755},
		{"kept", 0, 0o755},
		{"open to all, whatever the umask", 0o666, 0o666},
		{"no setuid", 0o700 | fs.ModeSetuid, 0o700},
	}
	for _, step := range steps {
		change, err := workspace.Write("x", []byte(step.name), step.asked)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(filepath.Join(workspace.Dir(), "x"))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != step.want || fs.FileMode(change.Mode) != step.want {
			t.Errorf("%s: mode %v, told %o; want %v", step.name, info.Mode(), change.Mode, step.want)
		}
	}
}

func TestWriteRefusesAndLeavesNothing(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		path string
		size int
		code string
	}{
		{"a directory", "dir", 1, run.ErrInvalidPath},
		{"below a file", "dir/file/x", 1, run.ErrInvalidPath},
		{"far below a file", "dir/file/new/x", 1, run.ErrInvalidPath},
		{"outside", "../x", 1, run.ErrInvalidPath},
		{"a dotfile", "new/.x", 1, run.ErrInvalidPath},
		{"too large", "new/x", 101, run.ErrTooLarge},
		{"too large for a huge name", strings.Repeat("x", 1<<20), 101, run.ErrTooLarge},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			workspace := open(t, places.Options{MaxFileBytes: 100})
			put(t, workspace, "dir/file", "as it was")
			before := everything(t, workspace)
			_, err := workspace.Write(c.path, make([]byte, c.size), 0)
			wantCode(t, c.path, err, c.code)
			if diff := cmp.Diff(before, everything(t, workspace)); diff != "" {
				t.Errorf("the workspace changed (-before +after):\n%s", diff)
			}
		})
	}
}

func TestTheLimitIsNamed(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{MaxFileBytes: 1536})
	_, err := workspace.Write("big", make([]byte, 2048), 0)
	if err == nil || !strings.Contains(err.Error(), `"big" is 2.0 KB, over the limit of 1.5 KB`) {
		t.Errorf("error %v", err)
	}
	if _, err := workspace.Write("fits", make([]byte, 1536), 0); err != nil {
		t.Error(err)
	}
}

// TestAReaderNeverSeesHalfAWrite reads a file while it is written over and over.
func TestAReaderNeverSeesHalfAWrite(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{NoSync: true})
	if _, err := workspace.Write("x", make([]byte, 1), 0); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		for i := range 200 {
			if _, err := workspace.Write("x", []byte(strings.Repeat(fmt.Sprint(i%10), 100_000)), 0); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		content, err := workspace.ReadFile("x", 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(content), string(content[:1])) != len(content) {
			t.Fatal("the content is of two writes")
		}
		select {
		case err := <-done:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}
