package places

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/agentrun/agentrun/run"
)

// entriesPerFile bounds the entries a listing looks at, dotfiles and directories included, as a multiple of MaxFiles.
const entriesPerFile = 10

// List is the workspace's files by path, in order. It stops at MaxFiles; more says that there are others.
func (v *View) List(ctx context.Context) (files []File, more bool, err error) {
	names, more, err := v.names(ctx, ".")
	if err != nil {
		return nil, false, err
	}
	files = make([]File, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, false, fmt.Errorf("list files: %w", err)
		}
		handle, info, err := v.Open(name)
		switch run.CodeOf(err) {
		case run.ErrNotFound, run.ErrInvalidPath, run.ErrUnavailable:
			continue // it went or changed since it was seen
		}
		if err != nil {
			return nil, false, err
		}
		file, err := v.describe(handle, name, info)
		if err := errors.Join(err, handle.Close()); err != nil {
			return nil, false, err
		}
		files = append(files, file)
	}
	return files, more, nil
}

// names are the regular files under a directory ("." for all), in order.
func (v *View) names(ctx context.Context, top string) ([]string, bool, error) {
	walk := walk{view: v, most: v.options.MaxFiles, entries: v.options.MaxFiles * entriesPerFile}
	pending := []string{top}
	for len(pending) > 0 && !walk.more {
		if err := ctx.Err(); err != nil {
			return nil, false, fmt.Errorf("list files: %w", err)
		}
		dir := pending[len(pending)-1]
		below, err := walk.directory(dir)
		if err != nil {
			return nil, false, err
		}
		pending = append(pending[:len(pending)-1], below...)
	}
	slices.Sort(walk.files)
	return walk.files, walk.more, nil
}

// walk gathers names, so many at most.
type walk struct {
	view    *View
	files   []string
	most    int
	entries int
	more    bool
}

// directory adds the files of one directory and returns the directories in it.
func (w *walk) directory(name string) ([]string, error) {
	seen, err := w.view.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || (err == nil && !seen.IsDir()) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", name, cause(err))
	}
	dir, err := w.view.root.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", name, cause(err))
	}
	defer dir.Close()
	if opened, err := dir.Stat("."); err != nil || !os.SameFile(seen, opened) {
		return nil, nil //nolint:nilerr // a link or another directory took its place: neither is listed
	}
	return w.entriesOf(dir, name)
}

func (w *walk) entriesOf(dir *os.Root, name string) ([]string, error) {
	handle, err := dir.Open(".")
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", name, cause(err))
	}
	defer handle.Close()
	var below []string
	for {
		const batch = 512
		entries, err := handle.ReadDir(batch)
		for _, entry := range entries {
			if w.entries--; w.entries < 0 || len(w.files) >= w.most && !hidden(entry.Name()) {
				w.more = true
				return nil, nil
			}
			child := path.Join(name, entry.Name())
			if CheckName(child) != nil {
				continue
			}
			switch mode := entry.Type(); {
			case mode.IsDir():
				below = append(below, child)
			case mode.IsRegular():
				w.files = append(w.files, child)
			}
		}
		if errors.Is(err, io.EOF) {
			return below, nil
		}
		if err != nil {
			return nil, fmt.Errorf("list %q: %w", name, cause(err))
		}
	}
}
