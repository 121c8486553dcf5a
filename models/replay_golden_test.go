package models

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentrun/agentrun/run"
)

var update = flag.Bool("update", false, "write the replays to testdata/replay instead of comparing them")

var replayedUsage = run.Usage{
	InputTokens: 1237, CachedInputTokens: 1024, CacheWriteTokens: 188, OutputTokens: 89, ReasoningTokens: 40, Requests: 1,
}

// recordedAnswers are answers as a run's record has them, by protocol and name.
var recordedAnswers = map[string]map[string]Answer{
	APIMessages: {
		"text": {
			Text: "The answer is <42> & no more.", Stop: StopEnd, Usage: replayedUsage, ServedModel: "claude-test-4",
			Native: json.RawMessage("[\n {\"type\":\"text\",\"text\":\"The answer is <42> & no more.\"}\n]"),
		},
		"thinking-and-calls": {
			Text: "I look.", Stop: StopToolCalls, Usage: replayedUsage,
			Calls: []Call{
				{ID: "toolu_1", Name: "read", Args: json.RawMessage(`{"path":"a"}`)},
				{ID: "toolu_2", Name: "list", Args: json.RawMessage(`{}`)},
			},
			Native: json.RawMessage(`[{"type":"thinking","thinking":"Two files.","signature":"EqQB"},{"type":"redacted_thinking","data":"EmwK"},` +
				`{"type":"text","text":"I look."},{"type":"tool_use","id":"toolu_1","name":"read","input":{"path":"a"}},` +
				`{"type":"tool_use","id":"toolu_2","name":"list","input":{}}]`),
		},
		"cut-call": {
			Stop: StopLength, Usage: replayedUsage,
			Calls:  []Call{{ID: "toolu_1", Name: "write", Args: json.RawMessage(`"{\"path\":\"a\",\"content\":\"half"`)}},
			Native: json.RawMessage(`[{"type":"tool_use","id":"toolu_1","name":"write","input":{"INVALID_JSON":"{\"path\":\"a\",\"content\":\"half"}}]`),
		},
		"refused": {Stop: StopRefusal, Refusal: "That is dangerous.", Usage: replayedUsage},
		"words-alone": {
			Text: "I look.", Stop: StopToolCalls, NoUsage: true, Usage: run.Usage{Requests: 1},
			Calls: []Call{{ID: "toolu_1", Name: "read", Args: json.RawMessage(`{"path":"a"}`)}},
		},
	},
	APIResponses: {
		"text": {
			Text: "The answer is <42> & no more.", Stop: StopEnd, Usage: replayedUsage, ServedModel: "gpt-test-5",
			Native: json.RawMessage(`[{"type":"reasoning","summary":[],"encrypted_content":"gAAAAABo"},
				{"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","annotations":[],"text":"The answer is <42> & no more."}]}]`),
		},
		"text-and-calls": {
			Text: "I look.", Stop: StopToolCalls, Usage: replayedUsage,
			Calls: []Call{
				{ID: "call_1", Name: "read", Args: json.RawMessage(`{"path":"a"}`)},
				{ID: "call_2", Name: "list", Args: json.RawMessage(`{}`)},
			},
			Native: json.RawMessage(`[{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"I look."}]},` +
				`{"type":"function_call","call_id":"call_1","name":"read","arguments":"{\"path\":\"a\"}"},` +
				`{"type":"function_call","call_id":"call_2","name":"list","arguments":""}]`),
		},
		"cut-call": {
			Stop: StopLength, Usage: replayedUsage,
			Calls:  []Call{{ID: "call_1", Name: "write", Args: json.RawMessage(`"{\"path\":\"a\",\"content\":\"half"`)}},
			Native: json.RawMessage(`[{"type":"function_call","status":"incomplete","call_id":"call_1","name":"write","arguments":"{\"path\":\"a\",\"content\":\"half"}]`),
		},
		"refused": {Stop: StopRefusal, Refusal: "That is dangerous.", Usage: replayedUsage},
		"words-alone": {
			Text: "I look.", Stop: StopToolCalls, NoUsage: true, Usage: run.Usage{Requests: 1},
			Calls: []Call{{ID: "call_1", Name: "read", Args: json.RawMessage(`"{broken"`)}},
		},
	},
}

// eachRecorded runs a test for each recorded answer.
func eachRecorded(t *testing.T, test func(t *testing.T, api, name string, r Replay)) {
	t.Helper()
	for api, answers := range recordedAnswers {
		for name, answer := range answers {
			t.Run(api+"-"+name, func(t *testing.T) {
				t.Parallel()
				test(t, api, name, Replay{ID: "answer-1", Model: "model-1", Answer: answer})
			})
		}
	}
}

// TestReplayGolden holds the bytes of replays: a session that is opened again by a later version of this program is
// answered with what it heard before.
func TestReplayGolden(t *testing.T) {
	t.Parallel()
	eachRecorded(t, func(t *testing.T, api, name string, r Replay) {
		got := string(replays[api].stream(r)) + "\n" + string(replays[api].whole(r)) + "\n"
		path := filepath.Join("testdata", "replay", api+"-"+name+".txt")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
			return
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestReplayNamesTheModel: the program hears the model it asked for; without one, the model that answered.
func TestReplayNamesTheModel(t *testing.T) {
	t.Parallel()
	for api, replay := range replays {
		r := Replay{ID: "answer-1", Model: "model-1", Answer: Answer{Text: "42", Stop: StopEnd, ServedModel: "model-1-2026"}}
		for _, want := range []string{"model-1", "model-1-2026"} {
			got, err := heard(t, api, replay.stream(r))
			if err != nil {
				t.Fatal(err)
			}
			if whole := decoded(t, replay.whole(r))["model"]; got.ServedModel != want || whole != want {
				t.Errorf("%s: model %q and %q, want %q", api, got.ServedModel, whole, want)
			}
			r.Model = ""
		}
	}
}
