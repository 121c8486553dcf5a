package places

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"

	"github.com/agentrun/agentrun/run"
)

// Draft is a workspace as it would be after writes that have not happened: it answers as the workspace would, in the
// same words, and changes nothing. It keeps the drafted files in memory and is not safe for concurrent use.
type Draft struct {
	view  *View
	files map[string]drafted
}

type drafted struct {
	content []byte
	mode    fs.FileMode
}

// Draft starts from the workspace as it is.
func (w *Workspace) Draft() *Draft { return &Draft{view: w.View, files: map[string]drafted{}} }

// Resolve is View.Resolve.
func (d *Draft) Resolve(path string) (string, error) { return d.view.Resolve(path) }

// ReadFile is View.ReadFile after the drafted writes.
func (d *Draft) ReadFile(name string, limit int64) ([]byte, error) {
	if err := d.check(name); err != nil {
		return nil, err
	}
	file, ok := d.files[name]
	if !ok {
		return d.view.ReadFile(name, limit)
	}
	if limit <= 0 {
		limit = d.view.options.MaxFileBytes
	}
	if size := int64(len(file.content)); size > limit {
		return nil, tooLarge(name, size, limit)
	}
	return file.content, nil
}

// Digest is View.Digest after the drafted writes.
func (d *Draft) Digest(name string) (string, error) {
	if err := d.check(name); err != nil {
		return "", err
	}
	if file, ok := d.files[name]; ok {
		return DigestOf(file.content), nil
	}
	return d.view.Digest(name)
}

// Write drafts Workspace.Write. The content must not be changed after.
func (d *Draft) Write(name string, content []byte, mode fs.FileMode) (run.FileChange, error) {
	if size := int64(len(content)); size > d.view.options.MaxFileBytes {
		return run.FileChange{}, tooLarge(clip(name), size, d.view.options.MaxFileBytes)
	}
	if err := d.check(name); err != nil {
		return run.FileChange{}, err
	}
	if file, ok := d.files[name]; ok {
		mode = cmp.Or(mode.Perm(), file.mode)
	} else {
		after, err := d.view.modeAfter(name, mode)
		if err != nil {
			return run.FileChange{}, err
		}
		mode = after
	}
	d.files[name] = drafted{content: content, mode: mode}
	return run.FileChange{
		Path: name, Digest: DigestOf(content), Size: int64(len(content)), Mode: uint32(mode),
	}, nil
}

// check refuses what drafted files would be in the way of; what is there already is the view's to refuse.
func (d *Draft) check(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	for _, dir := range parents(name) {
		if _, ok := d.files[dir]; ok {
			return fileInTheWay(name, dir, 0)
		}
	}
	for other := range d.files {
		if strings.HasPrefix(other, name+"/") {
			return notHere(name, "it is "+kind(fs.ModeDir))
		}
	}
	return nil
}

func fileInTheWay(name, dir string, mode fs.FileMode) error {
	return notHere(name, fmt.Sprintf("%q is %s, not a directory", dir, kind(mode)))
}
