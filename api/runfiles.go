package api

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// File is a file given to a run.
type File struct {
	Path    string
	Content []byte
}

// RunFiles keeps the files of runs in their work folders on this machine.
type RunFiles struct {
	dir    func(runID string) string
	places places.Options
}

// NewRunFiles makes RunFiles of where each run's work folder is. The folder is made with its first file.
func NewRunFiles(workDir func(runID string) string, options places.Options) *RunFiles {
	if options.Digests == nil {
		options.Digests = places.NewDigests(places.DefaultMaxFiles)
	}
	return &RunFiles{dir: workDir, places: options}
}

// Open is the run's files, or nil where it has none yet.
func (f *RunFiles) Open(runID string) (Tree, error) {
	view, err := places.OpenView(f.dir(runID), f.places)
	if run.CodeOf(err) == run.ErrNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return view, nil
}

// Prepare writes the files under inputs/, durably. Where one cannot be written none is left.
func (f *RunFiles) Prepare(ctx context.Context, runID string, files []File) (manifest string, names []string, err error) {
	if len(files) == 0 {
		return "", nil, nil
	}
	defer func() {
		if err != nil {
			err = errors.Join(full(err), f.Discard(runID))
		}
	}()
	work, err := places.OpenWorkspace(f.dir(runID), f.places)
	if err != nil {
		return "", nil, err
	}
	defer work.Close()
	for _, file := range files {
		change, err := work.PutInput(file.Path, file.Content)
		if err != nil {
			return "", nil, err
		}
		names = append(names, change.Path)
	}
	manifest, err = work.Manifest(ctx)
	return manifest, names, err
}

// Discard removes the work folder of a run that was not made.
func (f *RunFiles) Discard(runID string) error {
	if err := os.RemoveAll(f.dir(runID)); err != nil {
		return fmt.Errorf("discard the files of run %s: %w", runID, err)
	}
	return nil
}

// full makes of a full disk the refusal that says so.
func full(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return run.Errorf(run.ErrStoreFull, "there is no room on the disk for the run's files: %w", err)
	}
	return err
}
