package places

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// dirMode is the mode of a workspace's top: nobody but the server's user looks in.
const dirMode = 0o700

// Workspace is a run's work/ directory as its tools have it: a View that can also write. One process drives a run at a
// time, so a workspace expects no other writer; readers are welcome.
type Workspace struct {
	*View
}

// OpenWorkspace opens the directory, made where it is missing (0700), for the process that drives the run; a link is
// refused with run.ErrInvalidPath. What another process left half-written is swept away, so a process that only reads
// must use OpenView.
func OpenWorkspace(dir string, options Options) (*Workspace, error) {
	if err := os.MkdirAll(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	view, err := OpenView(dir, options)
	if err != nil {
		return nil, err
	}
	workspace := &Workspace{View: view}
	if err := workspace.sweep(); err != nil {
		return nil, errors.Join(err, view.Close())
	}
	return workspace, nil
}

// sweep removes temporary files that other processes left. They all are at the top, whatever file they were for, so
// that a sweep looks at one directory only.
func (w *Workspace) sweep() error {
	top, err := w.root.Open(".")
	if err != nil {
		return fmt.Errorf("sweep workspace: %w", cause(err))
	}
	defer top.Close()
	var left []string
	for {
		const batch = 512
		entries, err := top.ReadDir(batch)
		for _, entry := range entries {
			if name := entry.Name(); strings.HasPrefix(name, tempPrefix) && !strings.HasPrefix(name, ownTemp) {
				left = append(left, name)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("sweep workspace: %w", cause(err))
		}
	}
	for _, name := range left {
		if err := w.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("sweep %q: %w", name, cause(err))
		}
	}
	return nil
}
