package places

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/agentrun/agentrun/run"
)

// DefaultMode is the permission bits of a new file.
const DefaultMode fs.FileMode = 0o644

const tempPrefix = ".agentrun-tmp-"

// ownTemp starts the names of this process's temporary files: a sweep leaves those alone.
var ownTemp = tempPrefix + rand.Text() + "-"

// Write puts content at name, whole or not at all, making the directories it is in. Mode's permission bits are the
// file's after; 0 keeps those of the file that was there, or is DefaultMode. Content over MaxFileBytes is
// run.ErrTooLarge; a name that is no file's, or that a directory, link or device has, is run.ErrInvalidPath; a full disk
// is run.ErrStoreFull and changes nothing.
func (w *Workspace) Write(name string, content []byte, mode fs.FileMode) (run.FileChange, error) {
	if int64(len(content)) > w.options.MaxFileBytes {
		return run.FileChange{}, tooLarge(clip(name), int64(len(content)), w.options.MaxFileBytes)
	}
	mode, err := w.modeAfter(name, mode)
	if err != nil {
		return run.FileChange{}, err
	}
	if err := w.put(name, content, mode); err != nil {
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
			return run.FileChange{}, run.Errorf(run.ErrStoreFull, "the disk is full; %q was not written: %w", name, err)
		}
		return run.FileChange{}, err
	}
	return run.FileChange{
		Path: name, Digest: DigestOf(content), Size: int64(len(content)), Mode: uint32(mode),
	}, nil
}

// modeAfter is the permission bits the file has after a write that asks for some, or why it cannot be written.
func (v *View) modeAfter(name string, asked fs.FileMode) (fs.FileMode, error) {
	info, err := v.Stat(name)
	switch {
	case err == nil:
		return cmp.Or(asked.Perm(), info.Mode().Perm(), DefaultMode), nil
	case run.CodeOf(err) == run.ErrNotFound:
		return cmp.Or(asked.Perm(), DefaultMode), nil
	default:
		return 0, err
	}
}

func (w *Workspace) put(name string, content []byte, mode fs.FileMode) error {
	changed, err := w.makeParents(name)
	if err != nil {
		return err
	}
	temp := ownTemp + rand.Text()
	if err := w.writeTemp(temp, content, mode); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", name, cause(err)), w.discard(temp))
	}
	if err := w.root.Rename(temp, name); err != nil {
		return errors.Join(fmt.Errorf("write %q: %w", name, cause(err)), w.discard(temp))
	}
	if w.options.NoSync {
		return nil
	}
	for _, dir := range changed {
		if err := w.syncDir(dir); err != nil {
			return fmt.Errorf("write %q: %w", name, cause(err))
		}
	}
	return nil
}

// makeParents makes the directories a name is in and returns those in which an entry is new once the file is there.
func (w *Workspace) makeParents(name string) ([]string, error) {
	changed := []string{path.Dir(name)}
	for _, dir := range parents(name) {
		const mode = 0o755
		err := w.root.Mkdir(dir, mode)
		switch {
		case err == nil:
			changed = append(changed, path.Dir(dir))
		case !errors.Is(err, fs.ErrExist):
			return nil, fmt.Errorf("make directory %q: %w", dir, cause(err))
		}
	}
	return changed, nil
}

func (w *Workspace) writeTemp(temp string, content []byte, mode fs.FileMode) error {
	const private = 0o600
	file, err := w.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, private)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		// Not through the creation's mode, which the process's umask would cut.
		err = file.Chmod(mode)
	}
	if err == nil && !w.options.NoSync {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// discard removes a temporary file that came to nothing.
func (w *Workspace) discard(temp string) error {
	if err := w.root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("discard %q: %w", temp, cause(err))
	}
	return nil
}

func (w *Workspace) syncDir(name string) error {
	dir, err := w.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
