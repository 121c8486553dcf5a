package tools

import (
	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// Verdict is what became of a call whose result was lost.
type Verdict int

// The verdicts. A call that is NotDone may run now. The zero value is Unknown: whether the call took effect cannot be
// told.
const (
	Unknown Verdict = iota
	NotDone
	Done
)

// String is the verdict's name.
func (v Verdict) String() string {
	return [...]string{"unknown", "not done", "done"}[v]
}

// Recover tells what became of a call that a crash cut, from the plan's proof of it and the proofs of the same turn's
// later calls. The result is the one to record: that of the finished call where it is Done, Interrupted where it is
// Unknown. Calls without a result are recovered, and run where they are NotDone, in the order of the turn.
//
// The file tells: it has the digest after, and the call is done; before, and it is not; that after a later call on the
// same file, and the call is done as well, for calls run in order. A turn that brings a file back to what it was cannot
// be told from one that did not begin; its calls run again and end in the same state.
func Recover(
	workspace *places.Workspace, call Call, proof *run.ToolProof, later []run.ToolProof,
) (Verdict, run.ToolResult) {
	t, ok := find(call.Name)
	if !ok || t.change == nil {
		return NotDone, run.ToolResult{}
	}
	if proof != nil && proof.Refusal != "" {
		result := refused(call, proof.Refusal)
		result.Proved = true
		return Done, result
	}
	if proof == nil || proof.Path == "" {
		return Unknown, Interrupted(call)
	}
	now, err := workspace.Digest(proof.Path)
	if err != nil {
		return Unknown, Interrupted(call)
	}
	switch {
	case now == proof.After:
	case now == proof.Before:
		return NotDone, run.ToolResult{}
	case !reached(now, proof.Path, later):
		return Unknown, Interrupted(call)
	}
	result := t.changed(call, run.FileChange{
		Path: proof.Path, Digest: proof.After, Size: proof.Size, Mode: proof.Mode,
	})
	result.Proved = true
	return Done, result
}

// reached tells whether a later call brought the file to this digest.
func reached(digest, path string, later []run.ToolProof) bool {
	for _, proof := range later {
		if proof.Refusal == "" && proof.Path == path && proof.After == digest {
			return true
		}
	}
	return false
}
