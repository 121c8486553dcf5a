package places_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// TestWhatIsNoFileIsNeitherSeenNorTouched puts everything into a workspace that is no part of it.
func TestWhatIsNoFileIsNeitherSeenNorTouched(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	workspace := open(t, places.Options{})
	put(t, workspace, "real/notes.md", "notes")
	at := func(name string) string { return filepath.Join(workspace.Dir(), name) }
	entries := map[string]func(file string) error{
		"link-out":      func(file string) error { return os.Symlink(outside, file) },
		"link-in":       func(file string) error { return os.Symlink("real/notes.md", file) },
		"link-dangling": func(file string) error { return os.Symlink("nowhere", file) },
		"fifo":          func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"socket": func(file string) error {
			listener, err := net.Listen("unix", file)
			if err == nil {
				t.Cleanup(func() { listener.Close() })
			}
			return err
		},
		"link-dir/notes.md":         func(file string) error { return os.Symlink("real", filepath.Dir(file)) },
		"link-dir-out/secret":       func(file string) error { return os.Symlink(filepath.Dir(outside), filepath.Dir(file)) },
		"directory":                 func(file string) error { return os.Mkdir(file, 0o700) },
		"real/notes.md/below-file":  func(string) error { return nil },
		"real/notes.md/below/below": func(string) error { return nil },
	}
	for name, make := range entries {
		if err := make(at(name)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	put(t, workspace, ".env", "KEY=1")
	put(t, workspace, ".git/config", "[core]")

	for name := range entries {
		_, _, err := workspace.OpenFile(name)
		wantCode(t, "open "+name, err, run.ErrInvalidPath)
		_, err = workspace.ReadFile(name, 0)
		wantCode(t, "read "+name, err, run.ErrInvalidPath)
		_, err = workspace.Digest(name)
		wantCode(t, "digest "+name, err, run.ErrInvalidPath)
		_, err = workspace.Write(name, []byte("new"), 0)
		wantCode(t, "write "+name, err, run.ErrInvalidPath)
	}
	files, more, err := workspace.List(t.Context())
	if err != nil || more {
		t.Fatal(more, err)
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Path)
	}
	if diff := cmp.Diff([]string{"real/notes.md"}, names); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	for file, want := range map[string]string{outside: "secret", at("real/notes.md"): "notes", at(".env"): "KEY=1"} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s holds %q now (%v), want %q", file, got, err, want)
		}
	}
}
