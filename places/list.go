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
	"strings"

	"github.com/agentrun/agentrun/run"
)

// entriesPerFile bounds the entries a listing looks at, dotfiles and directories included, as a multiple of MaxFiles.
const entriesPerFile = 10

// List is the workspace's files by path, in order. It stops at MaxFiles; more says that there are others.
func (v *View) List(ctx context.Context) (files []File, more bool, err error) {
	entries, more, err := v.walk(ctx, ".")
	if err != nil {
		return nil, false, err
	}
	files = make([]File, 0, len(entries))
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return nil, false, fmt.Errorf("list files: %w", err)
		}
		file, err := v.listed(entry)
		switch run.CodeOf(err) {
		case run.ErrNotFound, run.ErrInvalidPath, run.ErrUnavailable:
			continue // it went or changed since it was seen
		}
		if err != nil {
			return nil, false, err
		}
		files = append(files, file)
	}
	return files, more, nil
}

// listed is a file that was seen, read only where its digest is not remembered.
func (v *View) listed(seen seen) (File, error) {
	if digest, ok := v.options.Digests.recall(v.key(seen.name), seen.info); ok {
		return file(seen.name, seen.info, digest), nil
	}
	handle, info, err := v.Open(seen.name)
	if err != nil {
		return File{}, err
	}
	defer handle.Close()
	return v.describe(handle, seen.name, info)
}

// seen is a regular file as a walk saw it.
type seen struct {
	name string
	info fs.FileInfo
}

// walk sees the regular files under a directory ("." for all), in order.
func (v *View) walk(ctx context.Context, top string) (files []seen, more bool, err error) {
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
	slices.SortFunc(walk.files, func(a, b seen) int { return strings.Compare(a.name, b.name) })
	return walk.files, walk.more, nil
}

// walk gathers files, so many at most.
type walk struct {
	view    *View
	files   []seen
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
				info, err := dir.Lstat(entry.Name())
				if err != nil || !info.Mode().IsRegular() {
					continue // it went or changed since it was seen
				}
				w.files = append(w.files, seen{name: child, info: info})
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
