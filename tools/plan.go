package tools

import (
	"io/fs"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// Plan says, before any of them runs, what each file-changing call of one turn will do: its file's digests before and
// after, where each call sees what the earlier ones will have done. A call that will fail is planned with its refusal.
// Proofs are by index; there is none (nil) for calls that change nothing, and none where the workspace could not be
// read: such a call, cut, is interrupted.
//
// Nothing is written. The drafted files are held in memory until Plan returns.
func Plan(workspace *places.Workspace, calls []Call) []*run.ToolProof {
	draft := workspace.Draft()
	proofs := make([]*run.ToolProof, len(calls))
	for i, call := range calls {
		if t, ok := find(call.Name); ok && t.change != nil {
			proofs[i] = t.plan(draft, call)
		}
	}
	return proofs
}

func (t entry) plan(draft *places.Draft, call Call) *run.ToolProof {
	args, wrong := t.check(call)
	if wrong != "" {
		return &run.ToolProof{Refusal: wrong}
	}
	recorder := &recorder{Draft: draft}
	file, err := t.change(recorder, args)
	switch run.CodeOf(err) {
	case run.ErrInvalidPath, run.ErrNotFound, run.ErrTooLarge, run.ErrConflict:
		return &run.ToolProof{Refusal: failed(call, err)}
	}
	if err != nil {
		return nil // a fault of the disk may be gone when the call runs
	}
	return &run.ToolProof{
		Path: file.Path, Before: recorder.before, After: file.Digest, Size: file.Size, Mode: file.Mode,
	}
}

// recorder is a draft that keeps what a write is about to replace.
type recorder struct {
	*places.Draft
	before string
}

// Write notes the digest before, and drafts.
func (r *recorder) Write(name string, content []byte, mode fs.FileMode) (run.FileChange, error) {
	before, err := r.Digest(name)
	if err != nil {
		return run.FileChange{}, err
	}
	r.before = before
	return r.Draft.Write(name, content, mode)
}
