package places

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/agentrun/agentrun/run"
)

// Stat tells what is at a name: the information of a regular file, run.ErrNotFound where there is nothing, or
// run.ErrInvalidPath where something else is there or in its way (a directory, a link, a device).
func (v *View) Stat(name string) (fs.FileInfo, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	// Links on the way would be followed by the root (inside of it), so each directory is looked at.
	for _, dir := range parents(name) {
		info, err := v.lstat(dir)
		if err != nil {
			return nil, v.missing(name, err)
		}
		if !info.IsDir() {
			return nil, fileInTheWay(name, dir, info.Mode())
		}
	}
	info, err := v.lstat(name)
	if err != nil {
		return nil, v.missing(name, err)
	}
	if !info.Mode().IsRegular() {
		return nil, notHere(name, "it is "+kind(info.Mode()))
	}
	return info, nil
}

func (v *View) lstat(name string) (fs.FileInfo, error) {
	info, err := v.root.Lstat(name)
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", name, cause(err))
	}
	return info, nil
}

// missing makes of a failed look an answer: nothing there, or a fault of the disk.
func (v *View) missing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return run.Errorf(run.ErrNotFound, "there is no file %q", name).With("path", name)
	}
	return err
}

// Open opens the regular file at name for reading, and nothing else. Errors are those of Stat.
func (v *View) Open(name string) (*os.File, fs.FileInfo, error) {
	// A writer may put a new file there between the look and the opening: then look again.
	for range 16 {
		seen, err := v.Stat(name)
		if err != nil {
			return nil, nil, err
		}
		// O_NONBLOCK: a fifo put in the file's place must not hold the opening up.
		file, err := v.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("open %q: %w", name, cause(err))
		}
		info, err := file.Stat()
		if err == nil && os.SameFile(seen, info) {
			return file, info, nil
		}
		if closeErr := file.Close(); err != nil || closeErr != nil {
			return nil, nil, fmt.Errorf("open %q: %w", name, errors.Join(err, closeErr))
		}
	}
	return nil, nil, run.Errorf(run.ErrUnavailable, "%q keeps changing; try again", name).With("path", name)
}

// parents are the directories a name is in, outermost first.
func parents(name string) []string {
	var dirs []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		dirs = append([]string{dir}, dirs...)
	}
	return dirs
}

func notHere(name, why string) error {
	return run.Errorf(run.ErrInvalidPath, "%q cannot be used as a file: %s", name, why).With("path", name)
}

// kind says in words what a mode that is not a regular file's is.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}

// cause takes the operation and path off a file-system error: they are said once, in our words.
func cause(err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Err
	case errors.As(err, &linkErr):
		return linkErr.Err
	default:
		return err
	}
}

// hidden tells whether a directory entry is no part of the workspace by its name alone.
func hidden(name string) bool { return strings.HasPrefix(name, ".") }
