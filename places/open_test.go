package places_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// open makes a workspace in a temporary directory.
func open(t *testing.T, options places.Options) *places.Workspace {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "work"), options)
}

func openAt(t *testing.T, dir string, options places.Options) *places.Workspace {
	t.Helper()
	workspace, err := places.OpenWorkspace(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := workspace.Close(); err != nil {
			t.Error(err)
		}
	})
	return workspace
}

// put writes a file past the workspace, as a box or a person would.
func put(t *testing.T, workspace *places.Workspace, name, content string) string {
	t.Helper()
	file := filepath.Join(workspace.Dir(), name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	if run.CodeOf(err) != code {
		t.Errorf("%s: error %v, want one of code %s", what, err, code)
	}
}

func TestOpenWorkspaceMakesAPrivateDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run_1", "work")
	openAt(t, dir, places.Options{})
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, want 0700", info.Mode().Perm())
	}
	openAt(t, dir, places.Options{})
}

func TestOpenRefusesWhatIsNoDirectory(t *testing.T) {
	t.Parallel()
	cases := map[string]func(t *testing.T, dir string){
		"a link to a directory": func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Symlink(t.TempDir(), dir); err != nil {
				t.Fatal(err)
			}
		},
		"a link to nothing": func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Symlink(filepath.Join(t.TempDir(), "gone"), dir); err != nil {
				t.Fatal(err)
			}
		},
		"a link to itself": func(t *testing.T, dir string) {
			t.Helper()
			if err := os.Symlink(dir, dir); err != nil {
				t.Fatal(err)
			}
		},
		"a file": func(t *testing.T, dir string) {
			t.Helper()
			if err := os.WriteFile(dir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, prepare := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "work")
			prepare(t, dir)
			if _, err := places.OpenWorkspace(dir, places.Options{}); err == nil {
				t.Error("the workspace opened")
			}
			_, err := places.OpenView(dir, places.Options{})
			wantCode(t, "view", err, run.ErrInvalidPath)
		})
	}
}

func TestOpenViewMakesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "work")
	_, err := places.OpenView(dir, places.Options{})
	wantCode(t, "no directory", err, run.ErrNotFound)
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("the view left %s behind: %v", dir, err)
	}
}

func TestOpenSweepsWhatOtherProcessesLeft(t *testing.T) {
	t.Parallel()
	workspace := open(t, places.Options{})
	left := put(t, workspace, ".agentrun-tmp-OTHERPROCESS-1", "half a fi")
	dotfile := put(t, workspace, ".profile", "not ours to remove")

	view, err := places.OpenView(workspace.Dir(), places.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close()
	if _, err := os.Lstat(left); err != nil {
		t.Errorf("a view swept: %v", err)
	}
	openAt(t, workspace.Dir(), places.Options{})
	if _, err := os.Lstat(left); !os.IsNotExist(err) {
		t.Errorf("the left file is still there: %v", err)
	}
	if _, err := os.Lstat(dotfile); err != nil {
		t.Errorf("a file of nobody's was swept: %v", err)
	}
}
