package tools_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
	"github.com/agentrun/agentrun/tools"
)

// turn is one turn's calls, their proofs as journaled before any of them ran, and the results journaled so far.
type turn struct {
	calls   []tools.Call
	proofs  []*run.ToolProof
	results []run.ToolResult
	// acted counts how often each call took effect or was answered by running it.
	acted []int
}

// TestACrashedTurnEndsAsAnUncrashedOne kills the process of a turn again and again, between its calls, within one and
// before the results of some were journaled, and opens the run again each time.
func TestACrashedTurnEndsAsAnUncrashedOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{"a": "one two", "d/c": "one\r\ntwo\r\n"}
		calls := rapid.SliceOfN(rapid.Custom(drawCall), 1, 8).Draw(rt, "calls")

		smooth := workspace(t, files)
		var want []run.ToolResult
		for _, asked := range calls {
			want = append(want, do(t, smooth, asked))
		}

		dir := filepath.Join(t.TempDir(), "work")
		ws := workspaceAt(t, dir, files)
		turn := &turn{calls: calls, proofs: tools.Plan(ws, calls), acted: make([]int, len(calls))}
		for crash := range 8 {
			if crash == 7 || turn.drive(t, rt, ws) {
				break
			}
			ws = workspaceAt(t, dir, nil)
		}
		for len(turn.results) < len(calls) {
			turn.next(t, rt, ws)
		}

		if diff := cmp.Diff(tree(t, smooth), tree(t, ws)); diff != "" {
			rt.Fatalf("files (-uncrashed +crashed):\n%s", diff)
		}
		for i, got := range turn.results {
			if calls[i].Name == "read" {
				continue // a read that is repeated sees the files as they are then
			}
			got.Proved = false
			if diff := cmp.Diff(want[i], got); diff != "" {
				rt.Fatalf("result of call %d (-uncrashed +crashed):\n%s", i, diff)
			}
		}
		turn.checkActedOnce(rt)
	})
}

// drive goes on with the turn in one process, until its end (true) or a crash.
func (u *turn) drive(t *testing.T, rt *rapid.T, ws *places.Workspace) (ended bool) {
	journaled := len(u.results)
	for len(u.results) < len(u.calls) {
		switch rapid.SampledFrom([]string{"go on", "go on", "crash before", "crash within"}).Draw(rt, "then") {
		case "crash before":
			u.lose(rt, journaled)
			return false
		case "crash within":
			u.tear(t, ws)
			u.lose(rt, journaled)
			return false
		}
		u.next(t, rt, ws)
	}
	return true
}

// lose forgets results that were not journaled when the process went: any number of those of this process.
func (u *turn) lose(rt *rapid.T, journaled int) {
	u.results = u.results[:rapid.IntRange(journaled, len(u.results)).Draw(rt, "journaled")]
}

// tear leaves what the next call leaves when it is cut before its rename.
func (u *turn) tear(t *testing.T, ws *places.Workspace) {
	t.Helper()
	proof := u.proofs[len(u.results)]
	if proof == nil || proof.Refusal != "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(ws.Dir(), proof.Path)), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, ws, ".agentrun-tmp-GONEPROCESS-1", "half of it")
}

// next recovers the next call and runs it where it did not happen.
func (u *turn) next(t *testing.T, rt *rapid.T, ws *places.Workspace) {
	i := len(u.results)
	verdict, result := tools.Recover(ws, u.calls[i], u.proofs[i], rest(u.proofs, i))
	switch verdict {
	case tools.Unknown:
		rt.Fatalf("call %d: it is not known whether it happened", i)
	case tools.NotDone:
		result = do(t, ws, u.calls[i])
		u.acted[i]++
	}
	u.results = append(u.results, result)
}

// checkActedOnce wants no call to have taken effect twice, where the turn does not bring a file back to what it was.
func (u *turn) checkActedOnce(rt *rapid.T) {
	states := map[string][]string{}
	for _, proof := range u.proofs {
		if proof == nil || proof.Refusal != "" {
			continue
		}
		if len(states[proof.Path]) == 0 {
			states[proof.Path] = []string{proof.Before}
		}
		states[proof.Path] = append(states[proof.Path], proof.After)
	}
	for i, proof := range u.proofs {
		if proof == nil || proof.Refusal != "" {
			continue
		}
		chain := slices.Clone(states[proof.Path])
		slices.Sort(chain)
		if len(slices.Compact(chain)) == len(states[proof.Path]) && u.acted[i] != 1 {
			rt.Fatalf("call %d took effect %d times", i, u.acted[i])
		}
	}
}

// drawCall draws a call such that calls of one turn meet: few files, few words, some files below others.
func drawCall(rt *rapid.T) tools.Call {
	path := rapid.SampledFrom([]string{"a", "a", "b", "d/c", "b/below", "d", "n/new", "../out", "./a"}).Draw(rt, "path")
	word := rapid.SampledFrom([]string{"one", "two", "one two", "three\n"})
	switch rapid.IntRange(0, 5).Draw(rt, "tool") {
	case 0:
		return call("read", object{"path": path})
	case 1, 2:
		return write(path, word.Draw(rt, "content"))
	case 3:
		return edit(path, "one", word.Draw(rt, "first"), "two", word.Draw(rt, "second"))
	case 4:
		return call("write", object{"path": path})
	default:
		return edit(path, word.Draw(rt, "old"), word.Draw(rt, "new"))
	}
}

// tree is every entry of the workspace, dotfiles too, with mode and content.
func tree(t *testing.T, ws *places.Workspace) []string {
	t.Helper()
	var entries []string
	err := filepath.WalkDir(ws.Dir(), func(file string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		held := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			held = string(data)
		}
		name, err := filepath.Rel(ws.Dir(), file)
		entries = append(entries, fmt.Sprintf("%s %v %q", name, info.Mode(), held))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}
