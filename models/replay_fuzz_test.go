package models

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// replayed checks that whatever can be read of a stream is read again of its replay.
func replayed(t *testing.T, api string, stream []byte) {
	first, err := heard(t, api, stream)
	if err != nil {
		return
	}
	told := Replay{ID: "answer-1", Model: first.ServedModel, Answer: first}
	again, err := heard(t, api, replays[api].stream(told))
	if err != nil {
		t.Fatalf("%v: %s", err, replays[api].stream(told))
	}
	if whole := replays[api].whole(told); !json.Valid(whole) {
		t.Fatalf("whole: %s", whole)
	}
	if api == APIMessages {
		// Blocks that nobody can see are not told again, and a usage that is not known is none.
		first.Text, again.Text = visible(first.Text), visible(again.Text)
		first.Refusal, again.Refusal = visible(first.Refusal), visible(again.Refusal)
		first.NoUsage = false
	}
	if diff := cmp.Diff(first, again, sameJSON); diff != "" {
		t.Fatalf("answer (-recorded +replayed):\n%s\n%s", diff, replays[api].stream(told))
	}
}

// visible is a text without what cannot be seen.
func visible(text string) string { return strings.Join(strings.Fields(text), "") }

func seedReplays(f *testing.F, api string) {
	f.Helper()
	seed(f, api)
	files, err := filepath.Glob(filepath.Join("testdata", "replay", api+"-*.txt"))
	if err != nil || len(files) == 0 {
		f.Fatal("no replays", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
}

func FuzzReplayMessages(f *testing.F) {
	seedReplays(f, APIMessages)
	f.Fuzz(func(t *testing.T, stream []byte) { replayed(t, APIMessages, stream) })
}

func FuzzReplayResponses(f *testing.F) {
	seedReplays(f, APIResponses)
	f.Fuzz(func(t *testing.T, stream []byte) { replayed(t, APIResponses, stream) })
}
