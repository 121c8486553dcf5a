package places_test

import (
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentrun/agentrun/places"
	"github.com/agentrun/agentrun/run"
)

// answer is what one operation on files gives.
type answer struct {
	Value any
	Error string
}

func answerOf[T any](value T, err error) answer {
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: value}
}

// TestADraftAnswersAsTheWorkspaceWould makes the same calls on a draft and for real.
func TestADraftAnswersAsTheWorkspaceWould(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		workspace := open(t, places.Options{MaxFileBytes: 5, NoSync: true})
		put(t, workspace, "there", "there")
		put(t, workspace, "large", "large than the limit")
		put(t, workspace, "dir/file", "x")
		draft := workspace.Draft()
		names := rapid.SampledFrom([]string{
			"there", "large", "dir", "dir/file", "dir/file/x", "dir/new", "new", "new/x", "new/x/y", "new/z", "../x", ".x",
		})
		var drafted, real []answer
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) func(files) answer {
			name := names.Draw(rt, "name")
			switch rapid.IntRange(0, 3).Draw(rt, "operation") {
			case 0:
				limit := rapid.Int64Range(0, 6).Draw(rt, "limit")
				return func(f files) answer { return answerOf(f.ReadFile(name, limit)) }
			case 1:
				return func(f files) answer { return answerOf(f.Digest(name)) }
			default:
				content := rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(rt, "content")
				mode := rapid.SampledFrom([]fs.FileMode{0, 0o600, 0o755}).Draw(rt, "mode")
				return func(f files) answer { return answerOf(f.Write(name, content, mode)) }
			}
		}), 1, 12).Draw(rt, "steps")
		before := everything(t, workspace)
		for _, step := range steps {
			drafted = append(drafted, step(draft))
		}
		if diff := cmp.Diff(before, everything(t, workspace)); diff != "" {
			rt.Fatalf("the draft changed the workspace (-before +after):\n%s", diff)
		}
		for _, step := range steps {
			real = append(real, step(workspace))
		}
		if diff := cmp.Diff(real, drafted); diff != "" {
			rt.Fatalf("the draft answered otherwise (-workspace +draft):\n%s", diff)
		}
	})
}

// files is what a draft and a workspace have in common.
type files interface {
	ReadFile(name string, limit int64) ([]byte, error)
	Digest(name string) (string, error)
	Write(name string, content []byte, mode fs.FileMode) (run.FileChange, error)
}
