package places

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agentrun/agentrun/run"
)

// View reads a run's work/ directory and never changes it. It is safe for concurrent use, beside a process that writes.
type View struct {
	dir     string
	root    *os.Root
	options Options
}

// OpenView opens the directory for reading. A directory that is not there is run.ErrNotFound, a link is refused with
// run.ErrInvalidPath.
func OpenView(dir string, options Options) (*View, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, run.Errorf(run.ErrNotFound, "there is no workspace at %s", dir)
	case err != nil:
		return nil, fmt.Errorf("workspace: %w", err)
	case !info.IsDir():
		return nil, run.Errorf(run.ErrInvalidPath, "the workspace %s is %s, not a directory", dir, kind(info.Mode()))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace: %w", err)
	}
	// A link put there between the two looks would have been followed.
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		return nil, errors.Join(fmt.Errorf("workspace %s changed while it was opened", dir), err, root.Close())
	}
	return &View{dir: dir, root: root, options: options.withDefaults()}, nil
}

// Dir is the workspace's absolute path.
func (v *View) Dir() string { return v.dir }

// MaxFileBytes is the largest file that is written, or read whole, in bytes.
func (v *View) MaxFileBytes() int64 { return v.options.MaxFileBytes }

// Close lets go of the directory. Files opened before stay readable.
func (v *View) Close() error {
	if err := v.root.Close(); err != nil {
		return fmt.Errorf("workspace: %w", err)
	}
	return nil
}
