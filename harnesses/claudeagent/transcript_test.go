package claudeagent

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/agentrun/agentrun/models"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got; -update writes it anew):\n%s", name, diff)
	}
}

// history is a conversation with everything in it.
func history() []models.Message {
	return []models.Message{
		{Role: models.RoleUser, Text: "A summary of what was said."},
		{Role: models.RoleUser, Text: "/do two files"},
		{
			Role: models.RoleAssistant, Text: "Let me write.", NativeAPI: models.APIMessages,
			Calls: []models.Call{{ID: "c1", Name: "write", Args: json.RawMessage(`{"path":"a"}`)}},
			Native: json.RawMessage(`[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"Let me write."},` +
				`{"type":"tool_use","id":"c1","name":"mcp__host__write","input":{"path":"a"}}]`),
		},
		{Role: models.RoleTool, CallID: "c1", Text: "wrote a"},
		{
			Role: models.RoleAssistant, NativeAPI: models.APIResponses, Native: json.RawMessage(`[{"type":"reasoning"}]`),
			Calls: []models.Call{
				{ID: "c2", Name: "read", Args: json.RawMessage(`"{\"pa"`)}, {ID: "c3", Name: "nosuch"}, {ID: "c4", Name: "read"},
			},
		},
		{Role: models.RoleTool, CallID: "c2", Text: "no JSON", IsError: true},
		{Role: models.RoleTool, CallID: "c3", Text: "Tool nosuch not found", IsError: true},
		{Role: models.RoleTool, CallID: "c4"},
		{Role: models.RoleAssistant, Text: " "},
		{Role: models.RoleUser, Text: "stop & think: <b>"},
		{Role: models.RoleAssistant, Text: "Done."},
	}
}

func TestTranscriptOfAConversation(t *testing.T) {
	t.Parallel()
	book := newLedger(history())
	said := conversation(history(), newToolbox([]models.Tool{{Name: "read"}, {Name: "write"}}), book)
	file := transcript{
		session: uuid.MustParse("01234567-89ab-cdef-0123-456789abcdef"), folder: "/srv/ü_1/work", model: "m",
		began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), version: "1.2.3",
	}
	golden(t, "transcript.jsonl", file.write(said))
	if want := "projects/-srv---1-work/01234567-89ab-cdef-0123-456789abcdef.jsonl"; file.path() != want {
		t.Errorf("the file is %s, want %s", file.path(), want)
	}
	if got := answers(said); got != 3 {
		t.Errorf("it has %d answers, want 3", got)
	}
	if got := book.name("c3"); got != "nosuch" {
		t.Errorf("the call of a tool that is not offered is remembered as %q", got)
	}
	if got, ok := book.result("c2"); !ok || got.Text != "no JSON" || !got.IsError {
		t.Errorf("the result of c2 is %v", got)
	}
}

func TestSlugsOfFolders(t *testing.T) {
	t.Parallel()
	for folder, want := range map[string]string{
		"/tmp/A1/work": "-tmp-A1-work", "/x.y_z": "-x-y-z", "/🚀": "---", "/@[`{": "-----",
	} {
		if got := slug(folder); got != want {
			t.Errorf("%s is %s, want %s", folder, got, want)
		}
	}
}

func TestAnswersWithoutWords(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]models.Message{
		"nothing":       {Role: models.RoleAssistant},
		"only thinking": {NativeAPI: models.APIMessages, Native: json.RawMessage(`[{"type":"thinking","thinking":"x"}]`)},
		"blank text":    {Text: " \n"},
	} {
		if got := answerBlocks(m); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	broken := models.Message{Text: "said", NativeAPI: models.APIMessages, Native: json.RawMessage(`[null]`)}
	if got := answerBlocks(broken); len(got) != 1 || got[0].text("text") != "said" {
		t.Errorf("an answer whose own blocks are broken: %v", got)
	}
}

func TestTheStandInHasANameOfItsOwn(t *testing.T) {
	t.Parallel()
	box := newToolbox([]models.Tool{{Name: "unlisted"}, {Name: "unlisted_"}})
	if box.unlisted != "unlisted__" || strings.Contains(box.unlisted, "mcp") {
		t.Errorf("the stand-in is %s", box.unlisted)
	}
	for name, want := range map[string]string{
		"unlisted": "mcp__host__unlisted", "mcp__host__unlisted": "mcp__host__unlisted", "other": "mcp__host__unlisted__",
	} {
		got, standIn := box.shown(name)
		if got != want || standIn != (name == "other") {
			t.Errorf("%s is shown as %s (stand-in %v)", name, got, standIn)
		}
	}
}
